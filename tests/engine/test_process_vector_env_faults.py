"""Workers that die, environments that fail, interruptions, and what is left behind."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from procgen_bench.core.errors import ProcgenBenchError, WorkerDiedError
from tests.engine.faulty_grid_world import FaultyGridWorldEnv
from tests.engine.process_families import make_faulty, make_grid_worlds
from tests.engine.process_tree import alive, children, comes_true, descriptors
from tests.envs.conformance.trajectory import CHECKOUT, assert_equal, seeded_space
from tests.envs.conformance.vector_checks import info_of, row_of

ROWS, CULPRIT = 5, 3
OTHERS = [row for row in range(ROWS) if row != CULPRIT]
MODES = [
    pytest.param(mode, id=mode.name, marks=[] if mode == AutoresetMode.SAME_STEP else [pytest.mark.slow])
    for mode in AutoresetMode
]
#: Walks along the upper wall, where nothing ends an episode.
STAY = np.full(ROWS, 3)


@pytest.fixture(autouse=True, scope="module")
def importable_tests():
    """Workers are given this process's path, and import ``FaultyGridWorldEnv``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHECKOUT)
        yield


@pytest.fixture(autouse=True)
def only_workers_of_this_test():
    gc.collect()


def started(fault: str, **options):
    """Five rows in two workers (0 to 2, 3 and 4), of which row 3 is at fault in its third step."""
    env = make_faulty(num_envs=ROWS, num_workers=2, fault=fault, culprit=CULPRIT, tasks="targets/C", **options)
    env.reset(seed=0)
    return env


@pytest.fixture(scope="module")
def healthy_one():
    return started("")


@pytest.fixture
def undisturbed(healthy_one):
    """As :func:`started` without a fault, restarted for every test."""
    healthy_one.reset(seed=0)
    return healthy_one


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("kill", r"-9 \(SIGKILL\); close .* with fewer rows: the system kills what takes the last memory"),
        pytest.param("exit", "3", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 4])
def test_worker_that_dies_in_a_step_is_named(fault, code, step):
    before = children()
    env = started(fault, step=step)
    with pytest.raises(WorkerDiedError, match=rf"worker 1 .* holds rows 3 to 4, ended with exit code {code}") as caught:
        for _ in range(step):
            env.step(STAY)
    assert (caught.value.worker, caught.value.rows) == (1, range(3, 5))
    for call in (lambda: env.step(STAY), env.reset, lambda: env.tasks, lambda: pickle.dumps(env)):
        with pytest.raises(WorkerDiedError, match="worker 1"):
            call()
    env.close()
    env.close()
    assert children() == before


@pytest.mark.slow
def test_worker_that_is_killed_between_calls_is_named():
    before = children()
    env = started("")
    for victim in sorted(children() - before)[:1]:
        os.kill(victim, signal.SIGKILL)
        assert comes_true(lambda: not alive(victim))  # noqa: B023 - called at once
    with pytest.raises(WorkerDiedError, match=r"worker 0 .* holds rows 0 to 2, .* -9 \(SIGKILL\)"):
        env.step(STAY)
    env.close()
    assert children() == before


@pytest.mark.parametrize(
    ("fault", "error"), [pytest.param("error", ArithmeticError, marks=pytest.mark.slow), ("unsendable", RuntimeError)]
)
def test_error_of_a_row_keeps_its_type_and_the_other_rows_go_on(fault, error, undisturbed):
    env = started(fault)
    for _ in range(2):
        assert_equal(env.step(STAY), undisturbed.step(STAY), "no fault yet")
    with pytest.raises(error, match="the world fell apart") as caught:
        env.step(STAY)
    assert caught.type is error
    assert any("In worker 1, row 3:" in note and "faulty_grid_world.py" in note for note in caught.value.__notes__)
    undisturbed.step(STAY)
    for _ in range(60):
        ours, expected = env.step(STAY), undisturbed.step(STAY)
        for row in OTHERS:
            assert_equal(row_of(ours[0], row), row_of(expected[0], row), "the error disturbed another row")
            assert_equal([part[row] for part in ours[1:4]], [part[row] for part in expected[1:4]], "another row")


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_end_in_a_step_that_fails_restart(mode):
    env = started("error", autoreset_mode=mode, max_episode_steps=3)
    env.step(STAY)
    env.step(STAY)
    with pytest.raises(ArithmeticError):
        env.step(STAY)
    if mode == AutoresetMode.DISABLED:
        with pytest.raises(ProcgenBenchError, match=r"after the end of the episode in rows \[0, 1, 2, 4\]"):
            env.step(STAY)
        env.reset(options={"reset_mask": np.arange(ROWS) != CULPRIT})
    _, rewards, terminations, truncations, _ = env.step(STAY)
    assert not (terminations | truncations)[OTHERS].any()
    assert (rewards[OTHERS] == 0).all() == (mode != AutoresetMode.DISABLED)


@pytest.mark.parametrize("options", [pytest.param({}, marks=pytest.mark.slow), {"level": 5, "task": "targets/A"}])
def test_error_in_reset_leaves_every_row_as_it_was(options, undisturbed):
    env = make_faulty(num_envs=ROWS, num_workers=2, fault="reset", culprit=50 + CULPRIT, tasks="targets/C")
    with pytest.raises(LookupError, match="in reset"):
        env.reset(seed=50)
    with pytest.raises(ProcgenBenchError, match=r"step was called before reset in rows \[0, 1, 2, 3, 4\]"):
        env.step(STAY)
    actions = seeded_space(env.action_space, 0)
    env.reset(seed=0)
    for one in (env, undisturbed):
        one.step(STAY)
    with pytest.raises(LookupError, match="in reset"):
        env.reset(seed=50, options=options)
    for batch in [actions.sample() for _ in range(120)]:
        assert_equal(env.step(batch), undisturbed.step(batch), "the failed reset changed something")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_further_infos_are_gymnasium_s(mode):
    """A row that its environment truncates with a reason."""
    options = {"fault": "reason", "culprit": CULPRIT, "tasks": "targets/C"}
    env = started("reason", autoreset_mode=mode)
    sync = SyncVectorEnv([lambda: FaultyGridWorldEnv(**options)] * ROWS, autoreset_mode=mode)
    sync.reset(seed=0)
    for step in range(1, 6):
        ours, theirs = env.step(STAY), sync.step(STAY)
        assert_equal(ours[:4], theirs[:4], f"step {step}")
        for row in range(ROWS):
            assert_equal(info_of(ours[4], row), info_of(theirs[4], row), f"step {step}, row {row}: the info")
        assert ours[3][CULPRIT] == (step == 3)
        final = ours[4].get("final_info", ours[4])
        assert ("reason" in final) == (step == 3)
        if step == 3:
            assert final["_reason"].tolist() == [row == CULPRIT for row in range(ROWS)]
            assert final["reason"][CULPRIT] == "diverged"
        if mode == AutoresetMode.DISABLED and step == 3:
            for one in (env, sync):
                one.reset(options={"reset_mask": ours[3]})


@pytest.mark.usefixtures("heeds_interruptions")
def test_interruption_waits_for_the_step_and_the_environment_goes_on(undisturbed):
    env = started("sleep")
    for _ in range(2):
        assert_equal(env.step(STAY), undisturbed.step(STAY), "no fault yet")
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        env.step(STAY)
    assert time.monotonic() - begun > 0.4
    undisturbed.step(STAY)
    for _ in range(60):
        assert_equal(env.step(STAY), undisturbed.step(STAY), "the interrupted step was not taken as a whole")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("heeds_interruptions")
def test_second_interruption_ends_a_step_that_hangs():
    before = children()
    env = started("hang", step=1)
    for seconds in (0.1, 0.3):
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        env.step(STAY)
    with pytest.raises(ProcgenBenchError, match="interrupted; close it and make a new one"):
        env.step(STAY)
    env.close()
    assert children() == before


@pytest.mark.slow
def test_step_in_another_thread(undisturbed):
    expected = undisturbed.step(STAY)
    undisturbed.reset(seed=0)
    found = []
    thread = threading.Thread(target=lambda: found.append(undisturbed.step(STAY)))
    thread.start()
    thread.join()
    assert_equal(found[0], expected, "a step in a thread differs")


def test_closed_environment_says_so():
    env = started("")
    arrays, _ = env.reset()
    env.close()
    env.close()
    for call in (lambda: env.step(STAY), env.reset, lambda: env.tasks, lambda: copy.deepcopy(env)):
        with pytest.raises(ClosedEnvironmentError, match="has been closed"):
            call()
    assert env.simulation.copy_observations().keys() == arrays.keys()


def test_environment_that_is_let_go_of_leaves_nothing():
    before, open_before = children(), descriptors()
    env = make_grid_worlds(num_envs=3, num_workers=2)
    env.reset(seed=0)
    assert len(children()) == len(before) + 2
    del env
    gc.collect()
    assert children() == before and descriptors() == open_before


@pytest.mark.parametrize("num_resets", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_processes_and_descriptors_stay_the_same_over_resets(num_resets):
    env = make_grid_worlds(num_envs=4, num_workers=2, autoreset_mode="Disabled")
    env.reset(seed=0)
    before, open_before = children(), descriptors()
    for number in range(num_resets):
        mask = np.random.default_rng(number).random(4) < 0.5
        mask[number % 4] = True
        env.reset(seed=number, options={"reset_mask": mask, "task": f"graded/{number % 200}"})
        env.step(np.full(4, number % 4))
        env.reset()
    assert children() == before and descriptors() == open_before


#: Needs no __main__ guard; a forked child that ends normally leaves the workers alone; then steps for ever.
STEPS_FOR_EVER = """
import os, sys
from tests.engine.process_families import make_grid_worlds
env = make_grid_worlds(num_envs=4, num_workers=2)
env.reset(seed=0)
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
env.step([0, 0, 0, 0])
print("stepping", flush=True)
while True:
    env.step([0, 0, 0, 0])
"""


@pytest.mark.parametrize(
    "number", [pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGINT, signal.SIGTERM)] + [signal.SIGKILL]
)
def test_program_that_is_stopped_leaves_nothing(number):
    named_memory = set(os.listdir("/dev/shm"))
    program = subprocess.Popen(
        [sys.executable, "-c", STEPS_FOR_EVER],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert program.stdout.readline() == "stepping\n"
        workers = children(program.pid)
        assert len(workers) == 2
        os.killpg(program.pid, number)
        _, words = program.communicate(timeout=30)
    finally:
        program.kill()  # should it go on all the same
    assert program.returncode == -number
    assert (words.count("KeyboardInterrupt") == 1) == (number == signal.SIGINT), words
    assert comes_true(lambda: not any(alive(worker) for worker in workers))
    assert set(os.listdir("/dev/shm")) <= named_memory


IN_THE_PROGRAM_ITSELF = """
from tests.engine.process_families import FaultyGridWorldProcessVectorEnv
class Given:
    pass
FaultyGridWorldProcessVectorEnv(num_envs=2, given=Given())
"""


def test_class_of_the_program_itself_is_refused():
    program = subprocess.run(
        [sys.executable, "-c", IN_THE_PROGRAM_ITSELF], cwd=CHECKOUT, capture_output=True, text=True, timeout=60
    )
    assert program.returncode == 1
    assert "InvalidOptionError: a worker process cannot load what it is given" in program.stderr
    assert "must be defined in modules" in program.stderr


def test_spaces_of_other_kinds_are_refused():
    env = make_grid_worlds(num_envs=1)
    single = env.single
    single.observation_space = gymnasium.spaces.Text(5)
    with pytest.raises(TypeError, match=r"observation is of a .* space"):
        type(env.simulation)(type(single), None, {}, single, 1, 1, None)
