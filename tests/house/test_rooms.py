import pytest

from tests.house.checkout import CHECKOUT, ROOM_FOLDERS, SETUP, lines, modules
from tests.house.imports import ROOMS, imported_modules, room_of, wrong_imports


def test_rooms_are_those_of_the_design():
    assert {name: folder.name for name, folder in ROOM_FOLDERS.items()} == {
        "procgen_bench": "procgen_bench",
        "procgen_bench.tasks": "tasks",
        "procgen_bench.envs": "envs",
        "procgen_bench.baselines": "baselines",
        "procgen_bench.leaderboards": "leaderboards",
    }
    assert len(modules()) > 30


@pytest.mark.parametrize("module", sorted(modules()))
def test_rooms_import_only_to_their_left(module):
    path = modules()[module]
    assert not wrong_imports(module, path.read_text(), path.name == "__init__.py")


@pytest.mark.parametrize("module", sorted(name for name in modules() if room_of(name) != "cli"))
def test_nothing_but_the_command_line_imports_the_command_line(module):
    path = modules()[module]
    names = [name for _, name in imported_modules(module, path.read_text(), path.name == "__init__.py")]
    assert not [name for name in names if name.startswith("procgen_bench.cli")]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("procgen_bench.task", "import procgen_bench.tasks.grid_world"),
        ("procgen_bench.task", "def load():\n    from procgen_bench.envs import grid_world"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench.envs.grid_world.kernel import VIEW_SIDE"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench import envs"),
        ("procgen_bench.tasks.grid_world.space", "from ...envs import grid_world"),
        ("procgen_bench.envs.grid_world", "if True:\n    import numpy, procgen_bench.baselines as who"),
        ("procgen_bench.baselines.dqn", "class A:\n    from procgen_bench.leaderboards import board"),
        ("procgen_bench.leaderboards.board", "from procgen_bench.cli import main"),
        ("procgen_bench.seeding", "from . import cli"),
    ],
)
def test_import_to_the_right_is_noticed(module, source):
    assert len(wrong_imports(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("procgen_bench.leaderboards.board", "from procgen_bench import envs, tasks, baselines, errors"),
        ("procgen_bench.cli.play", "from procgen_bench.leaderboards import board"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench.task_space import TaskSpace"),
        ("procgen_bench.tasks.grid_world.space", "from .layout import place_objects"),
        ("procgen_bench.task", "import importlib\nimportlib.import_module('procgen_bench.leaderboards.benchmarks')"),
        ("procgen_bench.baselines.dqn", "import torch, tasks_of_another_package"),
    ],
)
def test_import_to_the_left_is_allowed(module, source):
    assert wrong_imports(module, source) == []


def test_relative_imports_of_packages_are_followed():
    assert wrong_imports("procgen_bench.tasks.grid_world", "from ..envs import x", is_package=True) == []
    assert len(wrong_imports("procgen_bench.tasks", "from ..envs import x", is_package=True)) == 1
    assert ROOMS[-1] == "cli"


def test_every_module_has_a_room_of_its_own():
    homeless = {"utils", "common", "misc"}
    assert not [name for name in modules() if homeless.intersection(name.split("."))]
    tests = [path for path in (CHECKOUT / "tests").rglob("*.py") if homeless.intersection({path.stem, *path.parts})]
    assert not tests


def test_setup_lists_every_package():
    found = {name for name, path in modules().items() if path.name == "__init__.py"}
    assert sorted(lines("options", "packages")) == sorted(found)


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in modules().values()}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_package_data_is_listed():
    """Every file in the rooms that is no module is in the wheel."""
    packages = {name: path.parent for name, path in modules().items() if path.name == "__init__.py"}
    installed = {
        path
        for package, patterns in SETUP["options.package_data"].items()
        for pattern in patterns.split(", ")
        for path in packages[package].glob(pattern)
    }
    for folder in ROOM_FOLDERS.values():
        for path in folder.rglob("*"):
            hidden = path.name.startswith(".")  # what submits leave on a board: the lock, unfinished folders
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts and not hidden:
                assert path in installed, f"{path.relative_to(CHECKOUT)} is in no wheel: list it under package_data"
