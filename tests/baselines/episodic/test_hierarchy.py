"""Subgoals of a policy become torques as the environment's own subgoal control makes them."""

import gymnasium
import numpy as np

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.episodic.hierarchy import AntWalker, steps_per_action, training_options

ANT = "SparseAntMaze-v0"
SUBGOAL = np.array([3.0, -1.0], np.float32)


def test_the_ant_alone_is_trained_on_subgoals():
    assert (training_options(ANT), steps_per_action(ANT)) == ({"control": "subgoal"}, 20)
    assert (training_options("BitGrid-v0"), steps_per_action("BitGrid-v0")) == ({}, 1)
    with gymnasium.make(ANT, **training_options(ANT)) as env:
        assert env.unwrapped.horizon * steps_per_action(ANT) == gymnasium.spec(ANT).max_episode_steps


def test_a_subgoal_walks_the_ant_as_the_environment_does():
    """The walker sees float32 observations, the environment its own float64 state: the ways part slowly."""
    with gymnasium.make(ANT, **training_options(ANT)) as env:
        env.reset(seed=0, options={"task": "test/0"})
        expected = env.step(SUBGOAL)[0]["achieved_goal"]
    with gymnasium.make(ANT) as env:
        observation, _ = env.reset(seed=0, options={"task": "test/0"})
        walker, start = AntWalker(), observation["achieved_goal"]
        for step in range(20):
            rows = {name: array[None] for name, array in observation.items()}
            torques = walker.act(rows, np.array([step == 0]), lambda seen: SUBGOAL[None])
            observation = env.step(torques[0])[0]
    walked = observation["achieved_goal"]
    assert np.linalg.norm(walked - start) > 0.5
    assert np.linalg.norm(walked - expected) < 0.05


def test_rows_are_asked_when_their_subgoal_is_over_or_their_episode_begins():
    rng = np.random.default_rng(0)
    observations = {
        "observation": rng.normal(size=(3, 30)).astype(np.float32),
        "achieved_goal": np.zeros((3, 2), np.float32),
        "desired_goal": np.zeros((3, 2), np.float32),
    }
    asked = []

    def choose(seen):
        asked.append(len(seen["observation"]))
        return np.ones((len(seen["observation"]), 2))

    walker = AntWalker()
    for step in range(41):
        starts = np.array([step == 0, step in (0, 5), step == 0])
        torques = walker.act(observations, starts, choose)
        assert torques.shape == (3, 8) and torques.dtype == np.float32
    # all at 0, the second at 5, the others at 20, the second at 25, the others at 40
    assert asked == [3, 1, 2, 1, 2]
    assert walker.act({name: array[:1] for name, array in observations.items()}, np.array([False]), choose).shape == (
        1,
        8,
    )
    assert asked[-1] == 1
