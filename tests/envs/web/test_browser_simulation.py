"""Real pages against the specification in plain Python, in lockstep; and rows saved, restored and copied."""

import copy
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.streams import draw_below
from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.envs.web.rewards import SiteRewards
from procgen_bench.tasks.sites import CATALOGUE, PRIMITIVES, SiteDesign
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.play import designs_of_all_primitives, every_use, hostile_task, play_in_lockstep, random_action
from tests.tasks.sites.makers import filled, sparse_tasks, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite

EVENTS = (
    "type",
    "select",
    "check",
    "choose",
    "visit",
    "toggle",
    "leave",
    "leave the last page",
    "submit",
    "submit too early",
    "end",
    "number",
    "another option",
    "no such element",
    "no such field",
    "no such option",
    "not visible",
    "nothing to do",
)


@pytest.fixture(scope="module")
def simulation():
    made = BrowserSimulation(3, 25, events="script")
    yield made
    made.close()


def eventful_design() -> SiteDesign:
    """A page of passive primitives, and one of all kinds of active ones with a gate that leads nowhere."""
    return SiteDesign.from_text(
        "navbar carousel cart deck dealmedia username next_login\n"
        "next_checkout cabin cc numberofpeople rememberme forgotpassword inpgroup footer submit"
    )


def random_policy(seed: int):
    rng = np.random.default_rng(seed)
    return lambda site, number: random_action(site, rng)


def expert_policy(site, number):
    return solve(site.task)[number]


@pytest.mark.slow
def test_random_play_equals_the_reference(simulation):
    tasks = [filled(eventful_design(), place) for place in range(15)] + sparse_tasks(6, seed=0)
    seen = play_in_lockstep(simulation, tasks, random_policy(1))
    assert all(seen[event] for event in EVENTS), seen


def test_all_that_is_in_the_catalogue_behaves_and_stands_as_the_reference(simulation):
    tasks = [filled(design, 3) for design in designs_of_all_primitives()]
    assert {name for task in tasks for name, _ in task.design.pairs} == set(PRIMITIVES)
    uses: dict[ReferenceSite, Iterator] = {}
    endless = BrowserSimulation(2, None, events="script")
    seen = play_in_lockstep(endless, tasks, lambda site, _: next(uses.setdefault(site, every_use(site))), 1000)
    assert seen["submit"] == 2 and seen["leave"] == 8 and seen["toggle"] == 2, seen
    endless.close()


def test_hostile_values_are_typed_as_they_are(simulation):
    everything = SiteDesign.of_pairs([(name, k % 3) for k, name in enumerate(CATALOGUE)], 3)
    seen = play_in_lockstep(simulation, [hostile_task(everything, place) for place in (0, 5, 10)], expert_policy)
    assert seen["success"] == 3


def test_the_expert_succeeds_on_large_sites(simulation):
    seen = play_in_lockstep(simulation, uniform_tasks(3, seed=4), expert_policy)
    assert seen["success"] == 3


@pytest.mark.slow
def test_long_play_equals_the_reference(simulation):
    tasks = [*sparse_tasks(60, seed=2), *uniform_tasks(60, seed=3)]
    tasks += [hostile_task(task.design, place) for place, task in enumerate(sparse_tasks(60, seed=5))]
    play_in_lockstep(simulation, tasks, random_policy(6))
    assert play_in_lockstep(simulation, tasks, expert_policy)["success"] == len(tasks)


def play_randomly(simulation: BrowserSimulation, num_steps: int, seed: int) -> None:
    """Start a task of two pages in every row, and take random steps that do not end the episodes."""
    sites = [ReferenceSite(filled(eventful_design(), seed + row)) for row in range(simulation.num_rows)]
    every, rng = np.ones(len(sites), np.bool_), np.random.default_rng(seed)
    for row, site in enumerate(sites):
        simulation.load(row, site.task)
    simulation.start(every, ~every)
    for _ in range(num_steps):
        actions = [random_action(site, rng) for site in sites]
        actions = [(0, 0) if _ends(site, action) else action for site, action in zip(sites, actions)]
        for site, action in zip(sites, actions):
            site.step(action)
        simulation.step(np.array(actions), every)


def _ends(site: ReferenceSite, action: tuple[int, int]) -> bool:
    return action[0] < len(site.nodes) and site.nodes[action[0]].element.behaviour in (Behaviour.SUBMIT, Behaviour.END)


def assert_same_state(one: BrowserSimulation, other: BrowserSimulation) -> None:
    arrays = other.state_arrays()
    for name, array in one.state_arrays().items():
        assert np.array_equal(array, arrays[name]), name


def assert_go_on_alike(one: BrowserSimulation, other: BrowserSimulation) -> None:
    assert_same_state(one, other)
    rng, active = np.random.default_rng(0), np.ones(one.num_rows, np.bool_)
    for _ in range(8):
        actions = np.stack([rng.integers(60, size=len(active)), rng.integers(6, size=len(active))], axis=1)
        one.step(actions, active)
        other.step(actions, active)
        assert_same_state(one, other)
        active &= ~one.terminations
    assert active.any()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda simulation: pickle.loads(pickle.dumps(simulation))])
def test_a_copy_goes_on_as_the_original(simulation, copied):
    play_randomly(simulation, 8, seed=0)
    twin = copied(simulation)
    assert_go_on_alike(twin, simulation)
    twin.close()


def test_a_restored_row_goes_on_as_it_would_have(simulation):
    play_randomly(simulation, 9, seed=1)
    state, twin = simulation.save_state(), copy.deepcopy(simulation)
    play_randomly(simulation, 3, seed=2)
    simulation.restore_state(state)
    assert_go_on_alike(twin, simulation)
    twin.close()


def test_restoring_what_is_shown_loads_nothing(simulation):
    play_randomly(simulation, 2, seed=3)
    page = simulation._pages._pages[0]
    page.evaluate("window.mark = 'here still'")
    simulation.restore_state(simulation.save_state())
    assert page.evaluate("window.mark") == "here still"


def test_an_error_at_a_reset_leaves_the_rows_as_they_were(simulation):
    play_randomly(simulation, 4, seed=4)
    twin = copy.deepcopy(simulation)
    with pytest.raises(RuntimeError, match="later"), simulation.restored_on_error():
        play_randomly(simulation, 2, seed=5)
        raise RuntimeError("later")
    assert_go_on_alike(twin, simulation)
    twin.close()


def test_rows_draw_from_the_tasks_by_their_streams(simulation):
    bank = [filled(eventful_design(), place) for place in range(5)]
    simulation.use_tasks(bank)
    every, drawn = np.ones(3, np.bool_), []
    simulation.streams[:] = expected = np.arange(3, dtype=np.uint64)
    for _ in range(2):
        simulation.start(every, every)
        for row in range(3):
            expected[row], number = draw_below(expected[row], len(bank))
            drawn.append(number)
            assert simulation.task(row) == bank[number]
        assert np.array_equal(simulation.streams, expected)
    assert len(set(drawn)) > 1
    simulation.use_tasks(())


def test_rows_draw_from_the_whole_space_by_the_given_function():
    tasks = sparse_tasks(2, seed=7)
    simulation = BrowserSimulation(1, 25, draw_task=lambda stream: (stream + np.uint64(1), tasks[int(stream) % 2]))
    every = np.ones(1, np.bool_)
    for number in range(3):
        simulation.start(every, every)
        assert simulation.task(0) == tasks[number % 2] and simulation.streams[0] == number + 1
    simulation.close()


def test_without_tasks_and_a_space_nothing_is_drawn(simulation):
    with pytest.raises(InvalidOptionError, match="no task to draw; give tasks, or draw_task"):
        simulation.start(np.ones(3, np.bool_), np.ones(3, np.bool_))


def test_penalties_are_what_was_asked_for():
    simulation = BrowserSimulation(1, 25, SiteRewards(step_penalty=0.125, idle_penalty=0.25))
    simulation.load(0, filled(SiteDesign.from_text("username submit")))
    every = np.ones(1, np.bool_)
    simulation.start(every, ~every)
    earned = []
    (line,) = np.flatnonzero(simulation.element_masks[0])[:-1]
    for action in ((line, 0), (line, 0), *solve(simulation.task(0))[-1:]):
        simulation.step(np.array([action]), every)
        earned.append(simulation.rewards[0])
    assert earned == [1 - 0.125, -0.125 - 0.25, 1]
    simulation.close()


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "0.5", None])
def test_other_penalties_than_numbers_from_0_are_refused(value):
    with pytest.raises(InvalidOptionError, match=r"idle_penalty is .*, expected a number of at least 0"):
        SiteRewards(idle_penalty=value)
