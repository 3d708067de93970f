"""The rule that rooms import only to their left, held by reading the source."""

import ast
from collections.abc import Iterator

#: From left to right; a room may import itself and what stands before it.
ROOMS = ("procgen_bench", "tasks", "envs", "baselines", "leaderboards", "cli")


def room_of(module: str) -> str:
    """The room that a module's name lies in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS[1:] else "procgen_bench"


def imported_modules(module: str, source: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and full name of everything of procgen_bench that a module's source imports, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "procgen_bench")


def wrong_imports(module: str, source: str, is_package: bool = False) -> list[str]:
    """The imports of a module that go to its right, in words."""
    room = room_of(module)
    return [
        f"{module}, line {line}: {room} may not import {name}, which is of {room_of(name)}"
        for line, name in imported_modules(module, source, is_package)
        if ROOMS.index(room_of(name)) > ROOMS.index(room)
    ]
