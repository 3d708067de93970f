import ast
import re
import sys
from functools import cache
from pathlib import Path

import networkx
import pytest

import procgen_bench
from tests.architecture.checkout import CHECKOUT, LINKED_PACKAGES, PACKAGE, SETUP, files, modules
from tests.architecture.imports import imported_modules, wrong_imports
from tests.architecture.installing import run


def test_packages_are_those_of_the_design():
    for package in LINKED_PACKAGES:
        assert (CHECKOUT / package).is_dir() and not (CHECKOUT / package).is_symlink()
        assert (PACKAGE / package).readlink() == Path("..") / package
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages == {"core", "engine", "apps", "cli", "testing", "text", *LINKED_PACKAGES}
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py"}
    assert len(modules()) > 30


def test_packages_import_what_they_may():
    sources = [(module, path.read_text(), path.name == "__init__.py") for module, path in sorted(modules().items())]
    assert [offence for source in sources for offence in wrong_imports(*source)] == []


def has_functions(path: Path) -> bool:
    """Whether a file is read for what it does; one without functions is a table."""
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text())))


@cache
def import_graph() -> networkx.DiGraph:
    """Module -> the modules that it imports or names; what tables name, files without functions, does not count.

    They are loaded on first use.
    """
    known, graph = modules(), networkx.DiGraph()
    for module, path in known.items():
        source = path.read_text()
        if not has_functions(path):
            top = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
            source = "\n".join(map(ast.unparse, top))
        for _, name in imported_modules(module, source, path.name == "__init__.py"):
            while name not in known:  # what is imported from a module
                name = name.rpartition(".")[0]
            graph.add_edge(module, name)
    return graph


def test_imports_run_in_no_circle():
    graph = import_graph().copy()
    graph.remove_edges_from([edge for edge in graph.edges if edge[0].startswith(f"{edge[1]}.")])  # a package's names
    assert [sorted(circle) for circle in networkx.strongly_connected_components(graph) if len(circle) > 1] == []


#: Packages of baselines/, each of which may import those before it; modules beside them are below all.
BASELINES = ("policies", "training", "parts", "curricula", "methods", "fast", "papers")
#: Most modules and lines of baselines/ that reading a method takes, by its module; without the compiled code that
#: tables name, which a run loads where it can be used.
CLOSURES = {
    "methods.ppo": (18, 3_100),
    "methods.vmpo": (20, 3_400),
    "papers.code.pair_ppo": (23, 3_900),
    "methods.sac": (20, 3_050),
    "papers.alphanpi_x.npi_goals": (39, 6_350),
    "papers.sibling_rivalry.goal_replay": (40, 6_800),
    "papers.alphanpi_x.alphanpi_x": (45, 7_050),
    "papers.sibling_rivalry.sibling_rivalry": (41, 6_500),
    "methods.dqn": (35, 4_300),
    "papers.open_ended.agents": (29, 4_600),
}


def layer_of(module: str) -> int:
    """The place of a module of baselines/ in the order of its packages; 0: it lies beside them."""
    name = module.removeprefix("procgen_bench.baselines.").partition(".")[0]
    return 1 + BASELINES.index(name) if name in BASELINES else 0


def baselines_graph() -> networkx.DiGraph:
    inside = [name for name in import_graph() if name.startswith("procgen_bench.baselines.")]
    return networkx.DiGraph(import_graph().subgraph(inside))


def test_packages_of_baselines_import_one_way():
    """By package, not only by file: contracts lie below what fulfils them."""
    graph = baselines_graph()
    layered = [edge for edge in graph.edges if all(layer_of(module) for module in edge)]
    assert [edge for edge in layered if layer_of(edge[0]) < layer_of(edge[1])] == []
    assert {layer_of(module) for module in graph} == set(range(len(BASELINES) + 1))


def test_a_papers_folder_imports_no_other_papers():
    papers = "procgen_bench.baselines.papers."
    apart = [edge for edge in baselines_graph().edges if all(module.startswith(papers) for module in edge)]
    assert [edge for edge in apart if len({module.split(".")[3] for module in edge}) > 1] == [] != apart


@pytest.mark.parametrize("method", CLOSURES)
def test_a_method_is_read_in_few_files(method):
    graph, known = baselines_graph(), modules()
    root = f"procgen_bench.baselines.{method}"
    closure = networkx.descendants(graph, root) | {root}
    read = [name for name in closure if known[name].name != "__init__.py" and has_functions(known[name])]
    most_files, most_lines = CLOSURES[method]
    assert len(read) <= most_files
    assert sum(len(known[name].read_text().splitlines()) for name in read) <= most_lines


def test_kernels_are_compiled_through_one_door():
    """Numba's own decorators keep a kernel whose callees have changed; ``procgen_bench.core.compiled`` does not."""
    door = "procgen_bench.core.compiled"
    direct = re.compile(r"^\s*(from numba import .*jit|import numba|@numba\.)", re.MULTILINE)
    assert [name for name, path in modules().items() if direct.search(path.read_text())] == [door]


def test_environments_load_nothing_that_solvers_alone_need():
    """Every worker of a vector environment is a process that loads its environment again."""
    names = ["bit_grid", "point_maze", "table_push", "voxel_build", "web", "xland.environment"]
    loaded = "; ".join(f"import procgen_bench.envs.{name}" for name in names)
    asked = "print([name for name in ('networkx', 'scipy.linalg', 'scipy.optimize') if name in sys.modules])"
    assert run(sys.executable, "-c", f"import sys; {loaded}; {asked}", cwd=CHECKOUT) == "[]\n"


def test_public_names_are_there_and_documented():
    assert [name for name in procgen_bench.__all__ if not hasattr(procgen_bench, name)] == []
    for name in set(procgen_bench.__all__) - {"__version__"}:
        assert f"``{name}" in procgen_bench.__doc__, f"{name} is public, and procgen_bench's docstring does not name it"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        procgen_bench.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("procgen_bench.core.task", "import procgen_bench.tasks.grid_world"),
        ("procgen_bench.core.task", "def load():\n    from procgen_bench.envs import grid_world"),
        ("procgen_bench.core.task", "from procgen_bench.engine.task_env import TaskEnv"),
        ("procgen_bench.core.task", "import importlib\nimportlib.import_module('procgen_bench.leaderboards.board')"),
        ("procgen_bench.engine.task_env", "from procgen_bench.tasks.grid_world import GridWorldTask"),
        ("procgen_bench.engine.task_env", "ENV = 'procgen_bench.envs.grid_world:GridWorldEnv'"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench.engine.task_env import TaskEnv"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench.envs.grid_world.kernel import VIEW_SIDE"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench import envs"),
        ("procgen_bench.tasks.grid_world.space", "from ...envs import grid_world"),
        ("procgen_bench.envs.grid_world", "if True:\n    import numpy, procgen_bench.baselines as who"),
        ("procgen_bench.baselines.dqn", "class A:\n    from procgen_bench.leaderboards import board"),
        ("procgen_bench.leaderboards.board.board", "from procgen_bench.cli import main"),
        ("procgen_bench.core.seeding", "from .. import cli"),
    ],
)
def test_import_of_a_room_that_may_not_be_is_noticed(module, source):
    assert len(wrong_imports(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("procgen_bench.leaderboards.board.board", "from procgen_bench import envs, tasks, baselines, core, engine"),
        ("procgen_bench.cli.play", "from procgen_bench.leaderboards import board"),
        ("procgen_bench.tasks.grid_world.space", "from procgen_bench.core.task_space import TaskSpace"),
        ("procgen_bench.tasks.grid_world.space", "from .layout import place_objects"),
        ("procgen_bench.envs.xland", "import_extra('procgen_bench.envs.xland.environment', 'mujoco')"),
        ("procgen_bench.baselines.dqn", "import torch, tasks_of_another_package"),
        ("procgen_bench.core.task", '"""As procgen_bench.envs.xland does."""'),
    ],
)
def test_other_imports_are_allowed(module, source):
    assert wrong_imports(module, source) == []


def test_relative_imports_of_packages_are_followed():
    assert wrong_imports("procgen_bench.tasks.grid_world", "from ..envs import x", is_package=True) == []
    assert len(wrong_imports("procgen_bench.tasks", "from ..envs import x", is_package=True)) == 1


def test_no_module_is_of_leftovers():
    leftovers = {"utils", "common", "misc"}
    assert not [name for name in modules() if leftovers.intersection(name.split("."))]
    tests = [path for path in (CHECKOUT / "tests").rglob("*.py") if leftovers.intersection({path.stem, *path.parts})]
    assert not tests


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in modules().values()}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]


def test_package_data_is_listed():
    """Every file in the packages that is no module is in the wheel, but for published results and proposals."""
    patterns = [pattern for line in SETUP["options.package_data"].values() for pattern in line.split(", ")]
    folders = {path.parent for path in modules().values()}
    installed = {path for folder in folders for pattern in patterns for path in folder.glob(pattern)}
    rows = {PACKAGE / "leaderboards" / name for name in ("results", "proposals")}
    for path in files("*"):
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts:
            assert (path in installed) == rows.isdisjoint(path.parents), (
                f"{path.relative_to(CHECKOUT)}: see package_data"
            )
