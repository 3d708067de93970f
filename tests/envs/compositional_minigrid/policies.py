"""How lockstep tests play: at random, as the solver does, and against the rules."""

from collections.abc import Callable, Iterator

import numpy as np

from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from tests.tasks.compositional_minigrid.reference_room import DROP, FORWARD, LEFT, PICKUP, RIGHT, TOGGLE

SPACE = CompositionalMiniGridTaskSpace()
Policy = Callable[[CompositionalMiniGridTask, np.random.Generator], Iterator[int]]


def at_random(task: CompositionalMiniGridTask, rng: np.random.Generator) -> Iterator[int]:
    """Uniform actions."""
    while True:
        yield int(rng.integers(7))


def meddling(task: CompositionalMiniGridTask, rng: np.random.Generator) -> Iterator[int]:
    """Picks up, drops and toggles whatever comes before the agent, several times over."""
    while True:
        yield from rng.choice([PICKUP, DROP, TOGGLE], size=rng.integers(4)).tolist()
        yield int(rng.choice([LEFT, RIGHT, FORWARD, FORWARD, FORWARD]))


def scripted(task: CompositionalMiniGridTask, rng: np.random.Generator) -> Iterator[int]:
    """The solution, then anything."""
    solution = SPACE.solve(task)
    yield from [] if solution is None else solution.tolist()
    yield from at_random(task, rng)


def obstinate(task: CompositionalMiniGridTask, rng: np.random.Generator) -> Iterator[int]:
    """The solution, its every handling done twice over and undone: doors are closed, things dropped and taken again."""
    solution = SPACE.solve(task)
    for action in [] if solution is None else solution.tolist():
        if action in (PICKUP, DROP, TOGGLE):
            undo = {PICKUP: DROP, DROP: PICKUP, TOGGLE: TOGGLE}[action]
            yield from (action, undo, action, action, undo, action)
            if action == TOGGLE:
                yield TOGGLE
        yield action
    yield from meddling(task, rng)


def hasty(task: CompositionalMiniGridTask, rng: np.random.Generator) -> Iterator[int]:
    """To the goal at once, whatever is asked."""
    nothing_asked = CompositionalMiniGridTask(
        np.zeros(5, np.int8), task.agent, np.concatenate([np.full((4, 2), -1, np.int8), task.places[4:]]), -task.colours
    )
    yield from SPACE.solve(nothing_asked).tolist()
    yield from meddling(task, rng)


POLICIES: tuple[Policy, ...] = (at_random, meddling, scripted, obstinate, hasty)
