"""The notebook of the trained agent: its file is one that Jupyter opens, and its cells run and find what they say."""

import ast
import base64
import importlib
import json
import re
import warnings

import pytest

from tests.architecture.checkout import CHECKOUT

PATH = CHECKOUT / "examples" / "trained_agent.ipynb"
NOTEBOOK = json.loads(PATH.read_text(encoding="utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
SOURCES = ["".join(cell["source"]) for cell in CODE]
OUTPUTS = [output for cell in CODE for output in cell["outputs"]]
PNG = b"\x89PNG\r\n"
#: Bytes of all pictures together.
MOST_BYTES = 200_000
#: Keys of cells and outputs, by type, in nbformat 4.5.
_CELL = {"cell_type", "id", "metadata", "source"}
CELL_KEYS = {"markdown": _CELL, "code": _CELL | {"execution_count", "outputs"}}
OUTPUT_KEYS = {"stream": {"output_type", "name", "text"}, "display_data": {"output_type", "data", "metadata"}}


def test_it_is_a_notebook_with_small_outputs():
    """As nbformat 4.5 has it, with a result below every cell, no error, no warning, and nothing of one machine."""
    assert set(NOTEBOOK) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    for cell in NOTEBOOK["cells"]:
        assert set(cell) == CELL_KEYS[cell["cell_type"]], cell["id"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]) and isinstance(cell["metadata"], dict)
        assert all(isinstance(line, str) for line in cell["source"])
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    assert all(cell["outputs"] and cell["execution_count"] is None for cell in CODE)
    for output in OUTPUTS:
        assert set(output) == OUTPUT_KEYS[output["output_type"]] and output.get("name") != "stderr"
    pictures = [base64.b64decode(output["data"]["image/png"]) for output in OUTPUTS if "data" in output]
    assert all(picture.startswith(PNG) for picture in pictures) and sum(map(len, pictures)) < MOST_BYTES
    texts = ["".join(output.get("text", "")) for output in OUTPUTS] + ["".join(c["source"]) for c in NOTEBOOK["cells"]]
    assert not re.search(r"(?<![\w.])(/home|/root|/tmp|/usr|/work|/Users|[A-Z]:\\)", "\n".join(texts))


def test_its_imports_and_links_exist():
    for source in SOURCES:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module)
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{node.module} has no {alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    importlib.import_module(alias.name)
    texts = "".join("".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "markdown")
    for link in re.findall(r"\]\(([^)]+)\)", texts):
        assert (PATH.parent / link).exists(), link


def run_cell(source, names):
    """Run a cell as Jupyter does, and return the value of its last line, which is shown."""
    lines, shown = ast.parse(source).body, None
    if isinstance(lines[-1], ast.Expr):
        shown = ast.Expression(lines.pop().value)
    exec(compile(ast.Module(lines, []), PATH.name, "exec"), names)
    return None if shown is None else eval(compile(shown, PATH.name, "eval"), names)


@pytest.mark.slow
def test_it_runs_and_finds_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        shown = dict(zip((cell["id"] for cell in CODE), [run_cell(source, names) for source in SOURCES]))
    names["plt"].close("all")
    assert len(names["actions"]) == 300 and sum(moment.rewards[0] for moment in names["moments"]) > 150
    assert shown["film"]._repr_png_().startswith(PNG) and len(shown["film"].pictures) == 25
    after = {arm: steps[:, 1, 150:].mean() for arm, steps in names["met"].items()}
    assert after["swapped"] > 0.35 > 0.2 > after["first goal kept"]
    assert names["episode"].option_values.shape[1] == len(names["options"]) == 3
    assert names["accuracies"]["scene"] > 0.9 and max(names["by_chance"].values()) < 0.6
