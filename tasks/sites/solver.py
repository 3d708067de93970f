"""The scripted expert: fills in every page from top to bottom and leaves by its button."""

import numpy as np

from procgen_bench.tasks.sites.elements import HOLDING, Behaviour, Element
from procgen_bench.tasks.sites.pages import Page, placed_elements
from procgen_bench.tasks.sites.task import SiteTask

Action = tuple[int, int]


def solve(task: SiteTask) -> np.ndarray:
    """Actions (element, field) that solve a validated task: int64 (K, 2), K at most the design's ``num_steps``.

    On every page the active primitives that do not hold their value at first, from top to bottom, then the button to
    the next page; on the last page the one that submits the site. A button takes any field: it gets the first.
    """
    values = dict(task.profile)
    numbers = {field: number for number, field in enumerate(values)}
    actions: list[Action] = []
    for number, page in enumerate(task.pages):
        actions += _filling_actions(page, values, numbers)
        actions.append((gate_index(page, number + 1 == len(task.pages)), 0))
    return np.array(actions, np.int64)


def gate_index(page: Page, last: bool) -> int:
    """Index on a page of its first button to the next page, or on the last page of that which submits the site."""
    wanted = Behaviour.SUBMIT if last else Behaviour.LEAVE
    elements = enumerate(placed_elements(page))
    return next(index for index, placed in elements if placed.element.behaviour == wanted)


def _filling_actions(page: Page, values: dict[str, str], numbers: dict[str, int]) -> list[Action]:
    """The actions that fill in a page's active primitives."""
    actions = []
    for index, placed in enumerate(placed_elements(page)):
        primitive = page[placed.block] if placed.block >= 0 else None
        if not primitive or not primitive.active or primitive.initial == values[primitive.field]:
            continue
        if _fills_in(placed.element, values[primitive.field]):
            actions.append((index, numbers[primitive.field]))
    return actions


def _fills_in(element: Element, value: str) -> bool:
    if element.behaviour == Behaviour.CHOOSE:
        return element.attribute("value") == value
    return element.behaviour in HOLDING
