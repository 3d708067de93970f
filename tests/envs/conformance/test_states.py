"""Saved states behind which another part of an environment stands than by default, and after the ends that play meets.

The suite checks every environment's by default.
"""

from functools import partial

import gymnasium
import pytest

from tests.envs.conformance import planted_faults as planted
from tests.envs.conformance import state_checks as checks
from tests.installed import INSTALLED_IDS

OPTIONS = [
    ("BitGrid-v0", {"side": 5}),
    ("SparsePointMaze-v0", {"kind": "track"}),
    ("SparseAntMaze-v0", {"control": "subgoal"}),
    ("CompositionalMiniGrid-v0", {"backend": "minigrid"}),
    ("UEDMaze-v0", {"backend": "minigrid"}),
    ("GMiniWoB-v0", {"backend": "browser"}),
    ("TablePush-v0", {"arm": "sawyer"}),
    ("XLand-v0", {"players": 3, "observation": "state", "co_players": ("clumsy", "hunter")}),
]
MAKERS = [
    pytest.param(
        partial(gymnasium.make, name, **options),
        id=" ".join([name, *map(str, options.values())]),
        marks=pytest.mark.slow if "arm" in options or options.get("backend") == "browser" else (),
    )
    for name, options in OPTIONS
    if name in INSTALLED_IDS
]
#: Environments that random play ends, and the steps within which it does.
ENDING = [(name, steps) for name, steps in (("GridWorld-v0", 200), ("TablePush-v0", 60)) if name in INSTALLED_IDS]


@pytest.mark.parametrize("made", MAKERS)
def test_a_state_goes_on(made):
    checks.check_goes_on(made)


@pytest.mark.parametrize(("environment_id", "steps"), ENDING)
def test_an_end_is_restored(environment_id, steps):
    checks.check_ended(partial(gymnasium.make, environment_id), steps)


@pytest.mark.parametrize(
    ("environment_id", "backend"),
    [("GMiniWoB-v0", "browser"), pytest.param("CompositionalMiniGrid-v0", "minigrid", marks=pytest.mark.slow)],
)
def test_rows_of_a_real_component_go_on(environment_id, backend):
    rows = partial(gymnasium.make_vec, environment_id, vectorization_mode="vector_entry_point", backend=backend)
    checks.check_rows_go_on(rows, partial(gymnasium.make, environment_id, backend=backend))


@pytest.mark.parametrize(
    ("fault", "check", "complaint"),
    [
        (planted.StateForgetsChance, checks.check_goes_on, "restored in itself"),
        (planted.StateMoves, checks.check_goes_on, "the state changed as the episode went on"),
        (planted.StateForgetsSteps, checks.check_goes_on, "another number of steps"),
        (planted.StateForgetsSuccess, partial(checks.check_ended, steps=400), "restored after the end"),
        (planted.StateOutweighsSeed, checks.check_seed_beside_state, "do not follow from the seed|is ignored"),
        (planted.RefusedStateIsLoaded, checks.check_refusals, "left traces"),
    ],
)
def test_a_fault_is_caught(fault, check, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check(fault)


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        (planted.RestoredRowsCountAnew, checks.check_rows_go_on),
        (planted.RestoredRowsTouchOthers, checks.check_rows_go_on),
        (planted.RestoredRowsForgetEnds, checks.check_ended_rows),
    ],
)
def test_a_fault_of_rows_is_caught(fault, check):
    with pytest.raises(AssertionError):
        check(fault, planted.make_healthy)


def test_an_end_that_is_forgotten_is_caught():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        checks.check_ended(planted.StateForgetsEnd, 400)
