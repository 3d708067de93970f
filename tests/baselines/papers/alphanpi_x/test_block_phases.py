"""What is proposed in the phases of stage 1, and how success by kind is measured and weighs."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.block_learner import Phase
from procgen_bench.baselines.papers.alphanpi_x.block_phases import (
    CONTINUED_CALLS,
    BlockPhasesTeacher,
    PhaseSettings,
    continued_kind,
)
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask
from procgen_bench.tasks.programs import PROGRAMS, goal_reached

SETTINGS = PhaseSettings(
    phase_1_steps=1_000,
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
    return proposals, [asked._playing[one.level][0][0] for one in proposals]


def shares(found):
    return {kind: found.count(kind) / len(found) for kind in set(found)}


def ended(asked, proposals, are_own_there, are_others_there=True, hand_at=0.0):
    """Episodes of these proposals, at whose ends blocks are where they are desired or not, and the hand so far off."""
    steps = []
    for number, one in enumerate(proposals):
        first = one.task.first
        goal = np.roll(one.task.goal, -first, axis=0)
        achieved = np.stack([goal + 0.3] * 2)
        achieved[-1, 0] -= 0.3 * are_own_there(number)
        achieved[-1, 1:] -= 0.3 * are_others_there
        state = np.zeros((2, 70))
        state[:, 8] = hand_at
        seen = {"desired_goal": np.stack([goal.ravel()] * 2), "achieved_goal": achieved.reshape(2, -1)}
        seen["observation"] = state
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
    # Nothing is held, and there is no tower: calls of those kinds become others.
    assert shares(found) == pytest.approx({"stack": 0.25, "move": 0.25, "free-continued": 0.5}, abs=0.08)
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


def at_tower(holding):
    """A state at whose start block 1 stands on block 0 and the hand is round ``holding``, or far from all blocks."""
    places = np.array([[1.3, 0.6, 0.425], [1.3, 0.6, 0.475], [1.2, 0.9, 0.425], [1.4, 0.9, 0.425]])
    hand = np.array([1.3, 0.75, 0.6]) if holding is None else places[holding]
    blocks = np.zeros((4, 15))
    blocks[:, :3], blocks[:, 6:9] = places, places - hand
    return np.concatenate([blocks.ravel(), hand, np.zeros(7)])


@pytest.mark.parametrize(
    ("holding", "program", "kind"),
    [
        (None, "Stack_3_2", "free-continued"),
        (None, "Stack_3_1", "free-on-tower-continued"),
        (2, "Move_To_Zone_2_BLUE", "held-continued"),
        (2, "Stack_3_2", "held-continued"),
        (2, "Stack_2_1", "held-on-tower-continued"),
        (1, "Move_To_Zone_2_BLUE", "held-stacked-continued"),
        (1, "Stack_3_2", "held-stacked-continued"),
        (1, "Stack_3_1", "held-stacked-on-tower-continued"),
        (0, "Stack_3_1", "held-on-tower-continued"),
    ],
)
def test_kinds_of_continued_calls_are_what_the_hand_holds_and_whether_on_a_tower(holding, program, kind):
    assert continued_kind(at_tower(holding), PROGRAMS[program]) == kind


def test_every_kind_of_continued_call_is_proposed_where_a_state_allows_it(last_states):
    asked = teacher(continued=1.0, states_kept=3)
    asked.propose(np.arange(1), 1_000)
    numbers = [at_tower(holding) for holding in (None, 1, 2)]
    asked.keep([replace(one, values=one.values | {"state": state}) for one, state in zip(last_states, numbers)])
    proposals, found = kinds(asked, 300, 1_001)
    assert set(found) == set(CONTINUED_CALLS)
    assert shares(found) == pytest.approx(dict.fromkeys(CONTINUED_CALLS, 1 / 6), abs=0.07)
    for one, kind in zip(proposals, found):
        called = [PROGRAMS[name] for name in programs_of(one.task)]
        state, goal = one.state.values["state"], one.task.goal.ravel()
        assert kind in {continued_kind(state, each) for each in called if np.array_equal(each.goal(state), goal)}
    ended(asked, proposals, lambda number: "tower" not in found[number])
    weights = shares(kinds(asked, 500, 1_002)[1])
    assert weights["held-stacked-on-tower-continued"] > 3 * weights["held-stacked-continued"], "by what fails"
    measured = asked.learn(None)
    assert measured["success_held-continued"] == 1 and measured["success_free-on-tower-continued"] == 0
    assert 0 < measured["success_stack-continued"] < 1 == measured["success_move-continued"], "fresh beside continued"


def test_released_calls_are_those_that_end_in_place_with_the_hand_off():
    for hand_at, are_own_there, released in ((0.03, True, 0), (0.05, True, 1), (0.05, False, 0)):
        asked = teacher(added_starts=0.0)
        proposals, _ = kinds(asked, 60, 0)
        ended(asked, proposals, lambda number, there=are_own_there: there, hand_at=hand_at)
        measured = asked.learn(None)
        assert (measured["success_under"], measured["released_under"]) == (float(are_own_there), released)


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
