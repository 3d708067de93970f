"""Text files are UTF-8 by word, not by the machine that opens them."""

import ast

import pytest

from tests.architecture.checkout import CHECKOUT, modules

#: Which positional argument of a method states the encoding.
PLACES = {"read_text": 0, "write_text": 1}
MODES = set("rwxab+t")


def opened_without_encoding(source: str) -> list[str]:
    """The calls of a module that open a file as text and do not say of which encoding it is."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [ast.unparse(call) for call in calls if opens_text(call) and not states_encoding(call)]


def opens_text(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in PLACES:
        return True
    name = ast.unparse(call.func)
    if name in ("open", "os.fdopen", "io.open"):
        mode = call.args[1] if len(call.args) > 1 else named(call, "mode")
        return mode is None or "b" not in mode.value
    if isinstance(call.func, ast.Attribute) and call.func.attr == "open":  # a path's, or something else's
        mode = call.args[0] if call.args else named(call, "mode")
        if mode is None:
            return named(call, "newline") is not None
        return isinstance(mode, ast.Constant) and set(str(mode.value)) <= MODES and "b" not in mode.value
    return False


def states_encoding(call: ast.Call) -> bool:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return named(call, "encoding") is not None or len(call.args) > PLACES.get(function, len(call.args))


def named(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def test_every_text_file_states_its_encoding():
    examples = (CHECKOUT / "examples").rglob("*.py")
    found = {path: opened_without_encoding(path.read_text("utf-8")) for path in [*modules().values(), *examples]}
    assert not {str(path.relative_to(CHECKOUT)): calls for path, calls in found.items() if calls}


@pytest.mark.parametrize(
    "call",
    [
        "open(p)",
        "open(p, 'w')",
        "p.read_text()",
        "p.write_text(x)",
        "p.open('w')",
        "p.open(newline='')",
        "os.fdopen(d)",
    ],
)
def test_those_that_do_not_are_found(call):
    assert opened_without_encoding(call) == [call]


@pytest.mark.parametrize(
    "call",
    [
        "open(p, 'rb')",
        "open(p, encoding='utf-8')",
        "p.read_text('utf-8')",
        "p.write_text(x, 'utf-8')",
        "p.open('xb')",
        "p.open('w', encoding='utf-8')",
        "os.open(p, os.O_RDONLY)",
        "Image.open(p)",
        "archive.open(info)",
    ],
)
def test_others_are_not(call):
    assert opened_without_encoding(call) == []
