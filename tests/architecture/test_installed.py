"""What is left out where a package is missing: all that imports it, and nothing that is not there."""

import ast
from fnmatch import fnmatch

import pytest

from procgen_bench import ENVIRONMENT_IDS
from tests.architecture.checkout import CHECKOUT, modules
from tests.installed import ENVIRONMENTS, MODULES, TESTS

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
