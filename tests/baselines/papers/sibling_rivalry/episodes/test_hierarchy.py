"""Subgoals of a policy become torques as the environment's own subgoal control makes them.

Families whose tasks are seen as goals: where places and distances come from, and what networks see of them.
"""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import nn

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.papers.sibling_rivalry.goal_view import farthest_block, goal_view, steps_between
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import EpisodeRows
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic, PartsEncoder
from procgen_bench.baselines.parts.hierarchy import GoalPolicy, HierarchicalPolicy, steps_per_action, training_options
from procgen_bench.baselines.parts.low_level import AntController, LowLevelPolicy
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.envs.ant_maze.controller import shipped_controller
from procgen_bench.envs.grid_world import GridWorldEnv
from procgen_bench.tasks.grid_world.task import ABSENT, DOOR_1, GOAL, GridWorldTask
from procgen_bench.tasks.programs import goal_reached
from tests.baselines.papers.sibling_rivalry.episodes.random_play import Fresh, collector_of

ANT = "SparseAntMaze-v0"
SUBGOAL = np.array([3.0, -1.0], np.float32)


class Wanderer(HierarchicalPolicy):
    """Chooses one subgoal after the other, as they are given."""

    def __init__(self, *subgoals):
        super().__init__(ANT, nn.Identity(), stochastic=False, noise_width=0)
        self.subgoals = list(subgoals)

    def choose(self, observations, noise):
        return torch.as_tensor(self.subgoals.pop(0)).repeat(len(observations["observation"]), 1)


def test_the_ant_alone_is_trained_on_subgoals():
    assert (training_options(ANT), steps_per_action(ANT)) == ({"control": "subgoal"}, 20)
    assert (training_options("BitGrid-v0"), steps_per_action("BitGrid-v0")) == ({}, 1)
    with gymnasium.make(ANT, **training_options(ANT)) as env:
        assert env.unwrapped.horizon * steps_per_action(ANT) == gymnasium.spec(ANT).max_episode_steps


def folder(path, low_level=None):
    """A policy folder of the ant, over the low level that is named, if one is."""
    policy = GoalPolicy(ANT, False, low_level or "shipped")
    named = {} if low_level is None else {"low_level": low_level}
    PolicyFolder("ppo-naive", ANT, {"stochastic": False} | named, network_arrays(policy.network)).write(path)
    return load_policy(path, ANT)


def test_folders_name_the_low_level_and_older_ones_have_the_shipped_controller(tmp_path):
    shipped = folder(tmp_path / "old"), folder(tmp_path / "new", "shipped")
    assert {type(policy._low_level) for policy in shipped} == {AntController}
    assert type(folder(tmp_path / "learned", "learned")._low_level) is LowLevelPolicy
    description = tmp_path / "learned" / "policy.json"
    description.write_text(description.read_text().replace('"learned"', '"borrowed"'))
    with pytest.raises(InvalidPolicyError, match=r"low_level is 'borrowed', expected learned or shipped"):
        load_policy(tmp_path / "learned", ANT)


def test_the_shipped_low_level_is_the_controller_of_the_environment():
    """Sums in another order, of features in float32: the torques are equal but for that, all around the ant."""
    rng = np.random.default_rng(0)
    states = rng.normal(size=(2_000, 30)).astype(np.float32)
    states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=1, keepdims=True)
    states[:, :3] *= [4.0, 4.0, 0.5]
    angles = np.linspace(0, 2 * np.pi, len(states), endpoint=False)
    distances = np.geomspace(0.05, 20, len(states))
    places = (states[:, :2] + distances[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)).astype(np.float32)
    expected = shipped_controller().torques(states, places.astype(np.float64))
    found = AntController().torques(torch.as_tensor(states), torch.as_tensor(places), torch.zeros(2_000, 0)).numpy()
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 2e-3  # of 30
    assert len(np.unique(np.abs(expected))) > 1_000


def test_a_subgoal_walks_the_ant_as_the_environment_does():
    """The policy sees float32 observations, the environment its own float64 state: the ways part slowly."""
    with gymnasium.make(ANT, **training_options(ANT)) as env:
        env.reset(seed=0, options={"task": "test/0"})
        expected = env.step(SUBGOAL)[0]["achieved_goal"]
    with gymnasium.make(ANT) as env:
        observation, _ = env.reset(seed=0, options={"task": "test/0"})
        policy, start = Wanderer(*[SUBGOAL, *[SUBGOAL + 1] * 19]), observation["achieved_goal"]
        for step in range(20):
            rows = {name: array[None] for name, array in observation.items()}
            observation = env.step(policy.act(rows, np.array([step == 0]))[0])[0]
    walked = observation["achieved_goal"]
    assert np.linalg.norm(walked - start) > 0.5
    assert np.linalg.norm(walked - expected) < 0.15


def test_rows_take_a_subgoal_when_theirs_is_over_or_their_episode_begins():
    rng = np.random.default_rng(0)
    observations = {
        "observation": rng.normal(size=(3, 30)).astype(np.float32),
        "achieved_goal": np.full((3, 2), 0.5, np.float32),
        "desired_goal": np.zeros((3, 2), np.float32),
    }
    policy = Wanderer(*np.repeat(np.arange(42, dtype=np.float32)[:, None], 2, axis=1))
    taken, before = [], None
    for step in range(41):
        starts = np.array([step == 0, step in (0, 5), step == 0])
        torques = policy.act(observations, starts)
        assert torques.shape == (3, 8) and torques.dtype == np.float32
        place = policy._state["place"].numpy()
        now = step + 0.5 == place[:, 0]
        assert before is None or np.array_equal(place[~now], before[~now])
        taken.append(np.flatnonzero(now).tolist())
        before = place
    expected = {0: [0, 1, 2], 5: [1], 20: [0, 2], 25: [1], 40: [0, 2]}
    assert {step: rows for step, rows in enumerate(taken) if rows} == expected
    alone = policy.act({name: array[:1] for name, array in observations.items()}, np.array([False]))
    assert alone.shape == (1, 8)
    assert policy._state["place"].tolist() == [[41.5, 41.5]]


GRID = "grid-world/graded"


@pytest.fixture(scope="module")
def collected():
    """Random episodes of 40 worlds, and their tasks."""
    collector = collector_of(GRID, count=40)
    tasks = collector.rows.env.tasks
    yield collector.collect(), tasks
    collector.rows.close()


def test_the_goals_of_a_grid_are_places_on_its_map(collected):
    episodes, tasks = collected
    assert np.array_equal(episodes.goals, [task.objects[GOAL] for task in tasks])
    played = episodes.played
    assert np.array_equal(episodes.observations["desired_goal"][played], episodes.goals[np.nonzero(played)[1]])
    assert np.array_equal(episodes.observations["achieved_goal"], episodes.observations["position"])
    assert not episodes.observations["desired_goal"][~played].any()
    distances = steps_between(episodes.ends, episodes.goals)
    assert np.array_equal(distances == 0, episodes.successes)
    assert episodes.successes.any() and not episodes.successes.all()


@pytest.mark.parametrize("place", [(ABSENT, ABSENT), (1, 1)])
def test_no_goal_and_a_goal_under_the_agent_are_never_reached(place):
    objects = np.full((5, 2), ABSENT, np.int8)
    objects[GOAL], objects[DOOR_1] = place, (3, 3)
    task = GridWorldTask(np.zeros((8, 8), np.int8), objects)

    class Given(Fresh):
        def propose(self, rows, step):
            proposals = super().propose(rows, step)
            return [type(one)(one.level, task, train=True) for one in proposals]

    benchmark = get_benchmark(GRID)
    rows = EpisodeRows("GridWorld-v0", 2, Given(benchmark), 3, 1)
    rows.begin()
    seen = {name: array[np.newaxis].copy() for name, array in rows.observations.items()}
    _, finals = rows.view.add(tensors_of(seen), {name: array[0] for name, array in seen.items()})
    assert np.array_equal(finals["desired_goal"], np.zeros((2, 2)))
    assert (rows.view.distance(finals["achieved_goal"], finals["desired_goal"]) > rows.view.threshold).all()
    rows.close()


def test_the_farthest_block_decides_the_distance_as_it_decides_success():
    rng = np.random.default_rng(0)
    desired = rng.uniform(0, 1, (3, 200, 12))
    achieved = desired + rng.normal(0, 0.02, desired.shape)
    distances = farthest_block(achieved, desired)
    assert distances.shape == (3, 200)
    assert np.array_equal(distances <= 0.05, goal_reached(achieved, desired))
    assert 0 < goal_reached(achieved, desired).mean() < 1
    moved = desired.copy()
    moved[..., 3:6] += (0.3, 0, 0.4)
    assert farthest_block(moved, desired) == pytest.approx(np.full((3, 200), 0.5))


def test_the_critic_alone_sees_the_anti_goal_of_a_grid():
    view = goal_view("GridWorld-v0", None)
    space = view.space(GridWorldEnv.observation_space)
    torch.manual_seed(0)
    network = GoalActorCritic(space, GridWorldEnv.action_space, anti_goal=True)
    seen = {name: torch.as_tensor(leaf.sample())[None].round() for name, leaf in space.items()}
    values = {}
    for place in ((1.0, 1.0), (8.0, 2.0)):
        conditioned = seen | {"anti_goal": torch.tensor([place])}
        values[place] = network.values(conditioned)
        assert torch.equal(network.actor(conditioned), network.actor(seen))
    assert len(set(values.values())) == 2
    elsewhere = seen | {"achieved_goal": seen["achieved_goal"] + 1, "desired_goal": seen["desired_goal"] + 1}
    assert torch.equal(network.actor(elsewhere), network.actor(seen)), "objects tell where the goal is"


def test_goals_without_bounds_are_normalised_by_what_was_learned_from():
    leaf = spaces.Box(-np.inf, np.inf, (3,), np.float64)
    space = spaces.Dict(dict.fromkeys(("achieved_goal", "desired_goal", "observation"), leaf))
    network = GoalActorCritic(space, spaces.Box(-1, 1, (2,)), anti_goal=True)
    actor, critic = network.actor[0], network.critic[0]
    assert isinstance(critic, PartsEncoder) and critic.names == ("observation", "desired_goal", "anti_goal")
    rng = np.random.default_rng(0)
    seen = {name: torch.as_tensor(rng.normal(5, 0.1, (500, 3)), dtype=torch.float32) for name in critic.names}
    network.count(seen)
    for encoder in (actor, critic):
        features, _ = encoder.parts({name: seen[name] for name in encoder.names})
        assert features.mean(dim=0).abs().max() < 1e-3 and (features.std(dim=0) - 1).abs().max() < 0.01
