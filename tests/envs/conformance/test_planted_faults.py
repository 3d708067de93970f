"""The test of the tests: every planted fault is caught by the check that is meant for it, a healthy one by none."""

from functools import partial

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.conformance import planted_faults as planted
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import vector_checks
from tests.envs.conformance.trajectory import play_vector

SHORTER = partial(gymnasium.make, planted.ID, max_episode_steps=49)

SINGLE_FAULTS = [
    (planted.RandomAfterTwoSteps, checks.check_repeats_in_another_process, "different trajectories"),
    (planted.RandomAfterTwoSteps, checks.check_seed_decides, "the second time"),
    (planted.Jitter, checks.check_repeats_in_another_process, "different trajectories"),
    (planted.Jitter, checks.check_reset_leaves_nothing_behind, "first differ at"),
    (planted.DependsOnHashSeed, checks.check_repeats_in_another_process, "different trajectories"),
    (planted.DependsOnThreads, checks.check_repeats_in_another_process, "different trajectories"),
    (planted.DependsOnPreviousEpisode, checks.check_reset_leaves_nothing_behind, "an earlier episode left traces"),
    (planted.IgnoresSeed, checks.check_repeats_in_another_process, "different trajectories"),
    (planted.IgnoresSeed, checks.check_seed_decides, "the second time"),
    (planted.AlwaysOneSeed, checks.check_seed_decides, "the seed is ignored"),
    (planted.IgnoresTask, checks.check_tasks_at_reset, "another is in the environment"),
    (planted.SaysAllCanBeSolved, checks.check_solvable_tasks, "3 of 3 drawn tasks cannot be solved"),
    (planted.LeavesSpaceLate, checks.check_spaces_hold_every_observation, "lies outside"),
    (planted.WrongDtypeLate, checks.check_spaces_hold_every_observation, "has dtype float16"),
    (planted.EndsEarly, checks.check_time_limit, "truncated is True at step 49"),
    (SHORTER, checks.check_time_limit, "the spec says 49 steps"),
    (planted.ForgetsWhenCopied, checks.check_copies, "environment plays differently"),
    (planted.SharedSpaces, checks.check_instances_share_nothing, "disturbed another's"),
    (planted.SpecOfAnother, checks.check_spec_round_trip, "made from the spec differs"),
    (planted.RenderingActs, checks.check_rendering, "changed the trajectory"),
    (planted.FrozenFrames, checks.check_rendering, "frames are the same"),
]

VECTOR_FAULTS = [
    (planted.RewardOfOneRowDrifts, AutoresetMode.NEXT_STEP, "row 3, step 61"),
    (planted.RewardOfOneRowDrifts, AutoresetMode.SAME_STEP, "row 3, step 61"),
    (planted.RewardOfOneRowDrifts, AutoresetMode.DISABLED, "row 3, step 61"),
    (planted.RowsShareATask, AutoresetMode.NEXT_STEP, "the observation differs"),
    (planted.LimitOneLater, AutoresetMode.NEXT_STEP, "step 50"),
    (planted.OtherInfoLate, AutoresetMode.DISABLED, "row 2, step 61"),
    (planted.FinalObservationOfNextEpisode, AutoresetMode.SAME_STEP, "the final observation differs"),
]


def named(fault) -> str:
    return getattr(fault, "__name__", "time_limit_49")


@pytest.mark.parametrize(
    ("fault", "check", "complaint"), SINGLE_FAULTS, ids=[f"{named(f)}-{c.__name__}" for f, c, _ in SINGLE_FAULTS]
)
def test_fault_is_caught(fault, check, complaint, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with pytest.raises(AssertionError, match=complaint):
        check(fault)


def test_second_close_that_raises_is_caught():
    with pytest.raises(ValueError, match="closed already"):
        checks.check_close(planted.ClosesOnce)


@pytest.mark.parametrize(
    ("fault", "check"), [(planted.StepsAfterClose, checks.check_close), (planted.TakesAnySeed, checks.check_seed_types)]
)
def test_what_is_not_refused_is_caught(fault, check):
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check(fault)
    check(planted.Faulty)


@pytest.mark.parametrize(("fault", "mode", "complaint"), VECTOR_FAULTS)
def test_row_that_differs_is_caught(fault, mode, complaint):
    with pytest.raises(AssertionError, match=complaint):
        vector_checks.check_rows_equal_single(fault, planted.make_healthy, mode)


@pytest.mark.parametrize("fault", [planted.RewardOfOneRowDrifts, planted.LimitOneLater, planted.OtherInfoLate])
def test_difference_from_sync_is_caught(fault):
    with pytest.raises(AssertionError, match="SyncVectorEnv"):
        vector_checks.check_equals_sync(fault, planted.make_healthy, AutoresetMode.NEXT_STEP)


def test_vector_history_is_caught():
    with pytest.raises(AssertionError, match="an earlier episode left traces"):
        vector_checks.check_vector_reset_leaves_nothing_behind(planted.VectorDependsOnHistory)


def test_own_generator_that_is_not_seeded_is_caught():
    with pytest.raises(AssertionError, match="np_random is not the generator of seed 7"):
        vector_checks.check_own_generator_is_seeded(planted.OwnGeneratorGoesOn)


def test_batch_of_another_dtype_is_caught():
    with pytest.raises(AssertionError, match="has dtype float64"):
        vector_checks.check_batched_spaces_hold(planted.BatchOfDoubles, AutoresetMode.NEXT_STEP)


@pytest.mark.slow
def test_wrapper_without_fault_passes(monkeypatch):
    """What catches the faults is the fault, not the wrapping."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for check in {check for _, check, _ in SINGLE_FAULTS} - {checks.check_spec_round_trip}:
        check(planted.Faulty)
    checks.check_spec_round_trip(planted.make_healthy)
    for mode in AutoresetMode:
        vector_checks.check_rows_equal_single(planted.FaultyVector, planted.make_healthy, mode)
        vector_checks.check_equals_sync(planted.FaultyVector, planted.make_healthy, mode)
        vector_checks.check_batched_spaces_hold(planted.FaultyVector, mode)
    vector_checks.check_vector_reset_leaves_nothing_behind(planted.FaultyVector)
    vector_checks.check_own_generator_is_seeded(planted.FaultyVector)
    checks.check_repeats_in_another_process(partial(planted.FaultyVector, num_envs=2), play_vector, steps=10)
