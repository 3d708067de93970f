"""Browsers and pages that die, hang or lie in mid-episode: a truncated episode with a reason, and no reward above 0."""

import os
import threading

import numpy as np
import pytest

from procgen_bench.core.errors import BrowserStartError
from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.play import assert_row_equals, play_in_lockstep
from tests.envs.web.processes import chromium, descendants, renderers
from tests.tasks.sites.makers import filled
from tests.tasks.sites.reference_site import ReferenceSite

DEADLINE = 4.0
DESIGN = SiteDesign.from_text(
    "navbar carousel username password rememberme next_login\ncart cabin numberofpeople city zipcode submit"
)
EVERY = np.ones(3, np.bool_)


class Rows:
    """Three rows that the expert plays, beside the reference."""

    def __init__(self):
        self.simulation = BrowserSimulation(3, 25, deadline=DEADLINE)
        self.start([0, 2])
        before = renderers()
        self.start([1])
        #: The processes that came with the page of row 1.
        self.own_renderers = renderers() - before

    def start(self, rows=(0, 1, 2)) -> None:
        self.sites = [ReferenceSite(filled(DESIGN, row)) for row in range(3)]
        for row, site in enumerate(self.sites):
            self.simulation.load(row, site.task)
        self.simulation.start(np.isin(range(3), rows), ~EVERY)

    def step(self, lost=()) -> None:
        """The expert's next step in every row; those of ``lost`` are truncated, the others go on as they should."""
        actions = np.array([solve(site.task)[site.num_steps] for site in self.sites])
        self.simulation.step(actions, EVERY)
        for row, site in enumerate(self.sites):
            if row in lost:
                self.assert_lost(row)
                continue
            outcome = site.step(tuple(actions[row]))
            assert_row_equals(self.simulation, row, site, f"row {row}")
            assert not self.simulation.truncations[row]
            assert outcome == tuple(
                array[row]
                for array in (self.simulation.rewards, self.simulation.terminations, self.simulation.successes)
            )

    def assert_lost(self, row: int) -> None:
        """The row is truncated for a reason, and what it observes is what it last observed."""
        simulation, site = self.simulation, self.sites[row]
        assert isinstance(simulation.reasons[row], str)
        assert simulation.truncations[row] and not simulation.terminations[row] and not simulation.successes[row]
        assert simulation.rewards[row] == -site.step_penalty
        assert [tuple(record) for record in simulation.records(row)] == site.records()
        assert np.array_equal(simulation.element_masks[row].nonzero()[0], usable_of(site))
        assert (simulation.screenshot(row) == 255).all()

    def assert_mended(self) -> None:
        """The next episodes are as any."""
        tasks = [filled(DESIGN, place) for place in (5, 6, 7)]
        seen = play_in_lockstep(self.simulation, tasks, lambda site, number: solve(site.task)[number])
        assert seen["success"] == 3 and self.simulation.reasons.tolist() == [None] * 3


def usable_of(site: ReferenceSite) -> list[int]:
    return [index for index, node in enumerate(site.nodes) if node.visible and node.element.behaviour]


@pytest.fixture(scope="module")
def rows():
    made = Rows()
    yield made
    made.simulation.close()


def test_a_browser_that_dies_truncates_every_row(rows):
    rows.start()
    rows.step()
    chromium().kill()
    rows.step(lost=(0, 1, 2))
    assert rows.simulation.reasons.tolist() == ["the browser died"] * 3
    rows.assert_mended()


def test_a_renderer_that_dies_truncates_its_row_alone():
    rows = Rows()
    rows.step()
    for renderer in rows.own_renderers:
        renderer.kill()
    rows.step(lost=(1,))
    assert rows.simulation.reasons[1] == "the page crashed"
    rows.step(lost=(1,))  # in vain until it starts again
    rows.assert_mended()
    rows.simulation.close()


def test_a_page_that_hangs_truncates_its_row_alone(rows):
    rows.start()
    rows.step()
    rows.simulation._pages._pages[1].evaluate("document.addEventListener('input', () => { while (true) {} }, true)")
    rows.step(lost=(1,))
    assert rows.simulation.reasons[1] == f"the page did not answer within {DEADLINE:g} s"
    rows.assert_mended()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ("site = null", "TypeError"),
        ("site = {aim: () => [], observe: site.observe}", "1 actions were done instead of 2"),
        ("site = {aim: () => [], observe: () => Promise.reject(new Error('no page'))}", "no page"),
        ("document.querySelector('form').append(document.createElement('b'))", "elements instead of"),
        ("document.querySelector('nav').style.left = '0.5px'", "has the box [0.5, 8, 480, 56]"),
        ("location.href = 'about:blank'", "the page left its document"),
    ],
)
def test_a_page_that_answers_nonsense_truncates_its_row_alone(rows, spoil, reason):
    rows.start()
    rows.step()
    rows.simulation._pages._pages[1].evaluate(f"() => {{ {spoil} }}")
    rows.step(lost=(1,))
    assert reason in rows.simulation.reasons[1]
    rows.step(lost=(1,))


def test_a_page_that_tells_what_is_not_so_earns_nothing(rows):
    """Success is judged by what the fields hold, and that the page was submitted is no help."""
    rows.start()
    rows.simulation._pages._pages[1].evaluate("""() => {
      const { aim, observe } = site;
      site = { aim, observe() { const page = JSON.parse(observe()); page[2] = "sent"; return JSON.stringify(page); } };
    }""")
    rows.simulation.step(np.zeros((3, 2), np.int64), EVERY)
    assert rows.simulation.terminations.tolist() == [False, True, False]
    assert not rows.simulation.successes[1] and rows.simulation.rewards[1] == -1


def test_a_lost_row_is_saved_and_restored_as_lost(rows):
    rows.start()
    rows.step()
    rows.simulation._pages._pages[1].evaluate("site = {}")
    rows.step(lost=(1,))
    state = rows.simulation.save_state()
    sites = rows.sites
    rows.start()
    rows.simulation.restore_state(state)
    rows.sites = sites
    rows.assert_lost(1)
    rows.step(lost=(1,))


@pytest.mark.slow
def test_pages_that_died_unnoticed_are_restored(rows):
    rows.start()
    rows.step()
    state, sites = rows.simulation.save_state(), rows.sites
    rows.start()
    chromium().kill()
    rows.simulation.restore_state(state)
    rows.sites = sites
    rows.step()


@pytest.mark.slow
def test_a_page_that_cannot_be_opened_is_an_error(rows, monkeypatch):
    monkeypatch.setattr(
        "procgen_bench.envs.web.site_pages.site_document", lambda task, guarded: "<script>while (true) {}</script>"
    )
    with pytest.raises(
        BrowserStartError, match=rf"row 0's page was lost 3 times .*: the page did not answer within {DEADLINE:g} s"
    ):
        rows.simulation.start(np.array([True, False, False]), ~EVERY)
    monkeypatch.undo()
    rows.assert_mended()


#: What makes a page take a second for its next action.
SLOWLY = """() => {
  const { aim, observe } = site;
  const wait = end => { while (performance.now() < end) {} };
  site = { aim(...action) { wait(performance.now() + 1000); return aim(...action); }, observe };
}"""
HANGING = "window.site = { aim() { while (true) {} } }"


def befall(rows: Rows, kind: str, in_step: bool) -> list[int]:
    """Kill or hang a page, at once or as the next step is under way; the rows that are lost by it."""
    lost = [0, 1, 2] if kind == "browser" else [1]
    if kind == "hang":
        rows.simulation._pages._pages[1].evaluate(HANGING)
        return lost
    victims = {"browser": {chromium()}, "renderer": rows.own_renderers}[kind]
    for row in lost if in_step else ():
        rows.simulation._pages._pages[row].evaluate(SLOWLY)
    for victim in victims:
        threading.Timer(0.3, victim.kill).start() if in_step else victim.kill()
    return lost


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, seed) for kind, times in (("browser", 20), ("renderer", 5), ("hang", 5)) for seed in range(times)],
)
def test_faults_at_random_steps(kind, seed):
    rng, rows = np.random.default_rng(seed), Rows()
    for _ in range(rng.integers(min(len(solve(site.task)) for site in rows.sites))):
        rows.step()
    rows.step(lost=befall(rows, kind, in_step=bool(rng.integers(2))))
    rows.assert_mended()
    rows.simulation.close()


@pytest.mark.slow
def test_500_starts_leave_no_process_or_descriptor(rows):
    def held() -> tuple[int, int]:
        return len(descendants()), len(os.listdir("/proc/self/fd"))

    for _ in range(20):
        rows.start()
    before = held()
    for _ in range(500):
        rows.start()
    assert np.subtract(held(), before).max() <= 1
