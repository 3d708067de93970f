"""The workflow that reviews pull requests: its own lines, run over a repository and a fork as they will be."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.reviewing import ReviewError, read_change, review_results
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.trust import TRUST_FILE, commit, revoke
from procgen_bench.leaderboards.board.verifier import Verifier, own_root, own_verifier, public_key_of
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "verify-submissions.yml"
PROPOSAL = Path("leaderboards/proposals/random")


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


def test_a_fork_s_proposal_is_verified_by_the_base_s_code(workflow, repository, random_folder, tmp_path):
    """As a person makes one: a fork, a commit, a pull request; the base's checkout never holds any of it."""
    base = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "clone", "-q", str(repository), "fork")
    shutil.copytree(random_folder, tmp_path / "fork" / PROPOSAL)
    honest = commit_all(tmp_path / "fork")
    forged_metadata = tmp_path / "fork" / PROPOSAL / "submission.json"
    forged_metadata.write_text(forged_metadata.read_text().replace('"claimed_score": -0.', '"claimed_score": 0.'))
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
    assert f"== {PROPOSAL}" in done[7].stdout and "verified:" in done[7].stdout
    assert done[8].returncode == 2 and "claimed_score" in done[8].stderr
    assert not (tmp_path / "base" / "leaderboards").exists()


def test_nothing_of_a_pull_request_is_checked_out_or_written(workflow):
    text, (checkout, *_) = WORKFLOW.read_text(), workflow["jobs"]["verify"]["steps"]
    assert workflow["permissions"] == {"contents": "read"} and checkout["with"]["persist-credentials"] is False
    assert "pull_request.head" not in text and "base.sha" in checkout["with"]["ref"]
    used = [step["uses"] for step in workflow["jobs"]["verify"]["steps"] if "uses" in step]
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)
    assert workflow[True] == {"pull_request_target": None}  # YAML reads "on" so


def test_owners_are_named_for_what_ranks():
    owned = [line.split()[0] for line in (ROOT / ".github" / "CODEOWNERS").read_text().splitlines() if line[:1] == "/"]
    assert all((ROOT / path.strip("/")).exists() for path in owned)
    assert {"/.github/", "/leaderboards/results/", "/leaderboards/board/"} <= set(owned)


def changing(repository: Path, *files: str, link: bool = False):
    """What a commit changes that writes these files."""
    base = git(repository, "rev-parse", "HEAD")
    for file in files:
        path = repository / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return read_change(repository, base, commit_all(repository))


def test_changes_of_other_things_are_none_of_the_board(repository):
    change = changing(repository, "docs/new.md")
    assert not (change.proposals or change.entries or change.others)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ((f"{PROPOSAL}/submission.json", "leaderboards/board/trust.py"), "changes the board and leaderboards/board"),
        ((f"{PROPOSAL}/submission.json", ".github/workflows/verify-submissions.yml"), "changes the board and .github"),
        ((f"{PROPOSAL}/submission.json", "leaderboards/results/trust.json"), "changes results and the proposal"),
        (("leaderboards/results/trust.json", "README.md"), "changes the board and README.md"),
        (("leaderboards/results/a/b/v1/row/verified.json", "setup.py"), "changes the board and setup.py"),
        (("leaderboards/proposals/submission.json",), "is no file of a proposal's"),
        ((f"{PROPOSAL}/deeper/submission.json",), "is no file of a proposal's"),
        (("leaderboards/results/conftest.py",), "is no file of an entry's"),
        (("leaderboards/results/grid-world/sitecustomize.py",), "is no file of an entry's"),
    ],
)
def test_mixed_changes_are_refused(files, fault, repository):
    with pytest.raises(ReviewError, match=fault):
        changing(repository, *files)


def test_a_linked_proposal_is_refused(repository, run, tmp_path):
    base = git(repository, "rev-parse", "HEAD")
    (repository / PROPOSAL).mkdir(parents=True)
    (repository / PROPOSAL / "submission.json").symlink_to("/etc/passwd")
    code, _, error = run("board", "review", base, commit_all(repository), "--repository", repository)
    assert code == 2 and f"{PROPOSAL}/submission.json has mode 120000, expected a plain file" in error


@pytest.fixture
def results(repository, solver_folder, random_folder):
    """A repository whose board has one row, and its path; the second row's submission is at hand."""
    board = repository / "leaderboards" / "results"
    submit(solver_folder, board)
    shutil.rmtree(board / "traces")
    (board / ".lock").unlink()
    commit_all(repository)
    return board


def reviewed(repository: Path):
    base = git(repository, "rev-parse", "HEAD")
    shutil.rmtree(repository / "leaderboards" / "results" / "traces", ignore_errors=True)
    (repository / "leaderboards" / "results" / ".lock").unlink(missing_ok=True)
    head = commit_all(repository)
    change = read_change(repository, base, head)
    return review_results(repository, base, head, change, public_key_of(own_root()))


def test_a_keeper_s_row_passes(repository, results, random_folder):
    submit(random_folder, results)
    (entry,) = reviewed(repository)
    assert entry.name == "random"


def test_a_row_signed_by_an_appended_key_is_refused(repository, results, target):
    """The attack that every test let pass while a list of keys was all that a board had."""
    stranger = Verifier(key=bytes(32), secret=bytes(32))
    file = json.loads((results / TRUST_FILE).read_text())
    file["certificates"].append({**file["certificates"][0], "key": stranger.public_key})
    (results / TRUST_FILE).write_text(json.dumps(file))
    with pytest.raises(CorruptBoardError, match=r"certificates\[1\] is .*, expected the root's"):
        reviewed(repository)


def test_a_trust_under_another_root_is_refused(repository, results):
    for path in (results / TRUST_FILE, results / "grid-world/target-a/v1/solver/verified.json"):
        path.write_text(path.read_text().replace(public_key_of(own_root()), public_key_of(bytes(32))))
    with pytest.raises(CorruptBoardError, match="root is"):
        reviewed(repository)


def test_an_edited_row_is_refused(repository, results, target):
    (entry,) = read_entries(target, results)
    record = entry.folder / "verified.json"
    record.write_text(record.read_text().replace('"score":0.9', '"score":1.9'))
    with pytest.raises(InvalidSubmissionError, match=r"signature is .* that of a verifier that the board trusts"):
        reviewed(repository)


def test_nothing_is_taken_back(repository, results):
    revoke("1" * 64, "2026-01-01", "stolen", own_root(), results)
    commit(own_verifier(), results, "2026-01-01", published=bytes(32))
    reviewed(repository)
    file = json.loads((results / TRUST_FILE).read_text())
    for name in ("revocations", "secrets", "commitments"):
        (results / TRUST_FILE).write_text(json.dumps({**file, name: []}))
        with pytest.raises(ReviewError, match=f"takes back one of its {name}"):
            reviewed(repository)
        (results / TRUST_FILE).write_text(json.dumps(file))
        commit_all(repository)


def test_rows_stay(repository, results):
    shutil.rmtree(results / "grid-world")
    with pytest.raises(ReviewError, match="is removed; rows stay, and keys are revoked"):
        reviewed(repository)


def test_installs_what_the_package_offers(workflow):
    (install,) = [step["run"] for step in workflow["jobs"]["verify"]["steps"] if step.get("name") == "Install"]
    extras = install.partition(".[")[2].partition("]")[0].split(",")
    offered = (ROOT / "setup.cfg").read_text().partition("[options.extras_require]")[2]
    assert all(f"\n{extra} =\n" in offered for extra in extras)
