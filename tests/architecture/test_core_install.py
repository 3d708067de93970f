"""What works without the packages that only extras bring; the rest names its extra in one line.

What is left out where a package is missing: all that imports it, and nothing that is not there.
"""

import ast
import json
import sys
from fnmatch import fnmatch

import pytest

from procgen_bench import ENVIRONMENT_IDS
from tests.architecture.checkout import CHECKOUT, lines, modules
from tests.architecture.installing import run
from tests.architecture.test_wheel import CORE_IDS
from tests.installed import ENVIRONMENTS, MODULES, TESTS

#: Package -> its distribution.
MOVED = {"scipy": "scipy", "imageio": "imageio", "imageio_ffmpeg": "imageio-ffmpeg"}
WITHOUT = f"import sys\nsys.modules.update(dict.fromkeys({list(MOVED)}))\n"
PLAY_CORE = f"""
import json
import gymnasium, procgen_bench
import numpy as np
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.engine.recording import check_clip_path
from procgen_bench.leaderboards.xland.matrix_games import game_value

solved = []
for name in {CORE_IDS}:
    env = gymnasium.make(name, tasks="solvable", render_mode="rgb_array")
    env.reset(seed=0)
    if env.unwrapped.task_space.solve(env.unwrapped.task) is not None:
        solved.append(name)
    env.step(env.action_space.sample())
    env.render()

space = procgen_bench.make_task_space("BitGrid-v0")
goal = np.full((13, 13), -1, np.float32)
goal[0], goal[1, 0] = 1, 1
many = space.decode(space.encode(space.suite("test")["0"]) | {{"goal": goal}})

def refusal(call, *arguments):
    try:
        call(*arguments)
    except MissingExtraError as error:
        return str(error)

refused = [
    refusal(space.solve, many),
    refusal(game_value, np.array([[1.0, 0.0], [0.0, 2.0]])),
    refusal(check_clip_path, "film.mp4"),
    refusal(check_clip_path, "film.gif"),
]
print(json.dumps([solved, refused]))
"""


def test_core_environments_need_none_of_the_extras_packages(tmp_path):
    solved, refused = json.loads(run(sys.executable, "-c", WITHOUT + PLAY_CORE, cwd=CHECKOUT))
    assert solved == CORE_IDS
    assert refused == [
        "scipy is not installed; install it with: pip install 'procgen-bench[solvers]'",
        "scipy is not installed; install it with: pip install 'procgen-bench[solvers]'",
        "imageio_ffmpeg is not installed; install it with: pip install 'procgen-bench[film]'",
        None,
    ]


@pytest.mark.parametrize("distribution", MOVED.values())
def test_core_install_asks_for_none_of_them(distribution):
    assert not [line for line in lines("options", "install_requires") if line.startswith(distribution)]


FOLDER = CHECKOUT / "tests"
#: Package -> what is imported of the extra that it stands for.
IMPORTED = {"torch": {"torch", "stable_baselines3"}, "pybullet": {"pybullet"}, "sphinx": {"sphinx"}}


def imported_packages(source: str) -> set[str]:
    """The packages that a file needs as soon as it is imported."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("package", TESTS)
def test_tests_that_import_a_package_go_with_it(package):
    for path in FOLDER.rglob("test_*.py"):
        if imported_packages(path.read_text()) & IMPORTED[package]:
            name = path.relative_to(FOLDER).as_posix()
            assert any(fnmatch(name, pattern) for pattern in TESTS[package]), f"{name} imports {package}"


def test_all_that_is_left_out_is_there():
    for pattern in [pattern for patterns in TESTS.values() for pattern in patterns]:
        assert any(FOLDER.glob(pattern)), f"no test is called {pattern}"
    for prefix in [prefix for prefixes in MODULES.values() for prefix in prefixes]:
        assert any(module.startswith(prefix) for module in modules()), f"no module begins with {prefix}"
    assert {name for names in ENVIRONMENTS.values() for name in names} <= set(ENVIRONMENT_IDS)
