"""The rule of which package may import which, held by reading the source."""

import ast
from collections.abc import Iterator

#: Package -> the packages that it may import. ``package`` is the package itself, whose public names users import.
MAY_IMPORT = {
    "core": {"core"},
    "tasks": {"core", "tasks"},
    "engine": {"core", "engine"},
    "package": {"core", "engine"},
    "envs": {"core", "tasks", "engine", "envs"},
    "baselines": {"core", "tasks", "engine", "envs", "baselines"},
    "leaderboards": {"core", "tasks", "engine", "envs", "baselines", "leaderboards"},
    "testing": {"core", "tasks", "engine", "envs", "baselines", "testing"},
    "apps": {"core", "tasks", "engine", "envs", "baselines", "apps"},
    "text": {"core", "tasks", "engine", "envs", "text"},
    "cli": {"core", "tasks", "engine", "envs", "baselines", "leaderboards", "apps", "text", "cli"},
}
#: The table of environments: it alone names, by string, what its package may not import.
ENVIRONMENTS = "procgen_bench.core.own_environments"


def package_of(module: str) -> str:
    """The package that a module's name lies in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "package"


def imported_modules(module: str, source: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and full name of everything of procgen_bench that a module's source imports or names.

    Imports inside functions are among them, and strings that are the name of a module of the package (also with what
    is in it, behind a colon), by which it could be imported.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            names = [name] if name.replace(".", "_").isidentifier() and "." in name else []
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "procgen_bench")


def wrong_imports(module: str, source: str, is_package: bool = False) -> list[str]:
    """The imports of a module that its package may not make, in words."""
    if module == ENVIRONMENTS:
        return []
    package = package_of(module)
    return [
        f"{module}, line {line}: {package} may not import {name}, which is of {package_of(name)}"
        for line, name in imported_modules(module, source, is_package)
        if package_of(name) not in MAY_IMPORT[package]
    ]
