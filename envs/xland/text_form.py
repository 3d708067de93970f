"""How language models play XLand in the small: a goal, what is seen and the ground around in words; parts of an action
by name."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from procgen_bench.engine.text_form import REPEATED, CallError, Words
from procgen_bench.envs.xland.actions import GADGET, GRAB, LOOK, MOVE, NOOP, STRAFE, TURN
from procgen_bench.envs.xland.entity_rows import (
    FROZEN,
    HELD_BY_ME,
    HELD_BY_OTHER,
    OBJECT_COLOUR,
    PLAYER_COLOUR,
    POSITION,
    SEEN,
    SHAPE,
    SIZE,
)
from procgen_bench.envs.xland.terrain import OUTSIDE, TERRAIN_SIDE, TERRAIN_SPACING
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, PLAYERS, SHAPES
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: Parts of an action by name: what each sets. Names go by what the player does, numbers by the environment's choices.
_PARTS = {
    "forward": (MOVE, 2),
    "back": (MOVE, 0),
    "left": (STRAFE, 0),
    "right": (STRAFE, 4),
    "turn right": (TURN, 0),
    "turn slightly right": (TURN, 1),
    "turn slightly left": (TURN, 5),
    "turn left": (TURN, 6),
    "look down": (LOOK, 0),
    "look up": (LOOK, 4),
    "grab": (GRAB, 1),
    "gadget": (GADGET, 1),
    "wait": (GRAB, 0),
}
#: Points of the ground that are described, ahead of the player and to its sides (metres).
_GROUND = ((0, 0), (1, 0), (2, 0), (4, 0), (0, 2), (0, -2))
_MIDDLE = TERRAIN_SIDE // 2
#: Differences of height that count as none (metres).
_LEVEL = 0.05


class XLandTextForm:
    """A call names parts of one action, joined by ``+``: ``forward + turn left + grab``."""

    options: ClassVar[Mapping[str, Any]] = MappingProxyType({"observation": "state"})

    def rules(self) -> str:
        """What there is to do, and how calls are written."""
        return (
            "You are a player in a small world of floors on several levels, ramps and objects. Your goal is one or "
            "more lists of things that are to be true together, joined by or; ~ means not. A step in which it is true "
            "earns 1; an episode has 300 steps of 2/15 of a second. near(a,b): at most a metre apart; hold(me,b): your "
            "beam holds it; on(a,b): a touches b from above, or stands on the floor b; see(a,b): b is in view. Other "
            "players pursue goals of their own. You see what is in front of you: turn to find things. To carry an "
            "object, look at it from a few metres and grab, and keep grab in every call, or you let go. Use one call a "
            f"message, parts of one action joined by +; the last line is the call: {', '.join(_PARTS)}. A full turn "
            "takes 15 calls of turn left."
        )

    def words(self, env: Any, observation: Mapping[str, np.ndarray]) -> Words:
        """The goal, things in view from near to far, the ground around, and what is held."""
        lines = [*_things(observation["entities"]), *_ground(observation), _held(observation)]
        return Words(f"Goal: {env.task.game.goals[0]}", "\n".join(lines), "")

    def action(self, call: str) -> np.ndarray:
        """The action whose parts a call names, int8 (6,); parts that it does not name are the no-op's.

        Raises:
            CallError: A part is unknown, or two of them exclude each other.
        """
        action, named = np.array(NOOP, np.int8), dict[int, str]()
        for part in (" ".join(one.split()) for one in call.strip().removesuffix("()").split("+")):
            if part not in _PARTS:
                raise CallError(f"the call is {call[:REPEATED]!r}, expected parts of {', '.join(_PARTS)}, joined by +")
            kind, choice = _PARTS[part]
            if named.setdefault(kind, part) != part:
                raise CallError(f"the call is {call[:REPEATED]!r}, and {named[kind]} and {part} exclude each other")
            action[kind] = choice
        return action


def _things(entities: np.ndarray) -> Iterator[str]:
    """A line for each thing in view but the player itself, whose row is the first of the players'."""
    seen = [row for row in np.flatnonzero(entities[:, SEEN]).tolist() if row != NUM_OBJECTS]
    places = entities[:, POSITION : POSITION + 3].astype(float)
    for row in sorted(seen, key=lambda row: float(np.linalg.norm(places[row]))):
        yield f"{_name(entities[row])}: {_place(*places[row])}{_state(entities[row])}"
    if not seen:
        yield "Nothing is in view."


def _name(entity: np.ndarray) -> str:
    if entity[SHAPE + CAPSULE]:
        return f"{PLAYERS[int(entity[PLAYER_COLOUR:SIZE].argmax())]} player"
    colour = COLOURS[int(entity[OBJECT_COLOUR:PLAYER_COLOUR].argmax())]
    return f"{colour} {SHAPES[int(entity[SHAPE : SHAPE + len(SHAPES)].argmax())]}"


def _place(ahead: float, left: float, up: float) -> str:
    parts = (
        f"{abs(ahead):.1f} m {'ahead' if ahead >= 0 else 'behind'}",
        f"{abs(left):.1f} m to the {'left' if left >= 0 else 'right'}",
        f"{abs(up):.1f} m {'above' if up >= 0 else 'below'} your middle",
    )
    return ", ".join(parts)


def _state(entity: np.ndarray) -> str:
    words = {HELD_BY_ME: "you hold it", HELD_BY_OTHER: "another player holds it", FROZEN: "frozen"}
    found = [text for column, text in words.items() if entity[column]]
    return f" ({', '.join(found)})" if found else ""


def _ground(observation: Mapping[str, np.ndarray]) -> Iterator[str]:
    """A line for the ground under the player, and for some points around it."""
    heights, floors = observation["terrain_heights"], observation["terrain_floors"]
    for ahead, left in _GROUND:
        row, column = _MIDDLE - round(ahead / TERRAIN_SPACING), _MIDDLE - round(left / TERRAIN_SPACING)
        where = f"{ahead} m ahead" if ahead else f"{abs(left)} m to the {'left' if left > 0 else 'right'}"
        floor = floors[row, column]
        words = (
            "outside the world"
            if floor == OUTSIDE
            else f"{FLOORS[floor]} floor, {_height(float(heights[row, column]))}"
        )
        yield f"ground {where if ahead or left else 'under you'}: {words}"


def _height(metres: float) -> str:
    if abs(metres) < _LEVEL:
        return "level with your feet"
    return f"{abs(metres):.1f} m {'above' if metres > 0 else 'below'} your feet"


def _held(observation: Mapping[str, np.ndarray]) -> str:
    if observation["hand_is_holding"][0]:
        return f"You hold something at {observation['hand_distance'][0]:.1f} m."
    return "You hold nothing."
