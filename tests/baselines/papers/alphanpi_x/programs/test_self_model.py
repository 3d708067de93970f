"""Models learned from calls: what the mean and what the median make of calls that fail, and how they are measured."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.recorded_calls import RecordedCalls, record_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.self_model import SelfModel
from procgen_bench.baselines.papers.alphanpi_x.programs.starts import DrawnStarts
from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.programs.states import block_positions
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY
from tests.baselines.papers.alphanpi_x.programs.model_agreement import ForeseenCalls, foresee

ATOMIC = np.array([program.number for program in LIBRARY.values() if program.is_atomic])


def symbolic_calls(failing):
    """2,000 calls, of which this share leaves all as it was."""
    rng = np.random.default_rng(0)
    programs = rng.choice(ATOMIC, 2_000)
    before = DrawnStarts(LIBRARY).draw(rng, programs)
    after = SymbolicModel(LIBRARY).predict(before, programs)
    fails = rng.random(len(programs)) < failing
    after[fails] = before[fails]
    return RecordedCalls(before, after, programs, np.zeros(len(programs), np.bool_))


def fitted(calls, loss, width, epochs):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = SelfModel(LIBRARY, width)
    model.fit(calls, loss, epochs, np.random.default_rng(1))
    return model


def test_what_is_seen_and_what_changes_is_divided_by_its_deviation_and_a_thousandth():
    """Of calls of two programs, of which each moves its own block: the model knows it as the first one."""
    rng = np.random.default_rng(0)
    moved = {program.blocks[0]: program.number for program in LIBRARY.values() if program.is_atomic}
    programs = np.resize([moved[0], moved[1]], 200)
    before = DrawnStarts(LIBRARY).draw(rng, programs)
    after = SymbolicModel(LIBRARY).predict(before, programs)
    model = fitted(RecordedCalls(before, after, programs, programs < 0), "mean", width=8, epochs=1)
    learned = np.random.default_rng(1).permutation(200)[10:]  # a twentieth is held out
    blocks, changes = (
        np.array([np.roll(array[call, :30].reshape(2, 15), -(call % 2), axis=0).ravel() for call in learned])
        for array in (before, after - before)
    )
    assert model.mean[:30].numpy() == pytest.approx(blocks.mean(axis=0), abs=1e-4)
    assert model.spread[:30].numpy() == pytest.approx(blocks.std(axis=0) + 0.001, abs=1e-4)
    assert model.change_mean[:30].numpy() == pytest.approx(changes.mean(axis=0), abs=1e-4)
    assert model.change_spread[:30].numpy() == pytest.approx(changes.std(axis=0) + 0.001, abs=1e-4)
    never = changes.std(axis=0) == 0
    assert never.any() and model.change_spread[:30][torch.from_numpy(never)].numpy() == pytest.approx(0.001)


@pytest.mark.parametrize(("loss", "share"), [("median", 1.0), ("mean", 0.7)])
def test_of_calls_that_fail_in_three_of_ten_the_mean_is_no_outcome_and_the_median_is_one(loss, share):
    """From one start a block goes the whole way or stays; the mean has it stop after 0.7 of it, where it never is."""
    programs = np.full(500, ATOMIC[0])
    before = np.repeat(DrawnStarts(LIBRARY).draw(np.random.default_rng(0), programs[:1]), len(programs), axis=0)
    achieved = SymbolicModel(LIBRARY).predict(before, programs)
    after = np.where(np.arange(len(programs))[:, np.newaxis] % 10 < 3, before, achieved)
    model = fitted(RecordedCalls(before, after, programs, programs < 0), loss, width=32, epochs=200)
    foreseen, way = (block_positions(one[0] - before[0])[0] for one in (model.predict(before, programs), achieved))
    assert foreseen == pytest.approx(share * way, abs=0.05 * np.linalg.norm(way))


@pytest.mark.parametrize("failing", [0.0, 0.35])
def test_agreement_is_the_share_of_calls_that_come_out_as_foreseen(failing):
    model, calls = SelfModel(LIBRARY, width=8), symbolic_calls(failing)
    model.predict = SymbolicModel(LIBRARY).predict
    found = model._agreement(calls, np.arange(len(calls)))
    assert found == pytest.approx({"agreement_move": 1 - failing, "agreement_stack": 1 - failing}, abs=0.05)


def foreseen_share(loss, failing):
    """The share of calls whose success the model foresees, of new ones."""
    model = fitted(symbolic_calls(failing), loss, width=128, epochs=80)
    rng = np.random.default_rng(2)
    programs = rng.choice(ATOMIC, 300)
    before = DrawnStarts(LIBRARY).draw(rng, programs)
    goals = LIBRARY.goals(before, programs[:, np.newaxis])
    after = model.predict(before, programs)
    return LIBRARY.postconditions(after, goals, programs[:, np.newaxis]).mean()


@pytest.mark.slow
def test_the_median_foresees_success_where_the_mean_foresees_neither_success_nor_failure():
    assert foreseen_share("mean", 0.0) >= 0.9
    assert foreseen_share("mean", 0.35) <= 0.5
    assert foreseen_share("median", 0.35) >= 0.9


def test_unknown_losses_are_refused():
    with pytest.raises(InvalidOptionError, match="loss is 'mode', expected one of mean, median"):
        SelfModel(LIBRARY).fit(symbolic_calls(0.0), "mode", 1, np.random.default_rng(0))


def test_calls_are_recorded_from_random_starts_and_where_others_ended():
    calls = record_calls(LIBRARY, ScriptedAtomicPolicy(), 16, np.random.default_rng(0), rows=4)
    numbers = calls.programs[:, np.newaxis]
    assert LIBRARY.preconditions(calls.before, numbers).all()
    assert LIBRARY.postconditions(calls.after, LIBRARY.goals(calls.before, numbers), numbers).mean() >= 0.8
    assert 0 < calls.continued.sum() < len(calls)
    assert all(any(np.array_equal(state, other) for other in calls.after) for state in calls.before[calls.continued])


def test_agreement_of_the_symbolic_model_with_the_expert():
    calls = foresee(SymbolicModel(LIBRARY), LIBRARY, ScriptedAtomicPolicy(), 4, np.random.default_rng(0))
    assert set(calls.length) == {1, 2, 3, 4}
    assert calls.foreseen.all() and calls.real.mean() >= 0.75
    assert np.nanmean(calls.agreement()) == pytest.approx(calls.real.mean(), abs=0.1)


def test_agreement_and_calibration_count_as_they_say():
    calls = ForeseenCalls(
        np.array([1, 1, 2, 4]),
        np.array([True, False, True, False]),
        np.array([True, True, False, False]),
        np.array([0.001, 0.06, 0.015, 0.2]),
    )
    assert np.array_equal(calls.agreement(), [0.5, 0.0, np.nan, 1.0], equal_nan=True)
    counted = {bound: (count, share) for bound, count, share in calls.calibration() if count}
    assert counted == {0.01: (1, 1.0), 0.02: (1, 0.0), 0.1: (1, 1.0), np.inf: (1, 0.0)}
