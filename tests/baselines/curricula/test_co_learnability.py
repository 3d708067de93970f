"""Levels are credited with what they teach for those that are played next: by hand."""

import numpy as np
import pytest

from procgen_bench.baselines.curricula.co_learnability import CoLearnability
from procgen_bench.baselines.curricula.level_buffer import Candidate, RankedLevelBuffer
from tests.baselines.curricula.students import levels_of

TASKS = levels_of("grid-world/graded", solvable=True).draw(np.random.default_rng(0), 3)


def made():
    """A buffer of the levels 0, 1 and 2, all of which score 1."""
    buffer = RankedLevelBuffer(4, temperature=0.3, staleness=0.3)
    buffer.offer([Candidate(number, task, 1.0, 0.0) for number, task in enumerate(TASKS)])
    return buffer, CoLearnability()


def play(buffer, credits, played):
    for number, score in played.items():
        if buffer.slot(number) is not None:
            buffer.rescore(buffer.slot(number), score, 0.0)
    credits.credit(buffer, played)


def test_levels_earn_the_mean_fall_of_what_is_played_next():
    buffer, credits = made()
    play(buffer, credits, {0: 1.0, 1: 1.0, 2: 1.0})
    assert buffer.scores[:3].tolist() == [1.0, 1.0, 1.0], "none has fallen"
    play(buffer, credits, {0: 0.5})
    assert buffer.scores[:3].tolist() == [1.0, 1.5, 1.5], "level 0 fell by 0.5, with which all before it are credited"
    play(buffer, credits, {1: 0.75, 2: 1.25})
    assert buffer.scores[:3].tolist() == [1.0, 0.75, 1.25], "falls count from scores without credit: 0.25 and -0.25"
    play(buffer, credits, {0: 0.25})
    assert buffer.scores[:3].tolist() == pytest.approx([0.25, 1.0, 1.5])


def test_levels_that_are_not_kept_neither_earn_nor_count():
    buffer, credits = made()
    play(buffer, credits, {0: 1.0, 7: 1.0})
    play(buffer, credits, {1: 0.0, 7: 0.0})
    play(buffer, credits, {1: -0.5, 7: -9.0})
    assert buffer.scores[:3].tolist() == [1.0, 0.0, 1.0], "1, credited with its own fall"
    play(buffer, credits, {7: 0.0})
    assert buffer.scores[:3].tolist() == [1.0, 0.0, 1.0], "no level that is kept was played"


def test_it_goes_on_from_its_state():
    buffer, credits = made()
    play(buffer, credits, {0: 1.0, 1: 1.0})
    again = CoLearnability()
    again.restore(credits.state())
    for one in (credits, again):
        copied = made()[0]
        play(copied, one, {1: 0.5})
        assert copied.scores[:3].tolist() == [1.5, 1.0, 1.0]
