"""The workflow that reviews pull requests: its own lines, run over a repository and a fork as they will be."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import networkx
import pytest
import yaml

from procgen_bench.leaderboards.board.auditing import AuditError
from procgen_bench.leaderboards.board.beginning import begin_epoch, play_rows, row_folders
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.reviewing import Change, ReviewError, read_change, review
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE, read_epochs, write_epochs
from tests.architecture.checkout import modules
from tests.architecture.test_layers import import_graph

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "verify-submissions.yml"
RESULTS = Path("leaderboards/results")
ROW = RESULTS / "grid-world/target-a/v1/random"
#: What a review runs: the function that scores, and what calls it.
SCORING = ("leaderboards.scoring.rows", "leaderboards.scoring.compare", "leaderboards.board.reviewing", "cli.board")


@pytest.fixture(scope="module")
def workflow():
    return yaml.safe_load(WORKFLOW.read_text())


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository with a base commit."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "README.md").write_text("a repository\n")
    commit_all(folder)
    return folder


def commit_all(repository: Path) -> str:
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-qm", "a change")
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def results(repository, solver_folder):
    """A repository whose board has one row, and the board."""
    board = repository / RESULTS
    submit(solver_folder, board)
    commit_board(repository)
    return board


def commit_board(repository: Path) -> str:
    (repository / RESULTS / ".lock").unlink(missing_ok=True)
    return commit_all(repository)


def test_a_fork_s_row_is_scored_by_the_base_s_code(workflow, repository, results, random_folder, tmp_path):
    """As a person makes one: a fork, a commit, a pull request; the base's checkout never holds any of it."""
    base = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "clone", "-q", str(repository), "fork")
    submit(random_folder, tmp_path / "fork" / RESULTS)
    honest = commit_board(tmp_path / "fork")
    record = tmp_path / "fork" / ROW / "record.json"
    content = json.loads(record.read_text())
    content["suite"] = [[0.982] * len(row[:50]) for row in content["suite"]]
    record.write_text(json.dumps(content, separators=(",", ":")) + "\n")
    forged = commit_all(tmp_path / "fork")
    for number, head in ((7, honest), (8, forged)):
        git(tmp_path / "fork", "push", "-q", str(repository), f"{head}:refs/pull/{number}/head")
    git(tmp_path, "clone", "-q", str(repository), "base")
    (step,) = [step for step in workflow["jobs"]["verify"]["steps"] if step.get("name") == "Review"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = {}
    for number in (7, 8):
        environment = {**os.environ, "BASE": base, "NUMBER": str(number), "PATH": path, "PYTHONPATH": str(ROOT)}
        done[number] = subprocess.run(
            ["bash", "-c", step["run"]], cwd=tmp_path / "base", env=environment, capture_output=True, text=True
        )
    assert done[7].returncode == 0, done[7].stderr
    assert "grid-world/target-a/random: as recorded" in done[7].stdout
    assert done[8].returncode == 2
    assert "grid-world/target-a/random: its record differs from what is played here in suite" in done[8].stderr
    assert not (tmp_path / "base" / ROW).exists()


def test_nothing_of_a_pull_request_is_checked_out_or_written(workflow):
    text, (checkout, *_) = WORKFLOW.read_text(), workflow["jobs"]["verify"]["steps"]
    assert workflow["permissions"] == {"contents": "read"} and checkout["with"]["persist-credentials"] is False
    assert "pull_request.head" not in text and "base.sha" in checkout["with"]["ref"]
    used = [step["uses"] for step in workflow["jobs"]["verify"]["steps"] if "uses" in step]
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)
    assert workflow[True] == {"pull_request_target": None}  # YAML reads "on" so


def owned(path: Path) -> bool:
    lines = (ROOT / ".github" / "CODEOWNERS").read_text().splitlines()
    owners = [line.split()[0].strip("/") for line in lines if line[:1] == "/"]
    assert all((ROOT / owner).exists() for owner in owners)
    return any(path.is_relative_to(owner) for owner in owners)


def test_owners_are_named_for_all_that_scores():
    graph, known = import_graph(), modules()
    roots = {f"procgen_bench.{name}" for name in SCORING}
    closure = roots.union(*(networkx.descendants(graph, root) for root in roots))
    assert len(closure) > 100
    paths = {known[name].resolve().relative_to(ROOT) for name in closure if name in known}
    assert [path for path in sorted(paths) if not owned(path)] == []
    assert owned(RESULTS / EPOCHS_FILE) and owned(WORKFLOW.relative_to(ROOT))


def changing(repository: Path, *files: str, link: bool = False):
    """What a commit changes that writes these files."""
    base = git(repository, "rev-parse", "HEAD")
    for file in files:
        path = repository / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return read_change(repository, base, commit_all(repository))


def test_changes_of_other_things_are_none_of_the_board(repository):
    assert changing(repository, "docs/new.md") == Change()


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ((f"{ROW}/submission.json", "leaderboards/board/auditing.py"), "changes the board and leaderboards/board"),
        ((f"{ROW}/submission.json", ".github/workflows/verify-submissions.yml"), "changes the board and .github"),
        ((f"{RESULTS}/{EPOCHS_FILE}", f"{ROW}/submission.json"), "begins an epoch and adds grid-world/target-a"),
        ((f"{RESULTS}/{EPOCHS_FILE}", "README.md"), "changes the board and README.md"),
        ((f"{ROW}/record.json", "setup.py"), "changes the board and setup.py"),
        ((f"{ROW}/submission.json", f"{ROW}/reproduced.json"), "reproduced.json marks a training, which no review"),
        ((f"{ROW}/deeper/submission.json",), "is no file of a row"),
        ((f"{RESULTS}/conftest.py",), "is no file of a row"),
        ((f"{RESULTS}/grid-world/sitecustomize.py",), "is no file of a row"),
        ((f"{RESULTS}/grid-world/target-a/v1/solver/policy-0.onnx",), "policy-0.onnx changes a row that is there"),
        ((f"{RESULTS}/grid-world/target-a/v1/solver/submission.json",), "submission.json changes a row that is there"),
    ],
)
def test_mixed_changes_are_refused(files, fault, repository, results):
    with pytest.raises(ReviewError, match=fault):
        changing(repository, *files)


def test_a_linked_row_is_refused(repository, results, run):
    base = git(repository, "rev-parse", "HEAD")
    (repository / ROW).mkdir(parents=True)
    (repository / ROW / "submission.json").symlink_to("/etc/passwd")
    code, _, error = run("board", "review", base, commit_all(repository), "--repository", repository)
    assert code == 2 and f"{ROW}/submission.json has mode 120000, expected a plain file" in error


def reviewed(repository: Path):
    base = git(repository, "rev-parse", "HEAD")
    return list(review(repository, base, commit_board(repository)))


def test_a_new_row_passes_and_is_provisional_until_the_next_epoch(repository, results, random_folder):
    assert [epoch.policies for epoch in read_epochs(results)] == [None]
    begin_epoch(results)
    list(play_rows(results, row_folders(results)))
    epoch, solver = reviewed(repository)
    assert epoch == read_epochs(results)[1]
    assert (solver.name, solver.epoch.number, solver.is_provisional) == ("solver", 2, False)
    submit(random_folder, results)
    (entry,) = reviewed(repository)
    assert (entry.name, entry.is_provisional) == ("random", True)


def test_a_record_of_other_scores_is_refused(repository, results, target):
    begin_epoch(results)
    list(play_rows(results, row_folders(results)))
    (entry,) = read_entries(target, results)
    record = entry.record.model_copy(update={"fresh": [[1.5] * len(row) for row in entry.record.fresh]})
    (entry.folder / "record.json").write_bytes(record.to_json())
    with pytest.raises(AuditError, match=r"target-a/solver: its record differs .* in fresh$"):
        reviewed(repository)


def test_a_row_that_cannot_be_read_is_refused(repository, results, target):
    (entry,) = read_entries(target, results)
    (entry.folder / "record.json").write_text("{}")
    with pytest.raises(InvalidSubmissionError, match=r"record\.json"):
        reviewed(repository)


def test_epochs_are_not_taken_back_or_fitted_to_policies(repository, results):
    first = read_epochs(results)
    write_epochs([first[0].model_copy(update={"salt": "ab" * 32})], results)
    with pytest.raises(ReviewError, match="changes epochs that have begun"):
        reviewed(repository)
    write_epochs(first, results)
    commit_board(repository)
    second = begin_epoch(results)
    write_epochs([*first, second.model_copy(update={"policies": {"grid-world/target-a": ["1" * 64]}})], results)
    with pytest.raises(ReviewError, match="epoch 2 names other policies than the board had before"):
        reviewed(repository)
    write_epochs(first, results)
    commit_board(repository)
    write_epochs([*first, second.model_copy(update={"policies": None})], results)
    with pytest.raises(ReviewError, match="epoch 2 names other policies than the board had before"):
        reviewed(repository)
    (results / EPOCHS_FILE).write_text("[]")
    with pytest.raises(CorruptBoardError, match=r"epochs\.json"):
        reviewed(repository)


def test_rows_stay(repository, results):
    shutil.rmtree(results / "grid-world")
    with pytest.raises(ReviewError, match="is removed; rows stay"):
        reviewed(repository)


def test_installs_what_the_package_offers(workflow):
    (install,) = [step["run"] for step in workflow["jobs"]["verify"]["steps"] if step.get("name") == "Install"]
    extras = install.partition(".[")[2].partition("]")[0].split(",")
    offered = (ROOT / "setup.cfg").read_text().partition("[options.extras_require]")[2]
    assert all(f"\n{extra} =\n" in offered for extra in extras)
