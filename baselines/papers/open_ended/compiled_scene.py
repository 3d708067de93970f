"""CompiledScene: a :class:`.SceneEncoder` in a table of layers, which reads only what is there of every scene."""

from typing import NamedTuple

import numpy as np
from torch import nn

from procgen_bench.baselines.fast.layer_table import AsItIs, Block
from procgen_bench.baselines.fast.set_layers import SetPlace, SetTable
from procgen_bench.baselines.papers.open_ended.scene_encoder import (
    MOST_OWN,
    OWN,
    REACH,
    SAMPLED,
    THING,
    SceneEncoder,
)
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.entity_rows import (
    ENTITY_FEATURES,
    FROZEN,
    HELD_BY_ME,
    NUM_ENTITIES,
    OBJECT_COLOUR,
    POSITION,
    SEEN,
    SHAPE,
    SIZE,
    X_AXIS,
)
from procgen_bench.envs.xland.observations import GOAL_ATOMS, GOAL_OPTIONS
from procgen_bench.envs.xland.terrain import TERRAIN_SIDE
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.atoms import ENTITIES, ME, OPPONENT
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: Numbers of a thing before those that :class:`.SceneEncoder` shows: whether it is known, and its place (metres).
_GEOMETRY = 10
_ME, _OPPONENT = ENTITIES.index(ME), ENTITIES.index(OPPONENT)
_FIRST_FLOOR, _NUM_COLOURS, _NUM_SHAPES, _NUM_FLOORS = _OPPONENT + 1, len(COLOURS), len(GOAL_SHAPES), len(FLOORS)
_FIRST_SAMPLED, _END_SAMPLED, _EVERY = SAMPLED.start, SAMPLED.stop, SAMPLED.step


class _Scenes(NamedTuple):
    """What is observed, (n, ...) each."""

    entities: np.ndarray
    terrain_heights: np.ndarray
    terrain_floors: np.ndarray
    goal_atoms: np.ndarray
    goal_matrix: np.ndarray


class _Places(NamedTuple):
    """Columns of what is written: see :class:`.SetPlace`."""

    num_entities: int
    entities: int
    num_atoms: int
    atoms: int
    num_options: int
    num_literals: int
    literals: int
    ground: int


class _Tables(NamedTuple):
    """What :class:`.SceneEncoder` knows of atoms and of the ground's cells."""

    atom_kinds: np.ndarray
    atom_things: np.ndarray
    ranks: np.ndarray
    nearest: np.ndarray


class CompiledScene:
    """Reads scenes for compiled networks: entities that are known, atoms and literals of goals.

    Args:
        encoder: What it does the same as; it reads goals.
    """

    def __init__(self, encoder: SceneEncoder):
        self._encoder = encoder
        self._tables = _Tables(
            *(getattr(encoder, name).numpy() for name in ("atom_kinds", "atom_things", "ranks", "nearest"))
        )
        linear = encoder.ground[0]
        assert isinstance(linear, nn.Linear)
        self._ground = linear.in_features
        self._places = _Places(*[0] * len(_Places._fields))
        self._width = 0

    def compile_into(self, table: SetTable, linear: nn.Linear, relu: bool = True) -> Block:
        """Write the encoder into a table, and what a linear module makes of its features."""
        own = self._encoder
        kinds = self._tables.atom_kinds.shape[1]
        entities = table.set_of(NUM_ENTITIES, ENTITY_FEATURES + 1)
        atoms = table.set_of(GOAL_ATOMS, kinds + 2 * THING + 4)
        options = table.set_of(GOAL_OPTIONS, 0)
        literals = table.set_of(GOAL_ATOMS, 2, owner=options)
        self._places = _columns(entities, atoms, options, literals, table.set_width)
        self._width = table.set_width + self._ground
        block = _dense(table, table.set_input(entities), own.entity)
        parts = [table.pooled(block, divisor=4)]
        parts.append(_dense(table, table.input("", AsItIs(self._ground)), own.ground))
        block = table.dense_of_parts(table.set_input(atoms), [own.kind, own.place], relu=True)
        block = table.picked(_dense(table, block, own.atom), table.set_input(literals))
        block = table.pooled(_dense(table, block, own.literal), maxima=False)
        parts.append(table.pooled(_dense(table, block, own.option)))
        return table.dense(table.join(parts), linear, relu)

    def encode(self, observations: Arrays) -> np.ndarray:
        """Observations by name (n, ...) -> float32 (n, width), of which only what is there is written."""
        scenes = _Scenes(*(np.ascontiguousarray(observations[name]) for name in _Scenes._fields))
        written = np.empty((len(scenes.entities), self._width), np.float32)
        _write(scenes, self._tables, self._places, written)
        column = self._width - self._ground + _write_width()
        for name, scale in OWN.items():
            own = observations[name].reshape(len(written), -1)
            target = written[:, column : column + own.shape[1]]
            np.clip(np.divide(own, scale, out=target, dtype=np.float32), -MOST_OWN, MOST_OWN, out=target)
            column += own.shape[1]
        return written


def _columns(entities: SetPlace, atoms: SetPlace, options: SetPlace, literals: SetPlace, ground: int) -> _Places:
    own = (entities.counts, entities.rows, atoms.counts, atoms.rows, options.counts, literals.counts, literals.rows)
    return _Places(*own, ground)


def _dense(table: SetTable, block: Block, layers: nn.Sequential) -> Block:
    """Linear modules, each with a ReLU."""
    for layer in layers:
        if isinstance(layer, nn.Linear):
            block = table.dense(block, layer, relu=True)
    return block


def _write_width() -> int:
    """Numbers of the ground before the player's own."""
    return 2 * len(range(TERRAIN_SIDE)[SAMPLED]) ** 2 + 4 * _NUM_FLOORS


@njit(error_model="numpy")
def _write(scenes, tables, places, written):
    """Write scenes, but for what players feel and did, as :meth:`.SceneEncoder.prepare` prepares them."""
    floors, things = np.empty((_NUM_FLOORS, 4), np.float32), np.empty((2, THING + 4), np.float32)
    for sample in range(len(written)):
        target, entities = written[sample], scenes.entities[sample]
        _write_entities(entities, target, places)
        _find_floors(scenes.terrain_floors[sample], tables, floors)
        _write_ground(scenes.terrain_heights[sample], scenes.terrain_floors[sample], floors, target[places.ground :])
        _write_goal(
            scenes.goal_atoms[sample], scenes.goal_matrix[sample], entities, floors, things, tables, places, target
        )


@njit
def _write_entities(entities, target, places):
    count, at = 0, places.entities
    for entity in range(len(entities)):
        own = entities[entity]
        if own[SEEN] == 0:
            continue
        count += 1
        for column in range(SIZE + 1):
            target[at + column] = _bounded(own[column], MOST_OWN)
        for axis in range(3):
            target[at + POSITION + axis] = np.tanh(own[POSITION + axis] / np.float32(REACH))
        target[at + X_AXIS] = own[SEEN] / (np.float32(1) + _length(own, POSITION))
        for column in range(X_AXIS, ENTITY_FEATURES):
            target[at + column + 1] = _bounded(own[column], MOST_OWN)
        at += ENTITY_FEATURES + 1
    target[places.num_entities] = count


@njit
def _find_floors(terrain, tables, floors):
    """Write whether each floor is around, and how its nearest cell lies: float32 (floors, 4)."""
    ranks = np.full(_NUM_FLOORS, TERRAIN_SIDE**2)
    for row in range(TERRAIN_SIDE):
        for column in range(TERRAIN_SIDE):
            floor = terrain[row, column]
            if floor >= 0:
                ranks[floor] = min(ranks[floor], tables.ranks[row * TERRAIN_SIDE + column])
    for floor in range(_NUM_FLOORS):
        floors[floor] = tables.nearest[ranks[floor]]


@njit
def _write_ground(heights, terrain, floors, target):
    at, half = 0, len(range(_FIRST_SAMPLED, _END_SAMPLED, _EVERY)) ** 2
    for row in range(_FIRST_SAMPLED, _END_SAMPLED, _EVERY):
        for column in range(_FIRST_SAMPLED, _END_SAMPLED, _EVERY):
            target[at] = _bounded(heights[row, column] / np.float32(REACH), 2.0)
            target[half + at] = terrain[row, column] < 0
            at += 1
    target[2 * half : 2 * half + floors.size] = floors.ravel()


@njit(error_model="numpy")
def _write_goal(atoms, matrix, entities, floors, things, tables, places, target):
    """Write the atoms that a goal uses, its options, and their literals."""
    count, at, kinds = 0, places.atoms, tables.atom_kinds.shape[1]
    numbers = np.empty(len(atoms), np.int64)
    for place in range(len(atoms)):
        is_used = False
        for option in range(len(matrix)):
            is_used = is_used or matrix[option, place] != 0
        if not is_used:
            continue
        numbers[place], count = count, count + 1
        for column in range(kinds):
            target[at + column] = tables.atom_kinds[atoms[place], column]
        _write_grounded(tables.atom_things[atoms[place]], entities, floors, things, target[at + kinds :])
        at += kinds + 2 * THING + 4
    target[places.num_atoms] = count
    options, at = 0, places.literals
    for option in range(len(matrix)):
        count = 0
        for place in range(len(atoms)):
            if matrix[option, place] != 0:
                target[at], target[at + 1] = numbers[place], matrix[option, place]
                at, count = at + 2, count + 1
        if count > 0:
            target[places.num_literals + options] = count
            options += 1
    target[places.num_options] = options


@njit(error_model="numpy")
def _write_grounded(named, entities, floors, things, target):
    """Write where the two things of an atom are, and how they lie to each other."""
    for number in range(2):
        _find_thing(named[number], entities, floors, things[number])
        target[number * THING : (number + 1) * THING] = things[number, :THING]
    known = things[0, THING + 3] * things[1, THING + 3]
    square = np.float32(0)
    for axis in range(3):
        way = things[1, THING + axis] - things[0, THING + axis]
        target[2 * THING + axis] = np.tanh(way / np.float32(3)) * known
        square += way * way
    target[2 * THING + 3] = known / (np.float32(1) + np.sqrt(square))


@njit(error_model="numpy")
def _find_thing(thing, entities, floors, out):
    """Write a thing as the encoder shows it, and, behind that, its place (metres) and whether that is known."""
    out[:] = 0
    if thing >= _FIRST_FLOOR:
        if thing < _FIRST_FLOOR + _NUM_FLOORS:
            floor = floors[thing - _FIRST_FLOOR]
            out[0], out[1], out[2], out[4] = floor[0], floor[1], floor[2], floor[3]
        return
    if thing == _ME:
        out[0] = out[4] = out[THING + 3] = 1
        return
    geometry, count = np.zeros(_GEOMETRY, np.float32), 0
    for entity in range(len(entities)):
        own = entities[entity]
        if own[SEEN] == 0:
            continue
        if thing == _OPPONENT:
            away = abs(own[POSITION]) + abs(own[POSITION + 1]) + abs(own[POSITION + 2])
            is_it = entity >= NUM_OBJECTS and away > 0
        else:
            colour, shape = thing // _NUM_SHAPES, thing % _NUM_SHAPES
            is_it = entity < NUM_OBJECTS and own[OBJECT_COLOUR + colour] * own[SHAPE + shape] > 0
        if is_it:
            count += 1
            geometry[0] += own[SEEN]
            for axis in range(3):
                geometry[1 + axis] += own[POSITION + axis]
                geometry[4 + axis] += own[X_AXIS + axis]
            for column in range(HELD_BY_ME, FROZEN + 1):
                geometry[7 + column - HELD_BY_ME] += own[column]
    if count > 1:
        geometry /= np.float32(count)
    out[0] = geometry[0]
    for axis in range(3):
        out[1 + axis] = np.tanh(geometry[1 + axis] / np.float32(REACH))
        out[THING + axis] = geometry[1 + axis]
    out[4] = geometry[0] / (np.float32(1) + _length(geometry, 1))
    out[5:THING] = geometry[4:]
    out[THING + 3] = geometry[0]


@njit
def _length(row, column):
    """That of a vector of three."""
    return np.sqrt(row[column] ** 2 + row[column + 1] ** 2 + row[column + 2] ** 2)


@njit
def _bounded(value, most):
    return min(max(value, np.float32(-most)), np.float32(most))
