"""Pages that are written from the tables."""

import dataclasses
import re

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.teacher_table import TEACHERS
from tests.architecture.checkout import CHECKOUT


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "docs")
    from catalogue_pages import catalogue

    return catalogue()


def test_every_row_leads_to_a_page_that_tells_of_it(pages):
    for table in ("environments.inc", "methods.inc", "teachers.inc"):
        links = re.findall(r"\[(\S+)\]\(generated/(\S+)\)", pages[table])
        assert links and all(name in pages[page] for name, page in links)
    assert [name for name, _ in links] == [*TEACHERS]
    assert "| `paired` | `objective=paired,entropy_weight=0.1` |" in pages["teachers/code.md"]
    assert re.search(r"Where `designs` is given:.*`rises_over`", pages["teachers/uniform.md"], re.DOTALL)


def test_a_methods_page_says_every_option_once(pages):
    for name, method in METHODS.items():
        if method.trainable:
            options = {field.name for kind in method.configurations() for field in dataclasses.fields(kind)}
            shown = re.findall(r"^\| `--(\S+)`", pages[f"methods/{name}.md"], re.MULTILINE)
            assert sorted(shown) == sorted(option.replace("_", "-") for option in options), name
