"""The notebook of ten minutes: its cells run one after another, with few steps of training."""

import ast
import json
import re

import pytest

from tests.architecture.checkout import CHECKOUT
from tests.examples.test_trained_agent import CELL_KEYS, run_cell

PATH = CHECKOUT / "examples" / "ten_minutes.ipynb"
NOTEBOOK = json.loads(PATH.read_text(encoding="utf-8"))
SOURCES = {cell["id"]: "".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"}


def test_it_is_a_notebook_without_outputs_that_installs_first():
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    for cell in NOTEBOOK["cells"]:
        assert set(cell) == CELL_KEYS[cell["cell_type"]] and cell.get("outputs", []) == []
    (first, *others) = SOURCES.values()
    assert all(line.startswith("%pip install ") for line in first.splitlines())
    assert all(ast.parse(source) for source in others), "the others are plain Python"


def test_its_links_lead_somewhere():
    texts = "".join("".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)]+)\)", texts)
    assert links and all((PATH.parent / link).exists() for link in links)


@pytest.mark.slow
def test_it_installs_watches_trains_and_scores(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    names: dict = {"__name__": "__main__"}
    shown = {}
    for name, source in [*SOURCES.items()][1:]:
        shown[name] = run_cell(source.replace("STEPS = 500_000", "STEPS = 20_000"), names)
    names["plt"].close("all")
    assert names["info"]["success"] and "data:image/gif;base64,R0lG" in shown["watch"]._repr_html_()
    assert all(len(curve) >= 2 for curve in names["curves"].values())
    said = capsys.readouterr().out
    assert {"ppo under uniform", "ppo under ladder"} <= {*re.findall(r"graded: (.*) enters with", said)}
    assert re.search(r"scored tasks of grid-world/graded: ppo under \w+ 0\.\d+ by 1 run", said)
    assert "R0lG" in shown["film"]._repr_html_()
