"""The training record: from a run folder into a submission and onto the page."""

import json

import numpy as np
import pytest

from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.parts.value_policy import ValuePolicy
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.run_folder import CONFIG_FILE, TRAINING_TASKS_FILE, RunFolder, RunFolderError
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.site.section_figures import learning_curve
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import MAX_CURVE_POINTS
from tests.leaderboards.few_benchmarks import only_benchmarks


def trained(folder, target, seed, points, commit="a" * 40):
    """A run folder as a training leaves it, around an untrained policy, whatever the tests' own checkout holds."""
    run = RunFolder(folder, "dqn", target, DQNConfiguration(), seed, steps=points * 10).open()
    config = json.loads((folder / CONFIG_FILE).read_text())
    config["provenance"]["commit"] = commit
    (folder / CONFIG_FILE).write_text(json.dumps(config))
    run.write_curve(
        [{"step": k * 10, "seconds": k * 0.5, "return": (seed + k % 6) / 8, "success": 0.0} for k in range(points)]
    )
    run.write_training_tasks(np.arange(seed + 3, dtype=np.uint64))
    policy = ValuePolicy(target.environment_id, stochastic=False)
    weights = {name: tensor.numpy() for name, tensor in policy.network.state_dict().items()}
    configuration = {"stochastic": False, "training_steps": points * 10, "width": 128, "layers": 2}
    PolicyFolder("dqn", target.environment_id, configuration, weights).write(run.policy_path)
    return run.policy_path


def played(benchmark, policy, folder):
    """An evaluation of a policy as its method plays it: what is asked of it takes no ONNX file, which takes seconds."""
    description = MethodDescription("Tests", "pytest")
    return evaluate(benchmark, [(policy, 0)], folder / "submission", description, with_policies=False)


@pytest.fixture(scope="module")
def submission_folder(tmp_path_factory, target):
    folder = tmp_path_factory.mktemp("training")
    policies = [(trained(folder / f"run-{seed}", target, seed, points), seed) for seed, points in ((0, 4), (1, 6))]
    evaluate(target, policies, folder / "submission", MethodDescription("Tests", "pytest"), with_policies=False)
    return folder / "submission"


def test_a_submission_brings_the_training_record(submission_folder):
    metadata = read_submission(submission_folder).metadata
    training = metadata.runs[1].training
    assert training.command == "procgen-bench train dqn grid-world/target-a --seed 1 --steps 60"
    assert training.wall_time_seconds == 2.5
    assert [(point.step, point.score) for point in training.curve] == [(10 * k, (1 + k) / 8) for k in range(6)]


def test_a_submission_brings_the_training_tasks(submission_folder):
    submission = read_submission(submission_folder)
    stated = [run.training_tasks for run in submission.metadata.runs]
    assert [(one.count, one.met) for one in stated] == [(3, 0), (4, 0)]
    assert np.load(submission_folder / "training-1.npy").tolist() == [0, 1, 2, 3]


def test_a_run_without_a_list_states_none(tmp_path, target):
    policy = trained(tmp_path / "run", target, 0, points=4)
    (tmp_path / "run" / TRAINING_TASKS_FILE).unlink()
    evaluation = played(target, policy, tmp_path)
    assert evaluation.submission.metadata.runs[0].training_tasks is None
    assert not list((tmp_path / "submission").glob("training*"))


@pytest.mark.parametrize(
    "content", [b"\x93NUMPY\x01\x00", *(pytest.param(other, marks=pytest.mark.slow) for other in (b"", b"no array"))]
)
def test_a_broken_list_is_refused_before_anything_is_played(content, tmp_path, target):
    policy = trained(tmp_path / "run", target, 0, points=4)
    (tmp_path / "run" / TRAINING_TASKS_FILE).write_bytes(content)
    with pytest.raises(RunFolderError, match=r"training_tasks\.npy of the run `procgen-bench train dqn .* cannot be"):
        played(target, policy, tmp_path)


def test_the_curve_is_the_mean_where_all_runs_were_evaluated(submission_folder):
    metadata = read_submission(submission_folder).metadata
    curve = learning_curve(metadata, get_benchmark(metadata.benchmark))
    assert curve.points == [(0, 0.0625), (10, 0.1875), (20, 0.3125), (30, 0.4375)]
    assert curve.band[0] == (0, 0.125)


def test_the_page_draws_it_and_tells_the_command(submission_folder, target, tmp_path):
    submit(submission_folder, tmp_path / "board")
    with only_benchmarks(target):
        write_site(tmp_path / "board", tmp_path / "site")
    folder = tmp_path / "site" / "grid-world" / "target-a"
    assert "learning.svg" in (folder / "index.html").read_text()
    assert "environment steps of training" in (folder / "learning.svg").read_text()
    page = (folder / "dqn" / "index.html").read_text()
    assert "procgen-bench train dqn grid-world/target-a --seed 1" in page
    assert "run 0: 3 tasks, the suite's may be among them; run 1: 4 tasks" in page


def test_without_a_record_there_is_no_curve(random_folder):
    metadata = read_submission(random_folder).metadata
    assert metadata.runs[0].training is None
    assert learning_curve(metadata, get_benchmark(metadata.benchmark)) is None


def test_a_run_for_another_benchmark_brings_no_curve(tmp_path, target):
    policy = trained(tmp_path / "run", target, 0, points=4)
    other = get_benchmark("grid-world/target-b")
    evaluation = played(other, policy, tmp_path)
    training = evaluation.submission.metadata.runs[0].training
    assert training.command.startswith("procgen-bench train dqn grid-world/target-a")
    assert training.curve == []


def test_long_curves_are_thinned(tmp_path, target):
    policy = trained(tmp_path / "run", target, 0, points=3 * MAX_CURVE_POINTS)
    evaluation = played(target, policy, tmp_path)
    curve = evaluation.submission.metadata.runs[0].training.curve
    assert len(curve) == MAX_CURVE_POINTS
    assert np.all(np.diff([point.step for point in curve]) == 30)
