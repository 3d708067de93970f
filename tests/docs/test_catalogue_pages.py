"""Pages that are written from the tables."""

import dataclasses
import re

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.settings import CurriculumConfiguration
from procgen_bench.baselines.training.teacher_table import TEACHERS
from tests.architecture.checkout import CHECKOUT


def flag(name: str) -> str:
    return name.replace("_", "-")


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
    """Those that all methods have, with the same default, once for all of them."""
    common = {field.name: field.default for field in dataclasses.fields(CurriculumConfiguration)}
    assert {*re.findall(r"^\| `--(\S+)`", pages["common_settings.inc"], re.MULTILINE)} == {
        flag(name) for name in common
    }
    for name, method in METHODS.items():
        if method.trainable:
            own, *others = (
                {one.name: one.default for one in dataclasses.fields(kind)} for kind in method.configurations()
            )
            as_all = {name for name, default in own.items() if name in common and default == common[name]}
            options = {*own, *(name for other in others for name in other)} - as_all
            shown = re.findall(r"^\| `--(\S+)`", pages[f"methods/{name}.md"], re.MULTILINE)
            assert sorted(shown) == sorted(map(flag, options)), name
            assert "methods.md#common-settings" in pages[f"methods/{name}.md"]
