"""Staged scenes: small worlds of two players, what is done in them, and facts that a person sees to be true or false.

A fact is an atom about players by number, such as ``see(player 1,black cube)``. It is held against the evaluation of
all atoms from both players' points of view, against the rewards of a game that asks for all facts of the scene, and
against MuJoCo's geometry (:mod:`tests.envs.xland.relations.geometry`).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import ATOMS, World, XLandTask, parse_atom, parse_game
from procgen_bench.tasks.xland.entities import FREEZE, TAG
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from tests.envs.xland.scenes import FLAT, look_at, place_object, player

#: Something that is done in a scene.
Direction = Callable[[XLandSimulation], None]
NAMES = ("player 1", "player 2")
#: Players who stand in the south-western and the south-eastern corner and look at the walls behind them.
BLUE_ASIDE = player("blue", 0.5, 0.5, -2.356, "tag")
RED_ASIDE = player("red", 6.5, 0.5, -0.785, "tag")
_FOOT = "\nfloors 0 brown 1 olive 2 orange\ntiles 2.0 2.0 m, levels 1.2 m\n"


class Scene(NamedTuple):
    """A staged scene.

    Attributes:
        name: What is to be seen.
        facts: Whether atoms about numbered players hold.
        things: Lines of a world's text: objects, then player 1 and player 2.
        play: What is done, one after the other.
        ground: The map, 2 m a tile and 1.2 m a level; its floors are brown, olive and orange, by level.
        beside: Facts of which another measure of the same relation would say the opposite, see the scene's test.
    """

    name: str
    facts: dict[str, bool]
    things: tuple[str, ...]
    play: tuple[Direction, ...] = ()
    ground: str = FLAT
    beside: tuple[str, ...] = ()


def by_name(scenes: list[Scene]) -> list:
    """The scenes as parameters of a test; at least ten, about half of whose facts are true."""
    assert len({scene.name for scene in scenes}) == len(scenes) >= 10
    truths = [truth for scene in scenes for truth in scene.facts.values()]
    assert 0.4 <= np.mean(truths) <= 0.6, f"{np.mean(truths):.2f} of the facts are true"
    return [pytest.param(scene, id=scene.name) for scene in scenes]


def stage(scene: Scene) -> XLandSimulation:
    """The scene as it is when all has been played; each player's game asks for exactly its facts."""
    text = scene.ground + ("" if "floors" in scene.ground else _FOOT) + "\n".join(scene.things) + "\n"
    goals = [
        " & ".join(("" if truth else "~") + seen_by(p, fact) for fact, truth in scene.facts.items()) for p in range(2)
    ]
    simulation = XLandSimulation(XLandTask(World.from_text(text), parse_game("\n".join(goals))))
    wait(3)(simulation)
    for direction in scene.play:
        direction(simulation)
    return simulation


def seen_by(p: int, fact: str) -> str:
    """The atom of a fact as player p (0 or 1) names it."""
    return fact.replace(NAMES[p], "me").replace(NAMES[1 - p], "opponent")


def check_facts(scene: Scene, simulation: XLandSimulation) -> np.ndarray:
    """All that the simulation says is what the scene's facts say; returns bool (2, 212), the truths of all atoms."""
    truths = evaluate_atoms(simulation.states)[0]
    for fact, truth in scene.facts.items():
        for p in range(2):
            atom = ATOMS.index(parse_atom(seen_by(p, fact)))
            assert truths[p, atom] == simulation.truths[0, p, atom] == truth, f"{fact}, seen by {NAMES[p]}"
    assert simulation.rewards.tolist() == [1.0, 1.0]
    for a, atom in enumerate(ATOMS):
        swapped = str(atom).replace("opponent", "you").replace("me", "opponent").replace("you", "me")
        assert truths[0, a] == truths[1, ATOMS.index(parse_atom(swapped))], atom
    return truths


def wait(steps: int) -> Direction:
    """Nobody does anything."""
    return act(steps)


def act(steps: int, first: tuple[int, ...] = NOOP, second: tuple[int, ...] = NOOP) -> Direction:
    """The two players act."""

    def direct(simulation: XLandSimulation) -> None:
        for _ in range(steps):
            simulation.step(np.array([first, second]))

    return direct


def hang(k: int, x: float, y: float, z: float, turns: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Direction:
    """Object k hangs frozen with its centre at a place in metres, turned about the axes x, then y, then z (radians)."""
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in enumerate(turns):
        w, v = math.cos(angle / 2), math.sin(angle / 2) * np.eye(3)[axis]
        scalar, vector = quaternion[0], quaternion[1:]
        quaternion = np.array([w * scalar - v @ vector, *(w * vector + scalar * v + np.cross(v, vector))])

    def direct(simulation: XLandSimulation) -> None:
        place_object(simulation, k, (x, y, z), quaternion)
        assert simulation.effects.use(FREEZE, k)
        wait(1)(simulation)

    return direct


def tag(body: int) -> Direction:
    """A body (objects, then players) is taken out of the world."""

    def direct(simulation: XLandSimulation) -> None:
        assert simulation.effects.use(TAG, body)
        wait(1)(simulation)

    return direct


def look(p: int, x: float, y: float, z: float) -> Direction:
    """Player p turns its eyes to a point in metres, at once."""

    def direct(simulation: XLandSimulation) -> None:
        look_at(simulation, p, np.array([x, y, z]))
        wait(1)(simulation)

    return direct


def face(p: int, yaw: float, pitch: float = 0.0) -> Direction:
    """Player p looks in a direction (degrees from the east, and upwards), at once."""

    def direct(simulation: XLandSimulation) -> None:
        simulation.players[p]["yaw"], simulation.players[p]["pitch"] = math.radians(yaw), math.radians(pitch)
        wait(1)(simulation)

    return direct


def put(k: int, x: float, y: float, z: float, rotation: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> Direction:
    """Object k is put with its centre at a place in metres, at rest and free, turned by (w, x, y, z)."""

    def direct(simulation: XLandSimulation) -> None:
        place_object(simulation, k, (x, y, z), rotation)
        simulation.bodies.stir()  # it may have slept where it was

    return direct
