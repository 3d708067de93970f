"""A clone without symbolic links, as Git makes one on Windows without developer mode."""

import shutil
import sys

import pytest

from tests.architecture.checkout import LINKED_PACKAGES
from tests.architecture.installing import run

PLAY = """
import gymnasium, procgen_bench
import procgen_bench.baselines.method_table, procgen_bench.leaderboards.submission.folder
env = gymnasium.make("GridWorld-v0")
env.reset(seed=0, options={"task": "graded/7"})
for action in env.unwrapped.task_space.solve(env.unwrapped.task):
    *_, info = env.step(action)
print(procgen_bench.baselines.__file__, info["success"])
"""


@pytest.fixture(scope="module")
def clone(checkout, tmp_path_factory):
    """A copy of the checkout in which a file with the link's target stands for every link, as Git writes it."""
    folder = tmp_path_factory.mktemp("clone") / "here"
    shutil.copytree(checkout, folder, symlinks=True)
    for name in LINKED_PACKAGES:
        link = folder / "procgen_bench" / name
        target = link.readlink()
        link.unlink()
        link.write_text(str(target))
    return folder


@pytest.mark.slow
def test_a_clone_without_links_imports_and_plays(clone):
    file, success = run(sys.executable, "-c", PLAY, cwd=clone).split()
    assert file == str(clone / "baselines" / "__init__.py") and success == "True"


@pytest.mark.slow
def test_its_command_line_evaluates(clone, tmp_path):
    command = ("evaluate", "grid-world/target-a", "--policy", "solver", "--out", tmp_path / "solver")
    assert f"wrote {tmp_path / 'solver'}" in run(sys.executable, "-m", "procgen_bench.cli", *command, cwd=clone)
