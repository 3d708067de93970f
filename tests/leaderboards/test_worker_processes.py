"""Jobs over processes: every result, in whatever order; every death, refusal and failure; nobody left behind."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from procgen_bench.leaderboards.worker_processes import WorkerError, finished_jobs
from procgen_bench.processors import available_processors
from tests.leaderboards import worker_jobs


@pytest.fixture(autouse=True)
def workers_find_the_tests(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def test_every_job_is_done_once():
    jobs = [(value,) for value in range(7)]
    for workers in (None, 2):
        assert sorted(finished_jobs(worker_jobs.double, jobs, workers)) == [(k, 2 * k) for k in range(7)]
    assert list(finished_jobs(worker_jobs.double, [], 2)) == []


def test_results_come_as_they_are_done():
    jobs = [(0, 30.0), (1,), (2,)]
    with closing(finished_jobs(worker_jobs.double, jobs, 2)) as results:
        assert [next(results), next(results)] == [(1, 2), (2, 4)]


def test_workers_have_one_thread_and_this_process_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert list(finished_jobs(worker_jobs.threads, [()], 1)) == [(0, "1")]
    assert os.environ["OMP_NUM_THREADS"] == "7"


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (worker_jobs.die, worker_jobs.KILL, "^a worker process died of signal SIGKILL; with fewer --workers"),
        (worker_jobs.leave, 3, "^a worker process died of exit code 3$"),
        (worker_jobs.refuse, 8, "^value is 8$"),
    ],
)
def test_what_befalls_a_worker_is_one_clear_error(function, argument, message):
    with pytest.raises(WorkerError, match=message):
        list(finished_jobs(function, [(argument,)], 1))


def test_a_failure_is_told_with_its_traceback():
    with pytest.raises(RuntimeError, match=r"(?s)worker_jobs.py.*in fail.*ZeroDivisionError: oh"):
        list(finished_jobs(worker_jobs.fail, [()], 1))


def test_closing_ends_workers_in_the_midst_of_their_jobs(tmp_path):
    jobs = [(str(tmp_path), 0.0), (str(tmp_path), 600.0), (str(tmp_path), 600.0)]
    with closing(finished_jobs(worker_jobs.own_process, jobs, 2)) as results:
        next(results)
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
    assert not any(is_alive(int(path.name)) for path in tmp_path.iterdir())


def test_there_is_a_processor():
    assert 1 <= available_processors() <= os.cpu_count()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
