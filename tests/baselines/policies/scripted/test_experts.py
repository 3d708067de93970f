"""The scripted expert walks the suite: proof that its tasks can be solved within the horizon.

The fetch expert as a policy: it plays both environments of the arm by what they let observe.
"""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.scripted.ant_expert import WAY_GAP, AntExpertPolicy, next_turn
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidPolicyError, UnsolvedTaskError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import environment_type, make_task_space
from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from procgen_bench.tasks.programs import PROGRAMS

ID = "SparseAntMaze-v0"
SUITE = environment_type(ID).task_space.suite("test")


#: The expert's ways for a task on which its ant fell: another way is another walk.
OTHER_GAPS = (1.0, 2.0, 2.5, 1.25, 1.75)


def solved(tasks, way_gap=WAY_GAP) -> tuple[list[bool], list[int]]:
    episodes = play_episodes(AntExpertPolicy(ID, way_gap=way_gap), ID, tasks, range(len(tasks)))
    return [episode.success for episode in episodes], [len(episode.actions) for episode in episodes]


def test_the_expert_solves_most_tasks():
    """The shipped controller's ant falls on its back in a tenth of the episodes."""
    successes, steps = solved(SUITE.tasks[:15])
    assert sum(successes) >= 12 and np.mean(steps) < 400


@pytest.mark.slow
def test_every_task_of_the_suite_can_be_solved():
    """Proof by walking: at once, or on another way around the wall."""
    successes, _ = solved(SUITE.tasks)
    print(f"{sum(successes)} of {len(successes)} solved at once")
    assert np.mean(successes) > 0.9
    left = [task for task, success in zip(SUITE.tasks, successes) if not success]
    for way_gap in OTHER_GAPS:
        if left:
            successes, _ = solved(left, way_gap)
            left = [task for task, success in zip(left, successes) if not success]
            print(f"{len(left)} left after a way {way_gap} off the wall")
    assert not left


def test_waypoints_under_subgoals_solve_tasks_too():
    """What a high-level policy can reach at all: 25 subgoals of at most 5 units."""
    env = gymnasium.make_vec(ID, num_envs=8, control="subgoal", autoreset_mode="Disabled")
    observations, _ = env.reset(seed=0, options={"task": list(SUITE.tasks[-8:])})
    running, solved_rows = np.ones(8, np.bool_), np.zeros(8, np.bool_)
    for _ in range(25):
        turns = [next_turn(*points) for points in zip(observations["achieved_goal"], observations["desired_goal"])]
        subgoals = np.clip(np.array(turns) - observations["achieved_goal"], -5, 5).astype(np.float32)
        env.unwrapped.simulation.step(subgoals, running)
        observations = env.unwrapped.simulation.copy_observations()
        solved_rows |= env.unwrapped.simulation.successes
        running &= ~env.unwrapped.simulation.terminations
    assert solved_rows.sum() >= 6


def test_turns_lead_around_the_wall():
    goal = np.array([0.0, 16.0])
    corner = 12 + WAY_GAP
    for place, turn in (
        ([0.0, 0.0], [corner, 4 - WAY_GAP]),
        ([corner, 4 - WAY_GAP], [corner, 12 + WAY_GAP]),
        ([16.0, 8.0], [corner, 12 + WAY_GAP]),
        ([8.0, 16.0], [0.0, 16.0]),
        ([0.0, 3.9], [corner, 4 - WAY_GAP]),
    ):
        np.testing.assert_allclose(next_turn(np.array(place, np.float32), goal), turn, atol=1e-6)
    assert next_turn(np.array([0.0, 15.0]), np.array([-3.5, 19.5])).tolist() == [-3.5, 19.5]


def test_the_expert_plays_nothing_else():
    with pytest.raises(InvalidPolicyError, match="the ant expert plays 'SparseAntMaze-v0' only, not 'BitGrid-v0'"):
        load_policy("ant-expert", "BitGrid-v0")


SPACE = make_task_space("FetchProgram-v0")
NAMES = ["stack_all_blocks/2", "stack_all_to_zone/3", "move_all_to_zone/5"]


def played(tasks, environment="FetchProgram-v0", num_envs=2):
    policy = load_policy("fetch-expert", environment)
    return play_episodes(policy, environment, tasks, range(len(tasks)), num_envs, serial=True)


def test_it_plays_programs_as_the_solver_does():
    tasks = [SPACE.suite("groups")[name] for name in NAMES]
    for task, episode in zip(tasks, played(tasks)):
        assert episode.success
        assert np.array_equal(episode.actions, SPACE.solve(task))


def test_it_plays_atomic_programs():
    rng = np.random.default_rng(0)
    tasks = [SPACE.decode(SPACE.sample(rng)) for _ in range(12)]
    tasks = [task for task in tasks if task.program.startswith(("Stack_0", "Stack_1", "Stack_2", "Stack_3", "Move_To"))]
    assert len(tasks) >= 4
    assert np.mean([episode.success for episode in played(tasks)]) >= 0.75


def test_it_plays_blocks_to_their_places_and_holds_them_there():
    tasks = FetchBlocksTaskSpace().suite("test").tasks[:8]
    episodes = played(tasks, "FetchBlocks-v0")
    assert np.mean([episode.success for episode in episodes]) >= 0.8


@pytest.mark.parametrize("environment_id", ["FetchProgram-v0", "FetchBlocks-v0"])
def test_a_goal_of_zeros_is_refused(environment_id):
    """The block would be carried off the table, in vain."""
    policy = load_policy("fetch-expert", environment_id)
    with gymnasium.make(environment_id) as env:
        observed = {name: space.sample()[np.newaxis] for name, space in env.observation_space.items()}
    for name in ("goal", "desired_goal", "program"):
        if name in observed:
            observed[name] = np.zeros_like(observed[name])
    if "program" in observed:
        observed["program"][0, list(PROGRAMS).index("Stack_0_1")] = 1
    with pytest.raises(
        UnsolvedTaskError, match=r"brings no block to \[0.0, 0.0, 0.0\]: x is 0.0, expected 1.05 to 1.55"
    ):
        policy.act(observed, np.array([True]))


class _Holder(Policy):
    """Holds a block 3.8 cm beside its place on another one, in mid-air, and never lets it go."""

    def act(self, observations, episode_starts):
        states = observations["observation"]
        for row in np.flatnonzero(episode_starts).tolist():
            program = list(PROGRAMS.values())[int(observations["program"][row].argmax())]
            place = observations["goal"][row].reshape(4, 3)[program.blocks[0]] + [0.032, 0.0, 0.02]
            self.holding = getattr(self, "holding", {}) | {row: Carrying(program.blocks[0], place)}
            self.holding[row]._has_ground = lambda: False
        return np.array([self.holding[row].act(state) for row, state in enumerate(states)], np.float32)


def test_what_is_held_beside_its_place_scores_nothing():
    """In single environments, and in rows."""
    rng = np.random.default_rng(2)
    tasks = [SPACE.sample_task(rng, PROGRAMS[name], 1.0) for name in ("Stack_0_3", "Stack_2_1")]
    for serial in (True, False):
        episodes = play_episodes(_Holder(), "FetchProgram-v0", tasks, range(2), 2, serial=serial)
        assert [(episode.return_, episode.success) for episode in episodes] == [(1.0, False)] * 2


def test_it_plays_nothing_else():
    with pytest.raises(InvalidPolicyError, match="plays 'FetchProgram-v0' and 'FetchBlocks-v0' only, not 'GridWorld"):
        load_policy("fetch-expert", "GridWorld-v0")
