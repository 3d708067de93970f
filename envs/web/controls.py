"""How a person plays GMiniWoB-v0 in a browser of their own."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from procgen_bench.engine.browser_play import BrowserControls
from procgen_bench.engine.wrapped import Wrapped
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.observations import MAX_FIELDS
from procgen_bench.envs.web.page import play_document, site_document
from procgen_bench.envs.web.reading import NonsenseError, in_whole_pixels, read_answer
from procgen_bench.tasks.sites.elements import CHECKED, TAKING_TEXT, Behaviour
from procgen_bench.tasks.sites.pages import PlacedElement, placed_elements
from procgen_bench.tasks.sites.task import SiteTask

Action = tuple[int, int]


class _SiteEnv(Protocol):
    """What is asked of the environment, whose backend people play is the dom."""

    task: SiteTask
    simulation: DomSimulation


class SiteControls(BrowserControls[_SiteEnv]):
    """A person types and clicks; each time it is the action (element, field) of an agent, in the backend ``"dom"``.

    - A text that is a field's value is that field. Any other text is none that an agent could type: it is a field that
      the instruction does not have, so that nothing happens but the step's penalty, and it goes from the page again.
    - A click on an option to choose is the field whose value that is, if there is one; any other goes with any field.
    """

    def frame(self, commands: Mapping[str, str]) -> str:
        """The instruction next to a place for the site."""
        return play_document(commands)

    def site(self, env: Wrapped[_SiteEnv]) -> str:
        """The site, all its pages."""
        return site_document(env.unwrapped.task)

    def instruction(self, env: Wrapped[_SiteEnv]) -> tuple[tuple[str, str], ...]:
        """Labels and values."""
        return env.unwrapped.task.instruction

    def action(self, env: Wrapped[_SiteEnv], element: int, text: str | None) -> Action | None:
        """See :meth:`BrowserControls.action`.

        Raises:
            ValueError: There is no such element, or it is clicked where it takes a text, or the other way round.
        """
        page = _page(env)
        if not 0 <= element < len(page):
            raise ValueError(f"element is {element}, expected 0 to {len(page) - 1}")
        behaviour, record = page[element].element.behaviour, env.unwrapped.simulation.records(0)[element]
        if (text is not None) != (behaviour in TAKING_TEXT):
            raise ValueError(f"element {element} is {'clicked' if text is None else 'given a text'}: {record}")
        if text == record.value or (behaviour == Behaviour.CHOOSE and record.value == CHECKED):
            return None
        values = [value for _, value in self.instruction(env)]
        if behaviour == Behaviour.CHOOSE:
            text = page[element].element.attribute("value")
        if text is None:
            return element, 0
        # There always is a 25th field that is not asked for: 25 steps, one of them to submit, are enough.
        return element, values.index(text) if text in values else MAX_FIELDS - 1

    def order(self, env: Wrapped[_SiteEnv], action: Action) -> tuple[int, str | None, str]:
        """See :meth:`BrowserControls.order`."""
        element, field = action
        instruction, records = self.instruction(env), env.unwrapped.simulation.records(0)
        value = instruction[field][1] if field < len(instruction) else None
        return element, value, records[element].value if element < len(records) else ""

    def difference(self, env: Wrapped[_SiteEnv], shown: str, unfinished: Collection[int]) -> str | None:
        """See :meth:`BrowserControls.difference`; the focus is the person's own, and so is the size of a pixel."""
        simulation = env.unwrapped.simulation
        steps = range(simulation.elapsed[0])
        try:
            reading = read_answer(in_whole_pixels(shown), env.unwrapped.task, steps, None)
        except NonsenseError as error:
            return str(error)
        if (reading.page, bool(reading.end)) != (simulation.pages.number[0], simulation.terminations[0]):
            return f"page {reading.page} is shown, and the end is {reading.end!r}"
        for index, (seen, known) in enumerate(zip(reading.records, simulation.records(0))):
            seen = seen._replace(active=known.active, value=known.value if index in unfinished else seen.value)
            if seen != known:
                return f"element {index} is {seen}, expected {known}"
        return None

    def account(self, env: Wrapped[_SiteEnv]) -> str:
        """How many fields are right."""
        simulation = env.unwrapped.simulation
        return f"{simulation.pages.num_right[0]} of {simulation.sites.num_active[0]} fields right"


def _page(env: Wrapped[_SiteEnv]) -> Sequence[PlacedElement]:
    """The elements of the current page."""
    task = env.unwrapped.task
    return placed_elements(task.pages[env.unwrapped.simulation.pages.number[0]])
