"""A cheap honest submission, ways to tamper with copies of it, the hash of a whole board, and a browser."""

import dataclasses
import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from procgen_bench.cli import main
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import write_submission
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import Traces
from procgen_bench.leaderboards.verification.replay import replay
from procgen_bench.leaderboards.verification.verification import verification_of
from tests.chromium import started_chromium
from tests.leaderboards.agents import Chance
from tests.leaderboards.attacks import checks
from tests.leaderboards.attacks.checks import assert_refused
from tests.leaderboards.attacks.tampering import Tampering


@pytest.fixture(scope="session")
def target():
    return get_benchmark("grid-world/target-a")


@pytest.fixture(scope="session")
def play(tmp_path_factory):
    """play(benchmark, policy, num_runs=1, method=None) -> folder of a submission of that policy."""

    def played(benchmark, policy, num_runs: int = 1, method: str | None = None) -> Path:
        folder = tmp_path_factory.mktemp("played") / "submission"
        description = MethodDescription(authors="Tests", command="pytest", method=method, training_steps=0)
        evaluate(benchmark, [(policy, seed) for seed in range(num_runs)], folder, description)
        return folder

    return played


@pytest.fixture(scope="session")
def random_folder(play, target):
    """Two runs of an agent that acts by chance on target A, and is no file: its actions are recorded."""
    return play(target, Chance(), num_runs=2, method="random")


@pytest.fixture(scope="session")
def graded_folder(play):
    """One run of an agent that acts by chance on a suite that may not be trained on."""
    return play(get_benchmark("grid-world/graded"), Chance(), method="random")


@pytest.fixture
def copied(tmp_path):
    """copied(folder) -> a fresh copy of the submission in it, to tamper with."""
    return lambda folder: Tampering(Path(shutil.copytree(folder, tmp_path / "submission")))


@pytest.fixture
def honest(random_folder, copied):
    """A fresh copy of an honest submission."""
    return copied(random_folder)


@pytest.fixture
def forged(honest):
    """A submission to tamper with: two runs of 50 episodes of at most 50 steps."""
    return honest


@pytest.fixture(scope="session")
def tree_hash():
    return checks.tree_hash


@pytest.fixture(scope="session")
def renamed():
    """renamed(submission, number) -> an honest submission of another policy that plays the same actions."""

    def of(submission: Submission, number: int) -> Submission:
        runs = [
            run.model_copy(update={"policy_hash": hashlib.sha256(f"{number}|{index}".encode()).hexdigest()})
            for index, run in enumerate(submission.metadata.runs)
        ]
        metadata = submission.metadata.model_copy(update={"method": f"Method {number}", "runs": runs, "oracle": False})
        seeds = np.concatenate([submission.protocol.seeds(run) for run in runs])
        return Submission(metadata, dataclasses.replace(submission.traces, seeds=seeds), submission.protocol)

    return of


@pytest.fixture(scope="session")
def claiming():
    """claiming(submission, **arrays) -> the submission with these trace arrays, claiming what they score."""

    def of(submission: Submission, **arrays: np.ndarray) -> Submission:
        traces: Traces = dataclasses.replace(submission.traces, **arrays)
        changed = Submission(submission.metadata, traces, submission.protocol)
        verification = verification_of(changed, replay(changed.benchmark, changed.all_episodes()))
        metadata = changed.metadata.model_copy(update={"claimed_score": verification.score})
        traces = dataclasses.replace(traces, scores=verification.episode_scores.ravel())
        return Submission(metadata, traces, submission.protocol)

    return of


@pytest.fixture
def run(capsys, monkeypatch):
    """run(*words) -> (exit code, standard output, standard error)."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*words) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_:
            main([str(word) for word in words])
        return exit_.value.code or 0, *capsys.readouterr()

    return command


@pytest.fixture(scope="session")
def occupied_board(tmp_path_factory, random_folder):
    """A board that already holds the honest submission."""
    board = tmp_path_factory.mktemp("board")
    submit(random_folder, board)
    return board


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """written(submission) -> a folder that holds it."""

    def to_folder(submission: Submission) -> Path:
        folder = tmp_path_factory.mktemp("written") / "submission"
        write_submission(submission, folder)
        return folder

    return to_folder


@pytest.fixture
def refused(forged, solver_board):
    """refused(pattern): the board refuses ``forged`` in one line that matches, soon, and is left as it was."""
    return lambda pattern: assert_refused(forged.folder, solver_board, pattern)[0]


@pytest.fixture
def assert_refusal(solver_board):
    """assert_refusal(pattern, folder, kind=InvalidSubmissionError): the same of any folder and kind of refusal."""

    def of(pattern, folder, kind=InvalidSubmissionError):
        return assert_refused(folder, solver_board, pattern, kind)[0]

    return of


@pytest.fixture(scope="session")
def solver_folder(play, target):
    """One run of the solver on target A."""
    return play(target, "solver")


@pytest.fixture(scope="session")
def solver_board(tmp_path_factory, solver_folder):
    """A board with an entry that no forgery collides with."""
    board = tmp_path_factory.mktemp("board")
    submit(solver_folder, board)
    return board


@pytest.fixture(scope="module")
def browser():
    with started_chromium() as running:
        yield running


@pytest.fixture
def context(browser: Browser):
    with browser.new_context(viewport={"width": 1280, "height": 900}) as opened:
        yield opened


@pytest.fixture(scope="module")
def small_board(tmp_path_factory, play, target):
    """Two methods of two runs each on one benchmark, with short clips: a site takes a second."""
    folder = tmp_path_factory.mktemp("page") / "board"
    for policy in ("null", "constant"):
        submit(play(target, policy, num_runs=2), folder)
    return folder
