"""The workflow that verifies what pull requests propose: its own lines, run over a repository as they will be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "verify-submissions.yml"


@pytest.fixture(scope="module")
def workflow():
    return yaml.safe_load(WORKFLOW.read_text())


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository with a base commit, and the names of what the workflow is given."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "README.md").write_text("a repository\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


def verified(workflow, repository: Path) -> subprocess.CompletedProcess:
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "proposal")
    (step,) = [step for step in workflow["jobs"]["verify"]["steps"] if step.get("name") == "Verify"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "BASE": base, "PATH": path, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", step["run"]], cwd=repository, env=environment, capture_output=True, text=True)


def test_honest_proposals_pass_and_forged_ones_do_not(workflow, repository, random_folder):
    proposal = repository / "leaderboards" / "proposals" / "random"
    shutil.copytree(random_folder, proposal)
    done = verified(workflow, repository)
    assert done.returncode == 0, done.stderr
    assert "== leaderboards/proposals/random" in done.stdout and "verified:" in done.stdout
    text = (proposal / "submission.json").read_text()
    (proposal / "submission.json").write_text(text.replace('"claimed_score": -0.', '"claimed_score": 0.'))
    done = verified(workflow, repository)
    assert done.returncode == 2 and "claimed_score" in done.stderr


def test_installs_what_the_package_offers(workflow):
    (install,) = [step["run"] for step in workflow["jobs"]["verify"]["steps"] if step.get("name") == "Install"]
    extras = install.partition(".[")[2].partition("]")[0].split(",")
    offered = (ROOT / "setup.cfg").read_text().partition("[options.extras_require]")[2]
    assert all(f"\n{extra} =\n" in offered for extra in extras)
