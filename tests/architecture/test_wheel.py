"""What is built of a checkout: the wheel installed without extras, beside the checkout and far from it; the sdist."""

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.architecture.checkout import CHECKOUT, modules
from tests.architecture.installing import lend_requirements, made_environment, pip, run, site_packages

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
    "extras": [name for name in ("torch", "scipy", "imageio", "imageio_ffmpeg") if importlib.util.find_spec(name)],
}))
"""

#: The environments that need no extra.
CORE_IDS = [
    "GridWorld-v0",
    "GridWorldLarge-v0",
    "GMiniWoB-v0",
    "BitGrid-v0",
    "SparsePointMaze-v0",
    "VoxelBuild-v0",
    "VoxelBuildSmall-v0",
    "CompositionalMiniGrid-v0",
    "CompositionalMiniGridSparse-v0",
    "UEDMaze-v0",
]
MAKE_CORE_ENVIRONMENTS = f"""
import json
import gymnasium, procgen_bench
import procgen_bench.tasks.bit_grid.tours  # what solvers load when they are asked

made = [gymnasium.make(name).spec.id for name in {CORE_IDS}]
print(json.dumps([procgen_bench.__file__, made]))
"""


@pytest.fixture(scope="module")
def unpacked_sdist(built, tmp_path_factory):
    """The one folder that the sdist holds."""
    target = tmp_path_factory.mktemp("unpacked")
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(target, filter="data")
    (folder,) = target.iterdir()
    return folder


def contents(wheel: Path) -> dict[str, bytes]:
    """Every file of a wheel by name; the lines of its own list of files are sorted."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    return files | {record: b"".join(sorted(files[record].splitlines(keepends=True)))}


def test_wheel_holds_every_module_and_nothing_else(wheel):
    names = [name for name in contents(wheel) if name.endswith(".py")]
    expected = []
    for module, path in modules().items():
        stem = module.replace(".", "/")
        expected.append(f"{stem}/__init__.py" if path.name == "__init__.py" else f"{stem}.py")
    assert sorted(names) == sorted(expected)


@pytest.mark.slow  # builds once more
def test_sdist_builds_to_the_wheel_that_the_checkout_builds_to(wheel, unpacked_sdist, tmp_path):
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, unpacked_sdist, cwd=tmp_path)
    (rebuilt,) = tmp_path.glob("*.whl")
    assert rebuilt.name == wheel.name
    ours, theirs = contents(wheel), contents(rebuilt)
    assert sorted(ours) == sorted(theirs)
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_published_results_are_in_no_package(checkout, wheel, unpacked_sdist):
    assert any((checkout / "leaderboards" / "results").rglob("submission.json")), "there is nothing to leave out"
    assert [name for name in contents(wheel) if "leaderboards/results/" in name] == []
    assert list(unpacked_sdist.rglob("leaderboards/results")) == []


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The folder of a virtual environment in which the wheel is installed, with what it requires without extras."""
    folder = made_environment(tmp_path_factory.mktemp("wheel"))
    pip(folder, "--no-deps", wheel)
    lend_requirements(folder, "procgen-bench")
    return folder


@pytest.fixture(scope="module")
def editable(checkout, environment, tmp_path_factory):
    """One in which the checkout is installed to be edited; what it needs is borrowed from the other environment."""
    folder = made_environment(tmp_path_factory.mktemp("editable"))
    pip(folder, "--no-deps", "--editable", checkout)
    for needed in site_packages(environment).iterdir():
        if not needed.name.startswith(("procgen_bench", "__pycache__")):
            (site_packages(folder) / needed.name).symlink_to(needed)
    return folder


#: Installed from the wheel; editable is what every other test runs in, but for the folder.
INSTALLED = ["environment", pytest.param("editable", marks=pytest.mark.slow)]


@pytest.mark.parametrize("installed", INSTALLED)
@pytest.mark.parametrize("in_checkout", [True, False])
def test_every_core_environment_is_made(installed, in_checkout, checkout, request, tmp_path):
    folder = request.getfixturevalue(installed)
    found = run(folder / "bin" / "python", "-c", MAKE_CORE_ENVIRONMENTS, cwd=checkout if in_checkout else tmp_path)
    file, made = json.loads(found)
    assert Path(file).is_relative_to(checkout if in_checkout or installed == "editable" else folder)
    assert made == CORE_IDS


@pytest.mark.slow  # every package is downloaded
def test_pip_finds_what_the_wheel_requires(wheel, tmp_path):
    folder = made_environment(tmp_path)
    pip(folder, "--constraint", CHECKOUT / "constraints.txt", wheel)
    _, made = json.loads(run(folder / "bin" / "python", "-c", MAKE_CORE_ENVIRONMENTS, cwd=tmp_path))
    assert made == CORE_IDS


@pytest.mark.parametrize("installed", INSTALLED)
def test_suites_are_generated_in_the_checkout(installed, checkout, request, tmp_path):
    python = request.getfixturevalue(installed) / "bin" / "python"
    run(python, "-m", "procgen_bench.tasks.generate", "bit_grid", tmp_path, cwd=checkout)
    committed = CHECKOUT / "tasks" / "bit_grid" / "data"
    assert [path.name for path in tmp_path.iterdir()] == [path.name for path in committed.iterdir()]


def test_installed_wheel_plays(environment, tmp_path):
    python, elsewhere = environment / "bin" / "python", tmp_path
    found = json.loads(run(python, "-W", "error", "-c", PLAY_GRADED_7, cwd=elsewhere))
    print(f"import procgen_bench took {found['import seconds']:.3f} s in a fresh environment")
    assert found["file"].startswith(str(environment))
    assert found["extras"] == [], "they are there without the extra that brings them"
    assert found["lengths"] == 2 and found["success"], "graded/7 is solved in two steps"
    assert found["bits"] == 500


@pytest.mark.slow
def test_what_needs_no_extra_works_without_and_the_rest_names_its_own(environment, tmp_path):
    program, folder = environment / "bin" / "procgen-bench", tmp_path
    assert "Usage" in run(program, "--help", cwd=folder)
    assert "recurrent-ppo" in run(program, "list", cwd=folder)
    run(program, "evaluate", "grid-world/target-a", "--policy", "solver", "--out", "solver", cwd=folder)
    run(program, "render", "solver", "--out", "solver.gif", cwd=folder)
    run(program, "evaluate", "grid-world/target-a", *5 * ["--policy", "random"], "--out", "random", cwd=folder)
    for submission in ("solver", "random"):
        run(program, "submit", submission, "--board", "board", cwd=folder)
    assert "solver" in run(program, "leaderboard", "grid-world/target-a", "--board", "board", cwd=folder)
    assert "apt-gen" in run(program, "leaderboard", "grid-world/target-c", cwd=folder)  # the board that ships
    for extra, *refused in [
        ("baselines", "train", "ppo", "grid-world/graded"),
        ("site", "leaderboard", "--board", "board", "--html", "site"),
        ("film", "render", "solver", "--out", "solver.mp4"),
    ]:
        process = subprocess.run([str(program), *refused], cwd=folder, capture_output=True, text=True)
        assert process.returncode == 2
        assert process.stderr.count("\n") == 1
        assert f"pip install 'procgen-bench[{extra}]'" in process.stderr
