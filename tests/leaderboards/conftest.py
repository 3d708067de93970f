"""A cheap honest submission, ways to tamper with copies of it, the hash of a whole board, and a browser."""

import dataclasses
import hashlib
import io
import json
import re
import shutil
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from procgen_bench.cli import main
from procgen_bench.leaderboards.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board import submit
from procgen_bench.leaderboards.errors import DuplicateEntryError, InvalidSubmissionError
from procgen_bench.leaderboards.evaluation import MethodDescription, evaluate
from procgen_bench.leaderboards.metadata import METADATA_FILE
from procgen_bench.leaderboards.submission import Submission, read_submission, write_submission
from procgen_bench.leaderboards.traces import TRACES_FILE, Traces
from procgen_bench.leaderboards.verification import replayed_scores
from tests.chromium import started_chromium


class Tampering:
    """A submission's folder, and changes to it that no honest tool would make."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.json_path, self.npz_path = folder / METADATA_FILE, folder / TRACES_FILE

    def fields(self, **changes):
        """Set fields of submission.json; a value of ``...`` removes the field."""
        content = {**json.loads(self.json_path.read_text()), **changes}
        self.json_path.write_text(json.dumps({name: value for name, value in content.items() if value is not ...}))

    def text(self, old: str, new: str):
        """Replace a piece of submission.json's text."""
        text = self.json_path.read_text()
        assert old in text
        self.json_path.write_text(text.replace(old, new, 1))

    def load(self) -> dict[str, np.ndarray]:
        with np.load(self.npz_path) as archive:
            return {name: archive[name] for name in archive.files}

    def save(self, arrays: dict[str, np.ndarray]):
        np.savez_compressed(self.npz_path, **arrays)

    def array(self, name: str, change):
        """Replace one array by ``change(array)``, or change it in place."""
        arrays = self.load()
        changed = change(arrays[name])
        self.save({**arrays, name: arrays[name] if changed is None else changed})

    def zip(self, members, method=zipfile.ZIP_DEFLATED):
        """Write ``members``, (name, content) pairs, as traces.npz."""
        with zipfile.ZipFile(self.npz_path, "w", method) as archive:
            for name, content in members:
                archive.writestr(name, content)

    def members(self) -> dict[str, bytes]:
        """The .npy files inside traces.npz."""
        members = {}
        for name, array in self.load().items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            members[f"{name}.npy"] = file.getvalue()
        return members


@pytest.fixture(scope="session")
def target():
    return get_benchmark("grid-world/target-a")


@pytest.fixture(scope="session")
def play(tmp_path_factory):
    """play(benchmark, policy, num_runs=1, method=None) -> folder of a submission of that policy."""

    def played(benchmark, policy: str, num_runs: int = 1, method: str | None = None) -> Path:
        folder = tmp_path_factory.mktemp("played") / "submission"
        description = MethodDescription(authors="Tests", command="pytest", method=method)
        evaluate(benchmark, [(policy, seed) for seed in range(num_runs)], folder, description)
        return folder

    return played


@pytest.fixture(scope="session")
def random_folder(play, target):
    """Two runs of the random policy on target A."""
    return play(target, "random", num_runs=2)


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
    def of(root: Path) -> str:
        """Hash over every path below ``root`` and every file's bytes."""
        digest = hashlib.sha256()
        for path in sorted(root.rglob("*")):
            content = path.read_bytes() if path.is_file() else b"folder"
            digest.update(f"{path.relative_to(root)}|{len(content)}|".encode() + content)
        return digest.hexdigest()

    return of


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
        verification = replayed_scores(changed)
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


ANT = dataclasses.replace(get_benchmark("ant-maze/test"), task_names=("297", "311", "464"))


@pytest.fixture
def ant(monkeypatch):
    """The physics track, with three tasks of its suite in the place of all."""
    monkeypatch.setitem(BENCHMARKS, ANT.id, ANT)
    return ANT


@pytest.fixture(scope="session")
def ant_folder(play):
    """One run of the ant expert, which reaches the three goals in 251 to 300 steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BENCHMARKS, ANT.id, ANT)
        folder = play(ANT, "ant-expert")
        lengths = read_submission(folder).traces.lengths
    assert ((lengths > 250) & (lengths < 300)).all(), f"tests count on six links each, the last one short: {lengths}"
    return folder


#: Seconds within which every refusal must come.
LIMIT = 2.0


@pytest.fixture
def refused(forged, solver_board, tree_hash):
    """refused(pattern): the board refuses ``forged`` in one line that matches, soon, and is left as it was."""
    return lambda pattern: assert_refused(InvalidSubmissionError, pattern, forged.folder, solver_board, tree_hash)


@pytest.fixture
def assert_refusal(solver_board, tree_hash):
    """assert_refusal(pattern, folder, kind=InvalidSubmissionError): the same of any folder and kind of refusal."""

    def of(pattern, folder, kind=InvalidSubmissionError):
        return assert_refused(kind, pattern, folder, solver_board, tree_hash)

    return of


@pytest.fixture
def refused_as_duplicate(forged, occupied_board, tree_hash):
    """The same, of a board that holds the submission that was tampered with."""
    return lambda pattern: assert_refused(DuplicateEntryError, pattern, forged.folder, occupied_board, tree_hash)


def assert_refused(kind, pattern, folder, board, tree_hash):
    before = tree_hash(board)
    start = time.perf_counter()
    with pytest.raises(kind) as refusal:
        submit(folder, board)
    seconds = time.perf_counter() - start
    message = str(refusal.value)
    print(f"{seconds:.3f} s: {message}")  # pytest -rP shows them
    assert re.search(pattern, message), message
    assert message.isprintable() and len(message) < 500  # one line, whatever the submission holds
    assert seconds < LIMIT
    assert tree_hash(board) == before
    return refusal.value


@pytest.fixture(scope="session")
def solver_board(tmp_path_factory, play, target):
    """A board with an entry that no forgery collides with."""
    board = tmp_path_factory.mktemp("board")
    submit(play(target, "solver"), board)
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
