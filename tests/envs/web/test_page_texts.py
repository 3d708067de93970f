"""Records and texts of a page, of which only what has changed is made again: the same as if all were."""

import numpy as np
import pytest

from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.page_texts import PageWriter
from procgen_bench.envs.web.row_records import RowRecords
from procgen_bench.envs.web.shown_page import ShownPage, page_structure
from procgen_bench.envs.web.site_arrays import OWN_TEXT
from procgen_bench.tasks.sites import SiteTaskSpace

ROWS = np.ones(1, np.bool_)


def started(name: str) -> DomSimulation:
    simulation = DomSimulation(1, 25)
    simulation.load(0, SiteTaskSpace().resolve(f"test/{name}"))
    simulation.start(ROWS, ~ROWS)
    return simulation


def shown(simulation: DomSimulation) -> ShownPage:
    return ShownPage(page_structure(simulation.page(0)), simulation.records(0))


@pytest.mark.parametrize("name", ["login-4-0", "flight-4-0", "shopping-4-0"])
def test_changes_are_all_that_is_made_again(name):
    simulation, writer, rng = started(name), PageWriter(), np.random.default_rng(0)
    for step in range(300):
        if simulation.terminations[0] or simulation.truncations[0]:
            simulation.start(ROWS, ~ROWS)
        page = shown(simulation)
        fresh = RowRecords(1).of(
            0,
            simulation.page(0),
            simulation.pages.view(np.ndarray),
            simulation.view.classes,
            simulation._tables.texts,
        )
        assert page.records == fresh
        assert writer.write(page) == PageWriter().write(page)
        usable = np.flatnonzero(simulation.element_masks[0])
        simulation.write(0, f"own {step}")
        field = OWN_TEXT if step % 3 == 0 else int(rng.integers(3))
        simulation.step(np.array([[rng.choice(usable), field]]), ROWS)


def test_what_stays_is_the_same_object():
    simulation = started("login-4-0")
    before = simulation.records(0)
    assert simulation.records(0) is before
    (line, *_) = [index for index, record in enumerate(before) if record.tag == "input"]
    simulation.step(np.array([[line, 0]]), ROWS)
    after = simulation.records(0)
    assert [index for index, (old, new) in enumerate(zip(before, after)) if old is not new] == [line]
    assert after[line].value and after[line].active


def test_numbers_that_get_other_texts_are_not_taken_for_the_same():
    simulation = started("login-4-0")
    (line, *_) = [index for index, record in enumerate(simulation.records(0)) if record.tag == "input"]
    held = []
    state = simulation.save_state()
    for text in ("one text of its own", "another text"):
        simulation.restore_state(state)
        simulation.write(0, text)
        simulation.step(np.array([[line, OWN_TEXT]]), ROWS)
        held.append(simulation.records(0)[line].value)
    assert held == ["one text of its own", "another text"]
