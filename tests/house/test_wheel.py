"""The built wheel, installed without extras in an environment of its own, far from the checkout."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile

import pytest

from tests.house.checkout import CHECKOUT, ROOM_FOLDERS, modules

PLAY_GRADED_7 = """
import json, time
begun = time.perf_counter()
import procgen_bench
import_seconds = time.perf_counter() - begun

import importlib.util
import gymnasium

env = gymnasium.make("GridWorld-v0")
observation, info = env.reset(seed=0, options={"task": "graded/7"})
steps = [env.step(action) for action in env.unwrapped.task_space.solve(env.unwrapped.task)]
vector = gymnasium.make_vec("GridWorld-v0", num_envs=4, vectorization_mode="vector_entry_point", tasks="targets")
vector.reset(seed=0)
vector.step([0, 1, 2, 3])
bits = gymnasium.make("BitGrid-v0", tasks="test")
bits.reset(seed=0)
print(json.dumps({
    "file": procgen_bench.__file__,
    "version": procgen_bench.__version__,
    "import seconds": import_seconds,
    "lengths": len(steps),
    "success": steps[-1][4]["success"],
    "bits": len(bits.unwrapped.task_space.suite("test")),
    "torch": importlib.util.find_spec("torch") is not None,
}))
"""


def run(*command, cwd, **options) -> str:
    """Standard output of a command; its error output is shown when it fails."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    process = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True, **options
    )
    assert process.returncode == 0, f"{command} failed:\n{process.stdout[-3000:]}\n{process.stderr[-3000:]}"
    return process.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of what the wheel is made of, so that building leaves nothing in the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for folder in ROOM_FOLDERS.values():
        shutil.copytree(folder, source / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, source)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", target, source, cwd=target)
    (path,) = target.glob("*.whl")
    return path


def test_wheel_holds_every_module_and_nothing_else(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".py")]
    expected = []
    for module, path in modules().items():
        stem = module.replace(".", "/")
        expected.append(f"{stem}/__init__.py" if path.name == "__init__.py" else f"{stem}.py")
    assert sorted(names) == sorted(expected)


def test_installed_wheel_plays(wheel, tmp_path):
    environment, elsewhere = tmp_path / "environment", tmp_path / "elsewhere"
    elsewhere.mkdir()
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    constraints = CHECKOUT / "constraints.txt"
    pinned = ["--constraint", constraints] if constraints.exists() else []
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *pinned, wheel, cwd=elsewhere)
    found = json.loads(run(python, "-W", "error", "-c", PLAY_GRADED_7, cwd=elsewhere))
    print(f"import procgen_bench took {found['import seconds']:.3f} s in a fresh environment")
    assert found["file"].startswith(str(environment))
    assert not found["torch"], "torch is there without the extra that brings it"
    assert found["lengths"] == 2 and found["success"], "graded/7 is solved in two steps"
    assert found["bits"] == 500
    assert_command_line_serves(environment / "bin" / "procgen-bench", elsewhere)


def assert_command_line_serves(program, folder):
    """All but training works without extras; training says which extra it needs."""
    assert "Usage" in run(program, "--help", cwd=folder)
    run(program, "evaluate", "grid-world/target-a", "--policy", "solver", "--out", "solver", cwd=folder)
    run(program, "submit", "solver", "--board", "board", cwd=folder)
    assert "solver" in run(program, "leaderboard", "grid-world/target-a", "--board", "board", cwd=folder)
    run(program, "leaderboard", "--board", "board", "--html", "site", cwd=folder)
    assert (folder / "site" / "grid-world" / "target-a" / "solver" / "index.html").is_file()
    training = subprocess.run(
        [str(program), "train", "ppo", "grid-world/graded"], cwd=folder, capture_output=True, text=True
    )
    assert training.returncode == 2
    assert training.stderr.count("\n") == 1
    assert "pip install 'procgen-bench[baselines]'" in training.stderr
