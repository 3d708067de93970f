"""Why a site cannot be solved, in words."""

from collections.abc import Iterator
from itertools import islice

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.task import SiteTask


def why_unsolvable(task: SiteTask) -> str:
    """The step that the scripted expert cannot take, or another reason why a site is none, as a sentence's end.

    Args:
        task: A task of published primitives, not a valid one.

    Raises:
        ValueError: The site can be solved.
    """
    design = task.design
    if not design.num_active:
        return "no primitive on its pages asks for a value"
    gateless = [number for number in range(len(design.pages)) if not _has_button(task, number)]
    if gateless:
        return _why_stuck(gateless[0], last=gateless[0] + 1 == len(design.pages))
    if design.num_steps > HORIZON:
        step = next(islice(_steps(task), HORIZON, None))
        return f"it takes {design.num_steps} steps, and an episode ends after {HORIZON}: none is left {step}"
    try:
        task.validate()
    except InvalidTaskError as error:
        return str(error)
    raise ValueError(f"the site can be solved:\n{task.to_text()}")


def _has_button(task: SiteTask, number: int) -> bool:
    """Whether a page has the button by which it is left."""
    last = number + 1 == len(task.design.pages)
    primitives = [task.design.known[name] for name in task.design.pages[number]]
    return any(one.submits if last else one.leaves for one in primitives)


def _why_stuck(number: int, last: bool) -> str:
    names = [name for name, one in CATALOGUE.items() if (one.submits if last else one.leaves)]
    where = f"page {number + 1}, the last," if last else f"page {number + 1}"
    what = "to send the site off" if last else "to the next page"
    return f"{where} has no button {what}: put {' or '.join(names)} there"


def _steps(task: SiteTask) -> Iterator[str]:
    """What the expert does, step by step."""
    for number, page in enumerate(task.design.pages, start=1):
        for name in page:
            if task.design.known[name].active:
                yield f"to fill in {name} on page {number}"
        yield f"for the button of page {number}"
