"""Jobs on a Ray cluster of this machine: the same results and errors as those of worker processes."""

import signal
import subprocess
import sys
from functools import partial

import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.parallel import RayCluster, finished_jobs, parallel_map
from procgen_bench.engine.processors import available_processors
from tests.engine import worker_jobs
from tests.engine.process_tree import alive, comes_true
from tests.envs.conformance.trajectory import CHECKOUT

pytestmark = pytest.mark.slow
LOCAL = RayCluster("local", 2)


def test_a_cluster_that_is_not_there_is_named():
    from procgen_bench.engine.ray_jobs import LostJobError

    with pytest.raises(LostJobError, match=r"the Ray cluster '127\.0\.0\.1:1' cannot be reached: .*refused"):
        parallel_map(worker_jobs.double, [1], RayCluster("127.0.0.1:1"))


@pytest.fixture(scope="module")
def cluster():
    """A connection that calls use, and leave as it is."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHECKOUT)
        patch.setenv("PYTHONPATH", str(CHECKOUT))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield ray
        assert ray.is_initialized()
        ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_every_job_is_done_once_in_the_order_of_its_items():
    assert parallel_map(worker_jobs.double, range(5), LOCAL) == [0, 2, 4, 6, 8]
    assert list(finished_jobs(worker_jobs.double, [], LOCAL)) == []


@pytest.mark.usefixtures("cluster")
def test_workers_have_one_thread():
    assert list(finished_jobs(worker_jobs.threads, [()], LOCAL)) == [(0, "1")]


@pytest.mark.usefixtures("cluster")
def test_no_more_jobs_are_done_at_the_same_time_than_allowed(tmp_path):
    jobs = [(str(tmp_path), number) for number in range(3)]
    for done, _ in enumerate(finished_jobs(worker_jobs.note, jobs, RayCluster("local", 1))):
        assert len(list(tmp_path.iterdir())) == done + 1


@pytest.mark.usefixtures("cluster")
def test_an_error_keeps_its_type_and_is_reported_with_its_traceback():
    with pytest.raises(InvalidOptionError, match="value is 8") as caught:
        list(finished_jobs(worker_jobs.refuse, [(8,)], LOCAL))
    (note,) = caught.value.__notes__
    assert note.startswith("In job 0 of a Ray cluster:") and "worker_jobs.py" in note


@pytest.mark.usefixtures("cluster")
def test_a_job_whose_process_dies_is_named():
    from procgen_bench.engine.ray_jobs import LostJobError

    with pytest.raises(LostJobError, match="the Ray cluster has lost job 0: "):
        list(finished_jobs(worker_jobs.die, [(worker_jobs.KILL,)], LOCAL))
    (loss,) = parallel_map(worker_jobs.die, [worker_jobs.KILL], LOCAL, keep_going=True)
    assert isinstance(loss, LostJobError)


DOES_ON_RAY = """
import sys
from procgen_bench.engine.parallel import RayCluster, parallel_map
from tests.engine import worker_jobs
parallel_map(worker_jobs.note_and_sleep, [sys.argv[2]] * 2, RayCluster(sys.argv[1], 2))
"""


def test_a_program_that_is_interrupted_leaves_nobody_behind(tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-c", DOES_ON_RAY, "local", str(tmp_path)],
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    assert comes_true(lambda: len(list(tmp_path.iterdir())) == min(2, available_processors()), 120)
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)
    assert program.returncode == -signal.SIGINT
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert comes_true(lambda: not any(alive(worker) for worker in workers))
