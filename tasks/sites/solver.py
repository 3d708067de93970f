"""The scripted expert: fills in every page from top to bottom and leaves by its button."""

import numpy as np

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.primitives import PRIMITIVES
from procgen_bench.tasks.sites.task import SiteTask

Action = tuple[int, int]


def solve(task: SiteTask) -> np.ndarray:
    """Actions (element, field) that solve a validated task: int64 (K, 2), K the design's ``num_steps``.

    On every page the active primitives from top to bottom, then the button to the next page; on the last page the one
    that sends the site off. A button takes any field: it gets the first one with which no action comes twice in a row
    (an instruction of one field or two may have none, and the repeat is paid for).
    """
    values = dict(task.profile)
    numbers = {field: number for number, field in enumerate(values)}
    filled = [_filling_actions(page, values, numbers) for page in task.design.pages]
    actions: list[Action] = []
    last = len(filled) - 1
    for number, page in enumerate(task.design.pages):
        actions += filled[number]
        following = [] if number == last else filled[number + 1][:1]
        gate = gate_index(page, last=number == last)
        actions.append(_pressed(gate, actions[-1:] + following, len(values)))
    return np.array(actions, np.int64)


def gate_index(page: tuple[str, ...], last: bool) -> int:
    """Index on a page of its first button to the next page, or on the last page of that which sends the site off."""
    wanted = Behaviour.SUBMIT if last else Behaviour.LEAVE
    return next(index for index, placed in enumerate(placed_elements(page)) if placed.element.behaviour == wanted)


def _filling_actions(page: tuple[str, ...], values: dict[str, str], numbers: dict[str, int]) -> list[Action]:
    """The actions that fill in a page's active primitives."""
    actions = []
    for index, placed in enumerate(placed_elements(page)):
        primitive = PRIMITIVES[page[placed.block]] if placed.block >= 0 else None
        if primitive and primitive.active and _fills_in(placed.element, values[primitive.field]):
            actions.append((index, numbers[primitive.field]))
    return actions


def _fills_in(element: Element, value: str) -> bool:
    if element.behaviour == Behaviour.CHOOSE:
        return element.attribute("value") == value
    return element.behaviour in (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK)


def _pressed(index: int, neighbours: list[Action], num_fields: int) -> Action:
    """The button's action with the first field that makes it differ from the actions before and after it."""
    return next(((index, field) for field in range(num_fields) if (index, field) not in neighbours), (index, 0))
