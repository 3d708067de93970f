"""The two backends in lockstep: equal tasks, seeds and actions give equal records, arrays, rewards and ends."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.site_rows import draw_task
from procgen_bench.tasks.sites import CATALOGUE, HORIZON, SiteDesign, SiteTask, Variation
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.variation import CHOICES
from tests.envs.web.play import hostile_task, random_action
from tests.tasks.sites.makers import sparse_tasks, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite

ROWS = 8


def assert_equal(dom: DomSimulation, browser: BrowserSimulation, rows: np.ndarray, place: str) -> None:
    """All that two simulations show of rows is equal; boxes to the pixel."""
    for row in np.flatnonzero(rows):
        assert browser.reasons[row] is None, f"{place}, row {row}: {browser.reasons[row]}"
        assert dom.task(row) == browser.task(row), f"{place}, row {row}"
        for index, (ours, real) in enumerate(zip(dom.records(row), browser.records(row), strict=True)):
            assert ours == real, f"{place}, row {row}, element {index} of\n{dom.task(row).to_text()}"
    for name in dom.observations:
        assert np.array_equal(dom.observations[name][rows], browser.observations[name][rows]), f"{place}: {name}"
    assert np.array_equal(dom.element_masks[rows], browser.element_masks[rows]), place
    assert np.array_equal(dom.field_masks[rows], browser.field_masks[rows]), place
    for ours, real in zip(dom.outcomes, browser.outcomes, strict=True):
        assert np.array_equal(ours[rows], real[rows]), f"{place}: {ours} and {real}"


def play_in_lockstep(
    tasks: list[SiteTask],
    policy,
    events: str = "script",
    deadline: float = 30,
    literal: bool = False,
    all_present: bool = False,
) -> int:
    """Play each task once in both backends by ``policy(site, step)``, a row each; the number that were solved."""
    rules = {"literal": literal, "all_present": all_present}
    dom = DomSimulation(ROWS, HORIZON, **rules)
    browser = BrowserSimulation(ROWS, HORIZON, deadline=deadline, events=events, **rules)
    solved = 0
    for first in range(0, len(tasks), ROWS):
        sites = [ReferenceSite(task, literal=literal) for task in tasks[first : first + ROWS]]
        active = np.arange(ROWS) < len(sites)
        for simulation in (dom, browser):
            for row, site in enumerate(sites):
                simulation.load(row, site.task)
            simulation.start(active, np.zeros(ROWS, np.bool_))
        assert_equal(dom, browser, active, f"start of tasks {first} and following")
        for step in range(HORIZON):
            actions = np.zeros((ROWS, 2), np.int64)
            for row in np.flatnonzero(active):
                actions[row] = policy(sites[row], step)
                sites[row].step(actions[row])
            dom.step(actions, active)
            browser.step(actions, active)
            assert_equal(dom, browser, active, f"step {step} of tasks {first} and following, actions {actions}")
            solved += int(dom.successes[active].sum())
            active &= ~dom.terminations
            if not active.any():
                break
    browser.close()
    return solved


def random_policy(seed: int):
    rng = np.random.default_rng(seed)
    return lambda site, step: random_action(site, rng)


def expert_policy(site: ReferenceSite, step: int) -> np.ndarray:
    return solve(site.task)[step]


def hostile(designs: list[SiteDesign]) -> list[SiteTask]:
    return [hostile_task(design, place) for place, design in enumerate(designs)]


@pytest.mark.parametrize(
    ("events", "numbers", "literal"),
    [
        pytest.param("script", (12, 4), False, marks=pytest.mark.slow),
        ("script", (4, 2), True),
        ("input", (2, 0), False),
    ],
)
def test_random_actions(events, numbers, literal):
    """Half of the tasks are varied."""
    tasks, rng = [*sparse_tasks(numbers[0], 20), *uniform_tasks(numbers[1], 21)], np.random.default_rng(29)
    tasks = [varied(task, rng) if k % 2 else task for k, task in enumerate(tasks)]
    play_in_lockstep(tasks, random_policy(22), events, literal=literal, all_present=literal)


@pytest.mark.parametrize("events", ["script", pytest.param("input", marks=pytest.mark.slow)])
def test_boxes_lists_and_options_used_by_every_value(events):
    """Every box, list and option of a site with each of its fields, in turn: what is visited, checked, chosen, idle."""
    names = ("rememberme", "stayloggedin", "cabin", "flighttype", "state")
    design = SiteDesign.of_pairs([(name, 0) for name in names], 1)
    values = {"rememberme": "true", "stayloggedin": "false", "cabin": "First", "flighttype": "Oneway", "state": "CA"}
    task = SiteTask(design, tuple((field, values[field]) for field in design.fields))
    used = [
        (index, field)
        for index, node in enumerate(ReferenceSite(task).nodes)
        if node.element.behaviour in (Behaviour.CHECK, Behaviour.CHOOSE, Behaviour.SELECT)
        for field in range(len(values))
    ]
    for literal in (False, True):
        for part in (used[:HORIZON], used[HORIZON:]):
            in_turn = dict(enumerate(part))
            play_in_lockstep([task], lambda site, step, then=in_turn: then.get(step, (0, 0)), events, literal=literal)


@pytest.mark.parametrize(("events", "others"), [pytest.param("script", 7, marks=pytest.mark.slow), ("input", 0)])
def test_the_expert_on_hostile_values_solves_every_primitive(events, others):
    every_one = [SiteDesign.of_pairs([(name, k % 4) for k, name in enumerate(CATALOGUE)], 4)]
    tasks = hostile([*every_one, *(task.design for task in sparse_tasks(others, 23))])
    assert play_in_lockstep(tasks, expert_policy, events) == len(tasks)


@pytest.mark.slow
@pytest.mark.parametrize("events", ["script", "input"])
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_designs(part, events):
    """Of 1 to 10 pages: 250 a part, by random actions, by the expert, and either on hostile values; half are varied.

    Boxes and options are used literally in parts 2 and 3.
    """
    rng = np.random.default_rng([24, part])
    designs = [design_of_pages(1 + (number % 10), rng) for number in range(250)]
    assert len({len(design.pages) for design in designs}) == 10
    drawn = [task_of(design, rng) for design in designs]
    tasks = drawn if part < 2 else hostile(designs)
    tasks = [varied(task, rng) if rng.random() < 0.5 else task for task in tasks]
    policy = random_policy(25 + part) if part % 2 == 0 else expert_policy
    solved = play_in_lockstep(tasks, policy, events, deadline=60, literal=part > 1, all_present=part > 1)
    assert part % 2 == 0 or solved == len(tasks)


def design_of_pages(num_pages: int, rng: np.random.Generator) -> SiteDesign:
    """A design of so many pages; one in ten holds every primitive."""
    names = list(CATALOGUE)
    count = len(names) if rng.random() < 0.1 else int(rng.integers(1, 40))
    pairs = [(name, int(rng.integers(num_pages))) for name in rng.permutation(names)[:count].tolist()]
    return SiteDesign.of_pairs([("username", int(rng.integers(num_pages))), *pairs], num_pages)


def varied(task: SiteTask, rng: np.random.Generator) -> SiteTask:
    """The task in any variation with which its pages are not too long."""
    while True:
        choices = {part: names[rng.integers(len(names))] for part, names in CHOICES.items()}
        changed = replace(task, variation=Variation(**choices))
        try:
            changed.validate()
        except InvalidTaskError:
            continue
        return changed


def task_of(design: SiteDesign, rng: np.random.Generator) -> SiteTask:
    lists = value_lists()
    return SiteTask(design, tuple((field, str(rng.choice(lists[field]))) for field in design.fields))


def test_rows_draw_equal_tasks_from_equal_streams():
    dom, browser = DomSimulation(3, HORIZON), BrowserSimulation(3, HORIZON, draw_task=draw_task)
    every_row, bank = np.ones(3, np.bool_), sparse_tasks(4, 26)
    for tasks in ((), bank):
        for simulation in (dom, browser):
            simulation.use_tasks(tasks)
            simulation.streams[:] = [stream_from_seed(seed) for seed in range(3)]
            simulation.start(every_row, every_row)
            simulation.start(every_row, every_row)
        assert_equal(dom, browser, every_row, "start")
        assert np.array_equal(dom.streams, browser.streams)
    browser.close()


def test_environments_differ_in_nothing_but_the_backend():
    """Through ``gymnasium.make``: equal trajectories, infos included."""
    made = [gymnasium.make("GMiniWoB-v0", backend=backend) for backend in ("dom", "browser")]
    rng = np.random.default_rng(27)
    for task in ("test/shopping-4-3", None):
        starts = [env.reset(seed=28, options={"task": task} if task else None) for env in made]
        moments = [(observation, info) for observation, info in starts]
        over = False
        while not over:
            _assert_alike(*moments)
            mask = tuple(moments[0][1][name] for name in ("element_mask", "field_mask"))
            made[0].action_space.seed(int(rng.integers(2**31)))
            action = made[0].action_space.sample(mask=mask)
            steps = [env.step(action) for env in made]
            assert steps[0][1:4] == steps[1][1:4]
            moments = [(step[0], step[4]) for step in steps]
            over = steps[0][2] or steps[0][3]
        _assert_alike(*moments)
        assert made[0].unwrapped.dom_text() == made[1].unwrapped.dom_text()
    for env in made:
        env.close()


def _assert_alike(one, other):
    for ours, real in zip(one, other, strict=True):
        assert ours.keys() == real.keys()
        for name in ours:
            assert np.array_equal(ours[name], real[name]), name
