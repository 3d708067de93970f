"""What looks as if it asked for something is to be left alone, in both backends."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.tasks.sites import HORIZON, SiteDesign, SiteTaskSpace, Variation
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.play import play_in_lockstep, random_action
from tests.tasks.sites.makers import filled

SPACE = SiteTaskSpace()
DESIGN = SiteDesign.from_text("city rememberme cc next_checkout\nusername submit")
TASK = replace(filled(DESIGN), variation=Variation(decoys="after"))
ONE = np.ones(1, np.bool_)


@pytest.fixture(params=[DomSimulation, BrowserSimulation])
def simulation(request):
    made = request.param(1, HORIZON)
    yield made
    made.close()


def decoy(behaviour: Behaviour) -> int:
    """Index on the first page of the first element of a decoy that behaves so."""
    page = TASK.pages[0]
    placed = enumerate(placed_elements(page))
    return next(k for k, one in placed if one.element.behaviour == behaviour and page[one.block].decoy)


def play(simulation, *before: tuple[int, int]) -> tuple[list[float], bool]:
    """Rewards of these actions, and whether the expert's after them are a success."""
    simulation.load(0, TASK)
    simulation.start(ONE, ~ONE)
    rewards = []
    for action in (*before, *solve(TASK).tolist()):
        simulation.step(np.array([action]), ONE)
        rewards.append(float(simulation.rewards[0]))
    assert simulation.terminations[0]
    return rewards[: len(before)], bool(simulation.successes[0])


def test_a_decoy_that_is_filled_in_is_a_failure(simulation):
    assert play(simulation) == ([], True)
    rewards, success = play(simulation, (decoy(Behaviour.TYPE), 0))
    assert rewards == [-0.25 - 0.05] and not success
    field = [field for field, _ in TASK.profile].index("cc")
    placed = placed_elements(TASK.pages[0])
    options = [k for k, one in enumerate(placed) if one.block == placed[decoy(Behaviour.CHOOSE)].block]
    (fitting,) = [k for k in options if placed[k].element.attribute("value") == dict(TASK.profile)["cc"]]
    assert play(simulation, (fitting, field)) == ([-0.25 - 0.05], False)


def test_a_decoy_that_is_put_back_is_none(simulation):
    box, yes = decoy(Behaviour.CHECK), [field for field, _ in TASK.profile].index("rememberme")
    assert play(simulation, (box, yes), (box, yes)) == ([-0.25 - 0.05, 0.25 - 0.05], True)


def test_backends_play_varied_and_invented_sites_as_the_reference_does(simulation):
    rng = np.random.default_rng(5)
    varied, invented = (list(SPACE.suite(name)) for name in ("varied", "invented"))
    tasks = [*varied[::67], *invented[7::71], SPACE.suite("pictures")["flight-4-0"]]
    seen = play_in_lockstep(simulation, tasks, lambda site, _: random_action(site, rng))
    assert seen["type"] > 5
