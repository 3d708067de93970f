"""What is proposed in the phases of stage 1, and how success by kind is measured and weighs."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.curricula.block_phases import BlockPhasesTeacher, PhaseSettings
from procgen_bench.baselines.parts.block_learner import Phase
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask
from procgen_bench.tasks.programs import PROGRAMS, goal_reached

SETTINGS = PhaseSettings(
    phase_1_steps=1_000,
    mastered=0.9,
    added_starts=0.4,
    least_weight=0.2,
    continued=0.5,
    states_kept=6,
    greedy_rows=1_000,
)


def teacher(**options):
    levels = LevelSource(get_benchmark("fetch-blocks/test"), solvable=True)
    return BlockPhasesTeacher(levels, np.random.default_rng(0), replace(SETTINGS, **options))


def kinds(asked, count, step):
    proposals = asked.propose(np.arange(count), step)
    assert all(isinstance(one.task, FetchBlocksTask) for one in proposals)
    return proposals, [asked._playing[one.level][0] for one in proposals]


def shares(found):
    return {kind: found.count(kind) / len(found) for kind in set(found)}


def ended(asked, proposals, are_own_there, are_others_there=True):
    """Episodes of these proposals, at whose ends blocks are where they are desired or not."""
    steps = []
    for number, one in enumerate(proposals):
        first = one.task.first
        goal = np.roll(one.task.goal, -first, axis=0)
        achieved = np.stack([goal + 0.3] * 2)
        achieved[-1, 0] -= 0.3 * are_own_there(number)
        achieved[-1, 1:] -= 0.3 * are_others_there
        seen = {"desired_goal": np.stack([goal.ravel()] * 2), "achieved_goal": achieved.reshape(2, -1)}
        steps.append(EpisodeSteps(seen, np.zeros((1, 4)), np.zeros(1, np.float32)))
    count, empty = len(proposals), np.zeros(len(proposals))
    levels = np.array([one.level for one in proposals])
    columns = [levels, np.zeros(count, np.int16), np.ones(count, bool), empty, empty > 0, empty, *[empty] * 3]
    asked.observe(FinishedEpisodes(*columns, steps=tuple(steps)))


def test_starts_are_the_papers_and_those_beside_them():
    _, found = kinds(teacher(), 1_500, 0)
    expected = {"held": 0.12, "under": 0.24, "anywhere": 0.24, "other-held": 0.1, "beside-held": 0.1, "tower": 0.2}
    assert shares(found) == pytest.approx(expected, abs=0.04)


def test_starts_become_random_over_the_second_half():
    asked = teacher(added_starts=0.0)
    assert shares(kinds(asked, 500, 750)[1]) == pytest.approx({"held": 0.1, "under": 0.2, "anywhere": 0.7}, abs=0.07)
    assert shares(kinds(asked, 50, 999)[1])["anywhere"] > 0.9


def test_the_own_block_is_mastered_or_half_of_the_steps_are_over():
    late = teacher()
    late.propose(np.arange(1), 499)
    assert late.phase == Phase.OWN_BLOCK
    late.propose(np.arange(1), 500)
    assert late.phase == Phase.ALL_BLOCKS
    early = teacher(added_starts=0.0)
    proposals, _ = kinds(early, 400, 0)
    ended(early, proposals, lambda number: number % 20 > 0, are_others_there=False)
    early.propose(np.arange(1), 10)
    assert early.phase == Phase.ALL_BLOCKS, "others do not count yet"
    early.propose(np.arange(1), 1_000)
    assert early.phase == Phase.PROGRAMS


def test_kinds_weigh_by_what_is_not_solved_yet():
    asked = teacher(added_starts=0.0)
    proposals, found = kinds(asked, 600, 0)
    ended(asked, proposals, lambda number: found[number] != "anywhere")
    expected = {"held": 0.04 / 0.52, "under": 0.08 / 0.52, "anywhere": 0.4 / 0.52}
    assert shares(kinds(asked, 1_000, 1)[1]) == pytest.approx(expected, abs=0.05)


def test_measures_tell_kinds_and_blocks_apart():
    asked = teacher(added_starts=0.0)
    proposals, _ = kinds(asked, 100, 0)
    ended(asked, proposals, lambda number: True, are_others_there=False)
    measured = asked.learn(None)
    assert (measured["own_under"], measured["others_under"], measured["success_under"]) == (1, 0, 0)
    assert set(asked.learn(None)) == {"phase", "states_kept"}, "none since"


def test_rows_with_noise_are_not_measured():
    asked = teacher(greedy_rows=0)
    proposals, _ = kinds(asked, 20, 0)
    ended(asked, proposals, lambda number: True)
    assert set(asked.learn(None)) == {"phase", "states_kept"}


@pytest.fixture(scope="module")
def last_states():
    """States in which episodes of ten steps have ended."""
    env = gymnasium.make("FetchBlocks-v0", randomness=1.0).unwrapped
    states = []
    for seed in range(8):
        env.reset(seed=seed)
        for _ in range(10):
            env.step(env.action_space.sample() * 0)
        states.append(env.save_state())
    env.close()
    return states


def programs_of(task):
    """Names of the programs whose goal a task has, from a state."""
    return [name for name, one in PROGRAMS.items() if one.is_atomic and one.blocks[0] == task.first]


def test_half_of_the_calls_go_on_from_stored_states(last_states):
    asked = teacher()
    asked.keep(last_states)
    assert not asked._states, "none is stored before programs are learned"
    asked.propose(np.arange(1), 1_000)
    asked.keep(last_states)
    assert len(asked._states) == 6, "the newest"
    proposals, found = kinds(asked, 400, 1_001)
    # Nothing is held: stacks on what is held become other stacks.
    expected = {"stack": 0.25, "move": 0.25, "stack-continued": 0.33, "move-continued": 0.17}
    assert shares(found) == pytest.approx(expected, abs=0.08)
    for one, kind in zip(proposals, found):
        assert (one.state is not None) == kind.endswith("-continued")
        if one.state is None:
            continue
        state = one.state.values["state"]
        assert (one.state.elapsed, one.state.ended) == (0, False), "its own 50 steps"
        goal = one.task.goal.ravel()
        called = [PROGRAMS[name] for name in programs_of(one.task)]
        assert any(
            program.precondition(state)
            and np.array_equal(program.goal(state), goal)
            and not program.postcondition(state, goal)
            for program in called
        )
        assert not goal_reached(state[:60].reshape(4, 15)[:, :3].ravel(), goal)


def test_a_third_of_the_stored_states_calls_stack_on_what_is_held():
    asked = teacher(continued=1.0)
    env = gymnasium.make("FetchBlocks-v0", randomness=0.0).unwrapped
    states, seed = [], 0
    while len(states) < 6:
        env.reset(seed=seed)
        seed += 1
        distances = np.linalg.norm(env.save_state().values["state"][:60].reshape(4, 15)[:, 6:9], axis=1)
        if distances.min() < 0.01:
            states.append(env.save_state())
    env.close()
    asked.propose(np.arange(1), 1_000)
    asked.keep(states)
    proposals, found = kinds(asked, 200, 1_001)
    assert shares(found)["on-held-continued"] == pytest.approx(1 / 3, abs=0.08)
    for one, kind in zip(proposals, found):
        if kind == "on-held-continued":
            blocks = one.state.values["state"][:60].reshape(4, 15)
            held = int(np.linalg.norm(blocks[:, 6:9], axis=1).argmin())
            above = one.task.goal[one.task.first] - one.task.goal[held]
            assert one.task.first != held and above == pytest.approx([0, 0, 0.05], abs=0.002)


def test_a_restored_teacher_goes_on_exactly(last_states):
    asked, other = teacher(), teacher()
    for step in (0, 600, 1_000):
        proposals, _ = kinds(asked, 40, step)
        ended(asked, proposals[:20], lambda number: number % 2)
        asked.keep(last_states)
    arrays, values = asked.state()
    other.propose(np.arange(3), 0)
    other.restore({name: array.copy() for name, array in arrays.items()}, values)
    for one in (asked, other):
        one.learn(None)
    drawn = [one.propose(np.arange(30), 1_200) for one in (asked, other)]
    assert [one.task.fingerprint() for one in drawn[0]] == [one.task.fingerprint() for one in drawn[1]]
    assert asked._outcomes == other._outcomes and asked._playing == other._playing
    states = [[one.state.values["state"].tolist() for one in part if one.state] for part in drawn]
    assert states[0] and states[0] == states[1]
