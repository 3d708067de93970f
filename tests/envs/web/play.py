"""Rows of a site simulation beside the reference site, action by action."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from procgen_bench.envs.web.browser_simulation import BrowserSimulation
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.observations import empty_observations, write_elements, write_instruction
from procgen_bench.tasks.sites import PRIMITIVES, SiteDesign, SiteTask
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS
from tests.tasks.sites.reference_site import ReferenceSite

Simulation = BrowserSimulation | DomSimulation

#: Values that mean something to browsers, templates and terminals.
HOSTILE = (
    "<script>document.body.remove()</script>",
    "</script><script>site = 0</script>",
    "<img src=x onerror='document.title = 1'>",
    '"\'><b class="visited">bold</b>',
    "{{ 7 * 7 }} {% for x in y %} ${site} `${1}` <%= 1 %>",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f6d2\ufe0f e\u0301",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "'); DROP TABLE sites; --",
    "&lt;&amp;&#60; %3Cscript%3E \\u003cscript\\u003e \\",
    "x" * 1000,
    "<" * 500 + "\U0001f600" * 500,
    "  blanks around  ",
    "javascript:alert(1)",
    "\ufeff\ufffe\ufdd0",
)


def hostile_task(design: SiteDesign, place: int) -> SiteTask:
    """A task of this design, whose fields hold hostile texts as far as they take any text."""
    options = {primitive.field: primitive.options for primitive in design.primitives if primitive.options}
    values = {field: HOSTILE[(place + k) % len(HOSTILE)] for k, field in enumerate(design.fields)}
    profile = tuple((f, options[f][place % len(options[f])] if f in options else values[f]) for f in design.fields)
    task = SiteTask(design, profile)
    task.validate()
    return task


def random_action(site: ReferenceSite, rng: np.random.Generator) -> tuple[int, int]:
    """Any action, sometimes the last one again; mostly one on what does something and does not end the episode."""
    if site.last_action and rng.random() < 0.1:
        return site.last_action
    if rng.random() < 0.2:
        return int(rng.integers(len(site.nodes) + 3)), int(rng.integers(len(site.values) + 1))
    ends = (Behaviour.LEAVE, Behaviour.SUBMIT, Behaviour.END)
    useful = [index for index, node in enumerate(site.nodes) if node.element.behaviour != Behaviour.NONE]
    gates = [index for index in useful if site.nodes[index].element.behaviour in ends]
    index = int(rng.choice(gates if rng.random() < 0.12 else [i for i in useful if i not in gates] or gates))
    primitive = site.nodes[index].primitive
    if primitive.active and rng.random() < 0.6:
        return index, site.task.design.fields.index(primitive.field)
    return index, int(rng.integers(len(site.values)))


def every_use(site: ReferenceSite) -> Iterator[tuple[int, int]]:
    """Actions that use all on a site that does not end the episode, twice each, and then the pages' gates."""
    while not site.terminated:
        nodes, page, gates = site.nodes, site.page, []
        for index, node in enumerate(nodes):
            if node.element.behaviour in (Behaviour.LEAVE, Behaviour.SUBMIT):
                gates.append(index)
            elif node.element.behaviour not in (Behaviour.NONE, Behaviour.END):
                yield index, _fitting_field(site, index)
                yield index, _fitting_field(site, index)
        gates.sort(key=lambda index: nodes[index].element.behaviour)
        while site.page == page and not site.terminated:
            yield gates.pop(0), 0


def _fitting_field(site: ReferenceSite, index: int) -> int:
    primitive = site.nodes[index].primitive
    return site.task.design.fields.index(primitive.field) if primitive.active else 0


def designs_of_all_primitives() -> list[SiteDesign]:
    """Two designs of five pages that have all primitives between them."""
    names = list(PRIMITIVES)
    return [SiteDesign.of_pairs([(name, k % 5) for k, name in enumerate(names[half::2])], 5) for half in (0, 1)]


def assert_row_equals(simulation: Simulation, row: int, site: ReferenceSite, place: str) -> None:
    """A row shows what the reference shows, in records, arrays and masks."""
    assert simulation.reasons[row] is None, f"{place}: {simulation.reasons[row]}"
    records, expected = simulation.records(row), site.records()
    assert len(records) == len(expected), place
    for index, (found, wanted) in enumerate(zip(records, expected)):
        assert tuple(found) == wanted, f"{place}: element {index}"
    fresh = empty_observations(1)
    write_elements(records, fresh, 0)
    write_instruction(site.task.instruction, fresh, 0)
    fresh["filled"][0, list(site.filled)] = 1
    fresh["new"][0, list(site.new)] = 1
    fresh["time_step"][0] = site.num_steps
    for name, array in fresh.items():
        assert np.array_equal(simulation.observations[name][row], array[0]), f"{place}: {name}"
    usable = site.usable
    assert simulation.element_masks[row].tolist() == usable + [0] * (MAX_ELEMENTS - len(usable)), place
    assert simulation.field_masks[row].sum() == len(site.values), place
    assert num_right(simulation, row) == site.num_right, place


def num_right(simulation: Simulation, row: int) -> int:
    """How many active primitives hold what the instruction says."""
    if isinstance(simulation, BrowserSimulation):
        return simulation.num_right(row)
    return simulation.pages.num_right[row]


def play_in_lockstep(simulation: Simulation, tasks: list[SiteTask], policy, max_steps: int = 25) -> Counter:
    """Play tasks in all rows at once, by ``policy(site, number of the step)``; counts of what happened."""
    seen, rows = Counter(), np.arange(simulation.num_rows)
    for first in range(0, len(tasks), len(rows)):
        sites = {row: ReferenceSite(task) for row, task in enumerate(tasks[first : first + len(rows)])}
        active = rows < len(sites)
        for row, site in sites.items():
            simulation.load(row, site.task)
        simulation.start(active, ~active & active)
        for row, site in sites.items():
            assert_row_equals(simulation, row, site, f"start of\n{site.task.to_text()}")
        for number in range(max_steps):
            actions = np.zeros((len(rows), 2), np.int64)
            for row in np.flatnonzero(active):
                actions[row] = policy(sites[row], number)
            simulation.step(actions, active)
            for row in np.flatnonzero(active):
                site = sites[row]
                reward, terminated, success = site.step(tuple(actions[row]))
                place = f"step {number} {actions[row]} ({site.event}) of\n{site.task.to_text()}"
                assert_row_equals(simulation, row, site, place)
                assert simulation.rewards[row] == reward, place
                assert (simulation.terminations[row], simulation.successes[row]) == (terminated, success), place
                last = number + 1 == simulation.max_episode_steps
                assert simulation.truncations[row] == last, place
                seen[site.event] += 1
                seen["success"] += success
                active[row] = not terminated
            if not active.any():
                break
    return seen
