"""ThreadedVectorEnv keeps all that the conformance suite asks, and is the same for any number of threads."""

import copy
import gc
import os
import pickle
import signal
import threading
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.own_code import EndedProgramError
from procgen_bench.engine.processors import ONE_THREAD
from tests.engine.process_tree import comes_true
from tests.engine.threaded_families import GridWorldThreadedVectorEnv, make_faulty, make_threaded_vec
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import state_checks, vector_checks
from tests.envs.conformance.trajectory import assert_equal, play_vector
from tests.envs.conformance.vector_checks import row_of

modes = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
ROWS, CULPRIT = 5, 3
OTHERS = [row for row in range(ROWS) if row != CULPRIT]
#: Walks along the upper wall, where nothing ends an episode.
STAY = np.full(ROWS, 3)
make_single = partial(gymnasium.make, "GridWorld-v0")


def started(fault: str, **options):
    """Five rows and two threads; row 3 is at fault in its third step."""
    env = make_faulty(num_envs=ROWS, num_threads=2, fault=fault, culprit=CULPRIT, tasks="targets/C", **options)
    env.reset(seed=0)
    return env


@modes
def test_rows_equal_single(mode):
    threads = {AutoresetMode.NEXT_STEP: 1, AutoresetMode.SAME_STEP: 2, AutoresetMode.DISABLED: 3}[mode]
    vector_checks.check_rows_equal_single(partial(make_threaded_vec, num_threads=threads), make_single, mode)


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_equals_native(num_threads):
    options = {"num_envs": ROWS, "autoreset_mode": AutoresetMode.SAME_STEP, "max_episode_steps": 9, "tasks": "graded"}
    ours = make_threaded_vec(num_threads=num_threads, **options)
    native = gymnasium.make_vec("GridWorld-v0", vectorization_mode="vector_entry_point", **options)
    assert_equal(play_vector(ours, 3, 40), play_vector(native, 3, 40), "the threaded form differs from the native one")
    assert ours.tasks == native.unwrapped.tasks


def test_saved_states_go_on():
    state_checks.check_rows_go_on(make_threaded_vec, make_single)


def test_copies():
    checks.check_copies(partial(make_threaded_vec, num_envs=5, num_threads=2), play_vector, 40)


def test_copies_go_on_in_the_middle_of_an_episode():
    env = make_threaded_vec(num_envs=3, num_threads=2, max_episode_steps=10)
    play_vector(env, 5, 33)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for actions in np.random.default_rng(0).integers(4, size=(30, 3)):
        expected = env.step(actions)
        for twin in twins:
            assert_equal(twin.step(actions), expected, "a copy continues differently")


def test_error_of_a_row_keeps_its_type_and_the_other_rows_go_on():
    env, undisturbed = started("error"), started("")
    for _ in range(2):
        assert_equal(env.step(STAY), undisturbed.step(STAY), "no fault yet")
    with pytest.raises(ArithmeticError, match="the world fell apart") as caught:
        env.step(STAY)
    assert caught.value.__notes__ == ["In row 3."]
    undisturbed.step(STAY)
    for _ in range(20):
        ours, expected = env.step(STAY), undisturbed.step(STAY)
        for row in OTHERS:
            assert_equal(row_of(ours[0], row), row_of(expected[0], row), "the error disturbed another row")
            assert_equal([part[row] for part in ours[1:4]], [part[row] for part in expected[1:4]], "another row")


@pytest.mark.parametrize("fault", ["leave", "close"])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_what_ends_programs_is_an_error_of_its_row(fault, num_threads):
    env = make_faulty(num_envs=3, num_threads=num_threads, fault=fault, culprit=2, step=1)
    env.reset(seed=0)
    with pytest.raises(EndedProgramError, match=r"may not end the program: .*faulty_grid_world\.py, line \d+"):
        env.step([0, 0, 0])
    env.step([0, 0, 0])


def test_further_infos_are_reported():
    env = started("reason")
    for _ in range(3):
        *_, truncations, infos = env.step(STAY)
    assert truncations.tolist() == infos["_reason"].tolist() == [row == CULPRIT for row in range(ROWS)]
    assert infos["reason"][CULPRIT] == "diverged"


def test_a_reset_that_fails_in_a_row_leaves_all_rows_as_they_were():
    env, undisturbed = (make_faulty(num_envs=3, fault="reset", culprit=99) for _ in range(2))
    for one in (env, undisturbed):
        one.reset(seed=0)
        one.step([0, 1, 2])
    with pytest.raises(LookupError, match="the world fell apart in reset"):
        env.reset(seed=[5, 6, 99])
    env.simulation._rows[2].at_fault = False
    for actions in np.random.default_rng(0).integers(4, size=(30, 3)):
        assert_equal(env.step(actions), undisturbed.step(actions), "the failed reset changed the episodes")


@pytest.mark.usefixtures("heeds_interruptions")
def test_ctrl_c_counts_when_all_rows_are_done():
    env, undisturbed = started("sleep"), started("")
    for _ in range(2):
        env.step(STAY), undisturbed.step(STAY)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        env.step(STAY)
    undisturbed.step(STAY)
    assert env.simulation.elapsed.tolist() == undisturbed.simulation.elapsed.tolist() == [3] * ROWS
    env.step(STAY)


def test_threads_end_with_the_environment():
    def others() -> int:
        return sum(thread.name.startswith("procgen_bench-row") for thread in threading.enumerate())

    gc.collect()
    assert comes_true(lambda: others() == 0)
    env = started("")
    assert others() == 1
    env.close()
    env.close()
    assert others() == 0
    with pytest.raises(ClosedEnvironmentError):
        env.step(STAY)
    env = started("")
    del env
    gc.collect()
    assert comes_true(lambda: others() == 0)


# From Python 3.12 on, forking warns where there are threads.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    env = started("")
    env.step(STAY)
    child = os.fork()
    if not child:
        code = 1
        try:
            env.step(STAY)
            code = 0
        finally:
            os._exit(code)
    assert comes_true(lambda: os.waitpid(child, os.WNOHANG) == (child, 0)), "it hangs, or failed"


def test_threads_are_as_many_as_processors_but_no_more_than_rows(monkeypatch):
    usable = len(os.sched_getaffinity(0))
    monkeypatch.delenv("PROCGEN_BENCH_THREADS", raising=False)
    assert make_threaded_vec(num_envs=1).simulation.num_threads == 1
    assert make_threaded_vec(num_envs=usable + 1).simulation.num_threads == usable
    monkeypatch.setenv("PROCGEN_BENCH_THREADS", "1")  # as in worker processes
    assert make_threaded_vec(num_envs=usable + 1).simulation.num_threads == 1
    assert ONE_THREAD["PROCGEN_BENCH_THREADS"] == "1"


@pytest.mark.parametrize("num_threads", [0, -1, True, 1.0, "two", 4])
def test_bad_number_of_threads_is_refused(num_threads):
    with pytest.raises(InvalidOptionError, match=f"num_threads is {num_threads!r}, expected"):
        GridWorldThreadedVectorEnv(num_envs=3, num_threads=num_threads)
