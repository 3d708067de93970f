"""The fetch expert as a policy: it plays both environments of the arm by what they let observe."""

import numpy as np
import pytest

from procgen_bench.baselines.policies import load_policy
from procgen_bench.baselines.rollout import play_episodes
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace

SPACE = make_task_space("FetchProgram-v0")
NAMES = ["clean_table/1", "stack_all_blocks/2", "stack_all_to_zone/3", "move_all_to_zone/4", "move_all_to_zone/5"]


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


def test_it_plays_nothing_else():
    with pytest.raises(InvalidPolicyError, match="plays 'FetchProgram-v0' and 'FetchBlocks-v0' only, not 'GridWorld"):
        load_policy("fetch-expert", "GridWorld-v0")
