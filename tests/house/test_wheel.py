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


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The folder of a virtual environment in which the wheel is installed, without extras."""
    folder = tmp_path_factory.mktemp("wheel") / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    pinned = ["--python", folder / "bin" / "python", "install", "--quiet", "--constraint", CHECKOUT / "constraints.txt"]
    run(sys.executable, "-m", "pip", *pinned, wheel, cwd=folder)
    return folder


def test_installed_wheel_plays(environment, tmp_path):
    python, elsewhere = environment / "bin" / "python", tmp_path
    found = json.loads(run(python, "-W", "error", "-c", PLAY_GRADED_7, cwd=elsewhere))
    print(f"import procgen_bench took {found['import seconds']:.3f} s in a fresh environment")
    assert found["file"].startswith(str(environment))
    assert not found["torch"], "torch is there without the extra that brings it"
    assert found["lengths"] == 2 and found["success"], "graded/7 is solved in two steps"
    assert found["bits"] == 500


def test_all_but_training_works_without_extras(environment, tmp_path):
    program, folder = environment / "bin" / "procgen-bench", tmp_path
    assert "Usage" in run(program, "--help", cwd=folder)
    run(program, "evaluate", "grid-world/target-a", "--policy", "solver", "--out", "solver", cwd=folder)
    run(program, "submit", "solver", "--board", "board", cwd=folder)
    assert "solver" in run(program, "leaderboard", "grid-world/target-a", "--board", "board", cwd=folder)
    training = subprocess.run(
        [str(program), "train", "ppo", "grid-world/graded"], cwd=folder, capture_output=True, text=True
    )
    assert training.returncode == 2
    assert training.stderr.count("\n") == 1
    assert "pip install 'procgen-bench[baselines]'" in training.stderr


@pytest.mark.slow  # every family that needs no extra compiles its kernels in order to show its tasks
def test_the_page_is_written_without_extras(environment, tmp_path):
    program = environment / "bin" / "procgen-bench"
    run(program, "evaluate", "grid-world/target-a", "--policy", "solver", "--out", "solver", cwd=tmp_path)
    run(program, "submit", "solver", "--board", "board", cwd=tmp_path)
    run(program, "leaderboard", "--board", "board", "--html", "site", cwd=tmp_path)
    assert (tmp_path / "site" / "grid-world" / "target-a" / "solver" / "index.html").is_file()
