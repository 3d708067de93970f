"""The fetch expert as a policy: it plays both environments of the arm by what they let observe."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidPolicyError, UnsolvedTaskError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying
from procgen_bench.leaderboards.submission.submission import EpisodeTrace
from procgen_bench.leaderboards.verification.replay import replay
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from procgen_bench.tasks.programs import PROGRAMS

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
    """In single environments, in rows, and when its actions are replayed."""
    rng = np.random.default_rng(2)
    tasks = [SPACE.sample_task(rng, PROGRAMS[name], 1.0) for name in ("Stack_0_3", "Stack_2_1")]
    for serial in (True, False):
        episodes = play_episodes(_Holder(), "FetchProgram-v0", tasks, range(2), 2, serial=serial)
        assert [(episode.return_, episode.success) for episode in episodes] == [(1.0, False)] * 2
    traces = [EpisodeTrace(task, "", 0, episode.seed, episode.actions, 0.0) for task, episode in zip(tasks, episodes)]
    for physics in (True, False):
        outcomes = replay("FetchProgram-v0", traces, physics=physics)
        assert [(outcome.return_, outcome.success) for outcome in outcomes] == [(1.0, False)] * 2


def test_it_plays_nothing_else():
    with pytest.raises(InvalidPolicyError, match="plays 'FetchProgram-v0' and 'FetchBlocks-v0' only, not 'GridWorld"):
        load_policy("fetch-expert", "GridWorld-v0")
