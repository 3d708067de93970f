"""Pages that are written from the tables."""

import re

from procgen_bench.baselines.training.teacher_table import TEACHERS
from tests.architecture.checkout import CHECKOUT


def test_every_row_leads_to_a_page_that_tells_of_it(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "docs")
    from catalogue_pages import catalogue

    pages = catalogue()
    for table in ("environments.inc", "methods.inc", "teachers.inc"):
        links = re.findall(r"\[(\S+)\]\(generated/(\S+)\)", pages[table])
        assert links and all(name in pages[page] for name, page in links)
    assert [name for name, _ in links] == [*TEACHERS]
    assert "| `paired` | `objective=paired,entropy_weight=0.1` |" in pages["teachers/code.md"]
    assert re.search(r"Where `designs` is given:.*`rises_over`", pages["teachers/uniform.md"], re.DOTALL)
