"""The level buffer: its replay distribution against the formula by hand, what it takes in, and what it throws out."""

import numpy as np
import pytest

from procgen_bench.baselines.curricula.level_buffer import Candidate, RankedLevelBuffer
from tests.baselines.curricula.students import levels_of

LEVELS = levels_of("grid-world/graded", solvable=True)
TASKS = LEVELS.draw(np.random.default_rng(0), 60)


def filled(scores, capacity=50, temperature=0.5, staleness=0.0) -> RankedLevelBuffer:
    buffer = RankedLevelBuffer(capacity, temperature, staleness)
    buffer.offer([Candidate(100 + i, TASKS[i], score, max_return=score) for i, score in enumerate(scores)])
    return buffer


def test_levels_are_replayed_by_the_rank_of_their_scores():
    weights = np.array([1 / 4, 1, 1 / 9])  # ranks 2, 1, 3 to the power of 1 / 0.5
    assert filled([0.2, 7.0, 0.1]).replay_distribution() == pytest.approx(weights / weights.sum())


def test_a_share_goes_to_levels_in_proportion_to_their_staleness():
    buffer = filled([3.0, 2.0, 1.0], temperature=1.0, staleness=0.4)
    by_score = np.array([6, 3, 2]) / 11
    assert buffer.replay_distribution() == pytest.approx(0.6 * by_score + 0.4 / 3)  # none is staler than another
    first = buffer.draw(np.random.default_rng(0), 1)[0]
    second = buffer.draw(np.random.default_rng(1), 1)[0]
    assert first != second
    ages = np.array([2.0, 2.0, 2.0])
    ages[first], ages[second] = 1, 0
    assert buffer.replay_distribution() == pytest.approx(0.6 * by_score + 0.4 * ages / ages.sum())


def test_draws_follow_the_distribution():
    buffer = filled([0.2, 7.0, 0.1], temperature=1.0)
    drawn = np.bincount(buffer.draw(np.random.default_rng(0), 20_000), minlength=3) / 20_000
    assert drawn == pytest.approx(np.array([3, 6, 2]) / 11, abs=0.01)


@pytest.mark.parametrize("staleness", [0.3, 0.0])
def test_staleness_brings_every_level_back(staleness):
    buffer, rng = filled(np.arange(50.0), temperature=0.3, staleness=staleness), np.random.default_rng(0)
    replayed = {slot for _ in range(400) for slot in buffer.draw(rng, 1).tolist()}
    assert (len(replayed) == 50) == (staleness > 0)


def test_a_full_buffer_replaces_the_least_likely_by_what_scores_higher():
    buffer = filled([5.0, 1.0, 3.0], capacity=3)
    assert buffer.offer([Candidate(7, TASKS[10], 0.5, 0.5), Candidate(8, TASKS[11], 2.0, 2.0)]) == 1
    assert buffer.slot(101) is None and buffer.slot(7) is None
    assert buffer.level(buffer.slot(8)) == (8, TASKS[11])
    assert sorted(buffer.scores) == [2.0, 3.0, 5.0]


def test_the_same_level_is_kept_once_and_scored_anew():
    buffer = filled([5.0, 1.0])
    assert buffer.offer([Candidate(9, TASKS[1], 8.0, 0.5)]) == 0
    assert len(buffer) == 2 and buffer.slot(9) is None
    assert buffer.scores[:2].tolist() == [5.0, 8.0]
    assert buffer.max_returns[1] == 1.0
    assert buffer.offer([Candidate(9, TASKS[2], 1.0, 1.0), Candidate(10, TASKS[2], 1.0, 1.0)]) == 1


def test_equal_scores_make_way_for_newer_levels():
    buffer = filled([1.0, 1.0], capacity=2)
    assert buffer.offer([Candidate(7, TASKS[10], 1.0, 1.0)]) == 1
    assert buffer.slot(7) is not None


def test_a_kept_level_that_was_drawn_again_is_stale_no_longer():
    buffer = filled([2.0, 1.0], temperature=1.0, staleness=0.5)
    buffer._replays = 6  # neither was replayed in the last six
    buffer.offer([Candidate(7, TASKS[0], 2.0, 2.0)])
    assert buffer.replay_distribution() == pytest.approx([0.5 * 2 / 3, 0.5 * 1 / 3 + 0.5])


def test_it_never_holds_more_than_its_capacity():
    buffer, rng = filled([], capacity=20), np.random.default_rng(0)
    for start in range(0, 60, 15):
        candidates = [Candidate(i, TASKS[i], rng.random(), 0.0) for i in range(start, start + 15)]
        buffer.offer(candidates)
    assert len(buffer) == 20
    assert all(buffer.slot(buffer.level(slot)[0]) == slot for slot in range(20))


def test_a_restored_buffer_is_the_same():
    buffer, rng = filled(np.arange(30.0), capacity=30, staleness=0.3), np.random.default_rng(0)
    buffer.draw(rng, 40)
    other = filled(np.arange(5.0), capacity=30, staleness=0.3)
    other.restore(LEVELS.task_space, buffer.state(LEVELS.task_space))
    more = [Candidate(i, TASKS[i], 10.0 * i, 0.0) for i in range(20, 40)]
    assert buffer.offer(more) == other.offer(more)
    assert np.array_equal(buffer.replay_distribution(), other.replay_distribution())
    assert [buffer.level(slot) for slot in range(30)] == [other.level(slot) for slot in range(30)]


def test_a_new_level_is_not_stale_whether_there_is_room_or_it_takes_anothers_place():
    buffer = filled([2.0, 1.0], capacity=3, temperature=1.0, staleness=0.5)
    buffer._replays = 6  # neither was replayed in the last six
    buffer.offer([Candidate(7, TASKS[10], 3.0, 3.0)])
    assert buffer.replay_distribution() == pytest.approx(0.5 * np.array([3, 2, 6]) / 11 + [0.25, 0.25, 0])
    buffer.scores[1] = 0.0
    buffer._last_replays[:] = [2, 6, 6]
    buffer.offer([Candidate(8, TASKS[11], 1.0, 1.0)])
    assert buffer.slot(8) == 1
    assert buffer.replay_distribution() == pytest.approx(0.5 * np.array([3, 2, 6]) / 11 + [0.5, 0, 0])


def test_replays_at_once_count_one_by_one():
    buffer = filled(np.ones(4), temperature=1e6, staleness=0.5)
    slots = buffer.draw(np.random.default_rng(0), 3).tolist()
    last = {slot: place + 1 for place, slot in enumerate(slots)}
    ages = np.array([3.0 - last.get(slot, 0) for slot in range(4)])
    assert buffer.replay_distribution() == pytest.approx(0.5 / 4 + 0.5 * ages / ages.sum(), abs=1e-5)


def test_what_is_removed_is_gone_and_the_others_stay_as_they_were():
    buffer = filled([2.0, 1.0, 3.0, 4.0], temperature=1.0, staleness=0.5)
    buffer.draw(np.random.default_rng(0), 3)
    before = {buffer.level(slot): (buffer.scores[slot], buffer._last_replays[slot]) for slot in (0, 2, 3)}
    buffer.remove(1)
    assert len(buffer) == 3 and buffer.slot(101) is None
    assert before == {
        buffer.level(slot): (buffer.scores[slot], buffer._last_replays[slot])
        for slot in map(buffer.slot, (100, 102, 103))
    }
    assert buffer.offer([Candidate(7, TASKS[1], 1.0, 1.0)]) == 1, "it may come again"
    for number in (103, 7, 100, 102):
        buffer.remove(buffer.slot(number))
    assert len(buffer) == 0


def test_what_is_admitted_replaces_the_least_likely_only_where_there_is_no_room():
    buffer = filled([5.0, 1.0, 3.0], capacity=4)
    buffer.admit(Candidate(7, TASKS[10], 0.5, 0.5))
    assert len(buffer) == 4 and buffer.slot(7) is not None
    buffer.admit(Candidate(8, TASKS[11], 0.1, 0.1))
    assert len(buffer) == 4 and buffer.slot(7) is None and buffer.slot(8) is not None
    buffer.admit(Candidate(9, TASKS[0], 9.0, 9.0))
    assert len(buffer) == 4 and buffer.slot(9) is None, "that level is kept already"
