"""Jobs over processes: every result, in whatever order; every death, refusal and failure; nobody left behind."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from functools import partial

import pytest

from procgen_bench.core.errors import InvalidOptionError, MissingExtraError, WorkerDiedError
from procgen_bench.core.own_code import EndedProgramError
from procgen_bench.engine.parallel import RayCluster, finished_jobs, parallel_map
from procgen_bench.engine.processors import available_processors
from tests.engine import worker_jobs
from tests.engine.process_tree import alive, children, comes_true
from tests.envs.conformance.trajectory import CHECKOUT


@pytest.fixture(autouse=True)
def workers_find_the_tests(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT)


def test_every_job_is_done_once():
    jobs = [(value,) for value in range(7)]
    for workers in (None, 2):
        assert sorted(finished_jobs(worker_jobs.double, jobs, workers)) == [(k, 2 * k) for k in range(7)]
    assert list(finished_jobs(worker_jobs.double, [], 2)) == []


@pytest.mark.parametrize("workers", [None, 2])
def test_a_map_is_in_the_order_of_its_items(workers, capsys):
    assert parallel_map(worker_jobs.double, range(5), workers, progress="doubling") == [0, 2, 4, 6, 8]
    assert "doubling: 5/5" in capsys.readouterr().err


def test_results_come_as_they_are_done():
    jobs = [(0, 30.0), (1,), (2,)]
    with closing(finished_jobs(worker_jobs.double, jobs, 2)) as results:
        assert [next(results), next(results)] == [(1, 2), (2, 4)]


def test_who_keeps_going_hears_of_a_death_and_gets_the_other_results():
    functions = [worker_jobs.double, worker_jobs.die, worker_jobs.double, worker_jobs.double]
    arguments = [(1,), (worker_jobs.KILL,), (3,), (4,)]
    results = parallel_map(worker_jobs.call, list(zip(functions, arguments)), 1, keep_going=True)
    assert [results[place] for place in (0, 2, 3)] == [2, 6, 8]
    assert isinstance(results[1], WorkerDiedError) and "SIGKILL" in str(results[1])


def test_workers_have_one_thread_and_this_process_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert list(finished_jobs(worker_jobs.threads, [()], 1)) == [(0, "1")]
    assert os.environ["OMP_NUM_THREADS"] == "7"


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (
            worker_jobs.die,
            worker_jobs.KILL,
            r"^worker [01] ended with exit code -9 \(SIGKILL\) .*; with fewer --workers",
        ),
        (worker_jobs.leave, 3, "^worker [01] ended with exit code 3 before its job was done$"),
    ],
)
def test_a_worker_that_dies_is_named(function, argument, message):
    before = children()
    with pytest.raises(WorkerDiedError, match=message) as caught:
        list(finished_jobs(function, [(argument,), (argument,)], 2))
    assert str(caught.value).startswith(f"worker {caught.value.worker} ")
    assert children() == before


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (worker_jobs.refuse, (8,), InvalidOptionError, "^value is 8"),
        (worker_jobs.fail, (), ZeroDivisionError, "^oh"),
        (worker_jobs.end_program, (), EndedProgramError, "may not end the program: SystemExit"),
    ],
)
def test_an_error_keeps_its_type_and_is_reported_with_its_traceback(function, arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        list(finished_jobs(function, [arguments], 1))
    (note,) = caught.value.__notes__
    assert note.startswith("In worker 0:") and "worker_jobs.py" in note and f"in {function.__name__}" in note


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with pytest.raises(InvalidOptionError, match=f"workers is {workers}"):
        list(finished_jobs(worker_jobs.double, [(1,)], workers))


def test_closing_ends_workers_in_the_midst_of_their_jobs(tmp_path):
    jobs = [(str(tmp_path), 0.0), (str(tmp_path), 600.0), (str(tmp_path), 600.0)]
    with closing(finished_jobs(worker_jobs.own_process, jobs, 2)) as results:
        next(results)
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
    assert not any(alive(int(path.name)) for path in tmp_path.iterdir())


#: Needs no __main__ guard.
SLEEPS_IN_WORKERS = """
import sys
from procgen_bench.engine.parallel import parallel_map
from tests.engine import worker_jobs
parallel_map(worker_jobs.note_and_sleep, [sys.argv[1]] * 2, 2)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_is_stopped_leaves_no_worker_in_the_midst_of_its_job(number, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-c", SLEEPS_IN_WORKERS, str(tmp_path)],
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    assert comes_true(lambda: len(list(tmp_path.iterdir())) == 2, 60)
    program.send_signal(number)
    begun = time.monotonic()
    _, said = program.communicate(timeout=30)
    assert program.returncode == -number and time.monotonic() - begun < 10
    assert (said.count("KeyboardInterrupt") == 1) == (number == signal.SIGINT), said
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert comes_true(lambda: not any(alive(worker) for worker in workers))


def test_a_function_of_the_program_itself_is_refused():
    script = (
        "from procgen_bench.engine.parallel import parallel_map\ndef own(item): return item\nparallel_map(own, [1], 1)"
    )
    program = subprocess.run([sys.executable, "-c", script], cwd=CHECKOUT, capture_output=True, text=True, timeout=60)
    assert program.returncode == 1
    assert "InvalidOptionError: a worker process cannot load what it is given" in program.stderr
    assert "must be defined in modules" in program.stderr


def test_there_is_a_processor():
    assert 1 <= available_processors() <= os.cpu_count()


def test_a_cluster_without_ray_is_answered_with_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "procgen_bench.engine.ray_jobs", raising=False)
    with pytest.raises(MissingExtraError, match=r"procgen-bench\[distributed\]"):
        parallel_map(worker_jobs.double, [1], RayCluster("local"))
