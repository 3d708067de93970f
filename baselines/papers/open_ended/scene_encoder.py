"""SceneEncoder: entities, ground and a goal whose literals are embedded with the entities that they name.

The goal network is that of figure 37 of "Open-Ended Learning Leads to Generally Capable Agents" (2021): literals, sums
of them, options, sums of these. Its leaves are grounded: a literal is embedded with where the two things that it names
are now. With atoms as numbers beside a pooled set of entities instead, the same learner had a quarter of the return
after 0.4 M steps of easy goals.
"""

from itertools import pairwise

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.papers.open_ended.goal_attention import GoalAttention
from procgen_bench.baselines.parts.entities import Entities
from procgen_bench.baselines.parts.observation_parts import Part
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.envs.xland.entity_rows import (
    ENTITY_FEATURES,
    FROZEN,
    HELD_BY_ME,
    OBJECT_COLOUR,
    POSITION,
    SEEN,
    SHAPE,
    SIZE,
    X_AXIS,
)
from procgen_bench.envs.xland.terrain import TERRAIN_SIDE
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, ENTITIES, FLOOR_NAMES, ME, OBJECTS, OPPONENT, RELATIONS
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: Observations that are numbers of the player's own, and what each is divided by.
OWN = {
    "acceleration": 10.0,
    "hand_is_holding": 1.0,
    "hand_distance": 4.0,
    "hand_force": 100.0,
    "last_action": 1.0,
}
MOST_OWN = 3.0
#: Numbers in the layers of entities, atoms and literals; in that of the ground and the player's own.
_WIDTH, _GROUND_WIDTH = 64, 128
#: Columns of a thing: whether it is known, its direction and nearness (4), its x axis (3: ahead, left, up), whether the
#: player itself or another one holds it, and whether it is frozen.
THING = 11
#: Metres that are shown as tanh(1).
REACH = 4.0
#: Ground is sampled at every second point.
SAMPLED = slice(1, TERRAIN_SIDE - 1, 2)
_NO_THING = len(ENTITIES)


class SceneEncoder(Part):
    """Reads what a player of XLand knows of a scene, and its goal.

    Everything that is not learned is in :meth:`prepare`, which a learner calls once for all passes over a rollout.

    Args:
        space: The observation space of XLand's states; see :func:`.encoder_of`.
        goal_apart: Whether features are without the goal, which a :meth:`goal_attention` reads.
    """

    set_sizes: tuple[int, ...] = ()
    normalises = False
    #: Atoms that goals may name.
    num_atoms = len(ATOMS)
    atom_kinds: torch.Tensor
    atom_things: torch.Tensor
    ranks: torch.Tensor
    nearest: torch.Tensor
    floors: torch.Tensor

    def __init__(self, space: spaces.Space, goal_apart: bool = False):
        super().__init__()
        leaves = array_leaves(space)
        own = sum(int(np.prod(leaves[name].shape)) for name in OWN)
        ground = 2 * len(range(TERRAIN_SIDE)[SAMPLED]) ** 2 + len(FLOORS) * 4 + own
        kinds, things = _atom_table()
        ranks, nearest = _nearest_cells()
        for name, table in (
            ("atom_kinds", kinds),
            ("atom_things", things),
            ("ranks", ranks),
            ("nearest", nearest),
            ("floors", np.arange(len(FLOORS), dtype=np.int8)[:, np.newaxis]),
        ):
            self.register_buffer(name, torch.as_tensor(table), persistent=False)
        self.entity = _layers(ENTITY_FEATURES + 1, _WIDTH, _WIDTH)
        self.ground = _layers(ground, _GROUND_WIDTH)
        #: What an atom is apart from where its things are: computed for all atoms at once, and looked up.
        self.kind = nn.Linear(kinds.shape[1], _WIDTH)
        self.place = nn.Linear(2 * THING + 4, _WIDTH, bias=False)
        self.atom = _layers(_WIDTH, _WIDTH)
        self.literal = _layers(_WIDTH + 1, _WIDTH)
        self.option = _layers(_WIDTH, _WIDTH)
        self._goal_apart = goal_apart
        self.features = (2 if goal_apart else 4) * _WIDTH + _GROUND_WIDTH

    def goal_attention(self, known: int) -> GoalAttention:
        """What reads the goal apart from so many numbers that are known."""
        return GoalAttention(known, _WIDTH)

    def prepare(self, observations: Tensors) -> Tensors:
        """What :meth:`read` wants of observations by name (n, ...)."""
        entities = observations["entities"]
        floors = self._nearest_floors(observations["terrain_floors"])
        things, places = self._things(entities, floors)
        return {
            "rows": _shown_rows(entities),
            "ground": torch.cat([_terrain(observations), floors.flatten(1), _own(observations)], dim=1),
            "atoms": observations["goal_atoms"].long(),
            "grounded": self._grounded(observations["goal_atoms"].long(), things, places),
            "goal": observations["goal_matrix"].float(),
        }

    def prepare_briefly(self, observations: Tensors, ones: bool) -> Tensors:
        """As :meth:`prepare`, without places in sets and goals where no row has anything; ``ones`` is of no account."""
        goal = observations["goal_matrix"]
        options, atoms = _used(goal.any(dim=2)), _used(goal.any(dim=1))
        brief = observations | {
            "goal_atoms": observations["goal_atoms"][:, :atoms],
            "goal_matrix": goal[:, :options, :atoms],
        }
        prepared = self.prepare(brief)
        here = prepared["rows"][:, :, SEEN].any(dim=0)
        return prepared | {"rows": prepared["rows"][:, here | (torch.arange(len(here)) == 0)]}

    def read(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What either prepared -> (n, features); actions do not point at entities."""
        rows = prepared["rows"]
        entities = self.entity(rows) * rows[:, :, SEEN : SEEN + 1]
        parts = [entities.sum(dim=1) / 4, entities.amax(dim=1), self.ground(prepared["ground"])]
        if not self._goal_apart:
            options, _ = self.goal_options(prepared)
            parts += [options.sum(dim=1), options.amax(dim=1)]
        return torch.cat(parts, dim=1), {}

    def read_into(self, linear: nn.Linear, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What either prepared -> what a layer makes of the features."""
        features, entities = self.read(prepared)
        return linear(features), entities

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> (n, features)."""
        return self.read(self.prepare(observations))

    def update_normaliser(self, observations: Tensors) -> None:
        """Nothing is normalised by what is seen."""

    def goal_options(self, prepared: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """Embeddings (n, k, width) of the goal's options, 0 where there is none, and where there is one, (n, k)."""
        kinds = self.kind(self.atom_kinds)[prepared["atoms"]]
        atoms = self.atom(torch.relu(kinds + self.place(prepared["grounded"])))
        signs = prepared["goal"][..., None]
        literals = torch.cat([atoms[:, None].expand(-1, signs.shape[1], -1, -1), signs], dim=3)
        is_used = signs.abs()
        is_option = is_used.amax(dim=2)
        return self.option((self.literal(literals) * is_used).sum(dim=2)) * is_option, is_option[:, :, 0]

    def _nearest_floors(self, terrain: torch.Tensor) -> torch.Tensor:
        """(n, colours, 4): whether a floor is around, and how the nearest cell of it lies: ahead, left, nearness."""
        is_there = terrain.flatten(1)[:, None] == self.floors
        rank = torch.where(is_there, self.ranks, TERRAIN_SIDE**2).amin(dim=2)
        return self.nearest[rank.long()]

    def _things(self, entities: torch.Tensor, floors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """All that atoms name, ``ENTITIES`` in order and nothing: (n, 18, columns), and their places (n, 18, 4).

        A place is in metres from the player, ahead, to the left and up, and whether it is known.
        """
        objects, players = entities[:, :NUM_OBJECTS], entities[:, NUM_OBJECTS:]
        shapes = objects[:, :, SHAPE : SHAPE + len(GOAL_SHAPES)]
        colours = objects[:, :, OBJECT_COLOUR : OBJECT_COLOUR + len(COLOURS)]
        is_object = (colours[:, :, :, None] * shapes[:, :, None, :]).flatten(2)
        count = is_object.sum(dim=1).clamp(min=1)[:, :, None]
        of_objects = is_object.transpose(1, 2) @ _geometry(objects) / count  # a mean, where a world has it twice
        # The player's own row is where it is itself: there is no way to it.
        is_other = (players[:, :, POSITION : POSITION + 3].abs().sum(dim=2, keepdim=True) > 0) * players[:, :, :1]
        of_opponent = (_geometry(players) * is_other).sum(dim=1, keepdim=True) / is_other.sum(
            dim=1, keepdim=True
        ).clamp(min=1)
        me = torch.zeros_like(of_opponent)
        me = torch.cat([torch.ones_like(me[:, :, :1]), me[:, :, 1:]], dim=2)
        seen = torch.cat([of_objects, me, of_opponent], dim=1)
        known, places, shown = seen[:, :, :1], seen[:, :, 1:4], seen[:, :, 4:]
        distance = places.square().sum(dim=2, keepdim=True).sqrt()
        bodies = torch.cat([known, torch.tanh(places / REACH), known / (1 + distance), shown], dim=2)
        nothing = torch.zeros_like(bodies[:, :1])
        of_floors = torch.cat([floors[:, :, :3], torch.zeros_like(floors[:, :, :1]), floors[:, :, 3:]], dim=2)
        of_floors = torch.cat([of_floors, torch.zeros_like(nothing[:, :, 5:]).expand(-1, floors.shape[1], -1)], dim=2)
        at = torch.cat([places, known], dim=2)
        nowhere = torch.zeros_like(at[:, :1]).expand(-1, floors.shape[1] + 1, -1)
        return torch.cat([bodies, of_floors, nothing], dim=1), torch.cat([at, nowhere], dim=1)

    def _grounded(self, atoms: torch.Tensor, things: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Where the two things of each atom (n, a) are, and how they lie to each other: (n, a, columns)."""
        named = self.atom_things[atoms].flatten(1)
        of_both = things.gather(1, named[:, :, None].expand(-1, -1, things.shape[2])).unflatten(1, (-1, 2))
        at = places.gather(1, named[:, :, None].expand(-1, -1, places.shape[2])).unflatten(1, (-1, 2))
        known = at[:, :, 0, 3:] * at[:, :, 1, 3:]
        way = at[:, :, 1, :3] - at[:, :, 0, :3]
        distance = way.square().sum(dim=2, keepdim=True).sqrt()
        return torch.cat([of_both.flatten(2), torch.tanh(way / 3) * known, known / (1 + distance)], dim=2)


def _layers(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layer = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(layer.weight, np.sqrt(2))
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers)


def _atom_table() -> tuple[np.ndarray, np.ndarray]:
    """Of every atom, and of none: relation and kinds of its two things, one-hot float32 (213, 12), and these things,
    places in ``ENTITIES`` (213, 2)."""
    kinds = np.zeros((len(ATOMS) + 1, len(RELATIONS) + 2 * 4), np.float32)
    things = np.full((len(ATOMS) + 1, 2), _NO_THING, np.int64)
    for number, atom in enumerate(ATOMS):
        kinds[number, RELATIONS.index(atom.relation)] = 1.0
        for place, name in enumerate(atom[1:]):
            kinds[number, len(RELATIONS) + 4 * place + _kind(name)] = 1.0
            things[number, place] = ENTITIES.index(name)
    return kinds, things


def _kind(name: str) -> int:
    return next(kind for kind, names in enumerate((OBJECTS, (ME,), (OPPONENT,), FLOOR_NAMES)) if name in names)


def _nearest_cells() -> tuple[np.ndarray, np.ndarray]:
    """Ranks of the cells of the ground by their distance, and by rank how the cell lies.

    Returns:
        uint8 (225,); float32 (226, 4): 1, ahead, left and nearness, the last row, of no cell, zeros.
    """
    rows, columns = np.mgrid[:TERRAIN_SIDE, :TERRAIN_SIDE].reshape(2, -1)
    middle = TERRAIN_SIDE // 2
    ahead, left = middle - rows, middle - columns
    distances = np.hypot(ahead, left)
    order = distances.argsort(kind="stable")
    ranks = np.empty(len(order), np.uint8)
    ranks[order] = np.arange(len(order))
    lies = np.stack([np.ones(len(order)), np.tanh(ahead / REACH), np.tanh(left / REACH), 1 / (1 + distances)], axis=1)
    return ranks, np.concatenate([lies[order], np.zeros((1, 4))]).astype(np.float32)


def _shown_rows(entities: torch.Tensor) -> torch.Tensor:
    """Entities (n, k, 25) with bounded places and their nearness: (n, k, 26)."""
    places, seen = entities[:, :, POSITION:X_AXIS], entities[:, :, SEEN : SEEN + 1]
    near = seen / (1 + places.square().sum(dim=2, keepdim=True).sqrt())
    return torch.cat(
        [entities[:, :, : SIZE + 1], torch.tanh(places / REACH), near, entities[:, :, X_AXIS:]], dim=2
    ).clamp(-MOST_OWN, MOST_OWN)


def _geometry(entities: torch.Tensor) -> torch.Tensor:
    """Of entities (n, k, 25): known, place (3, metres), x axis (3), held by the player, by another, frozen: (n, k, 10).

    Zeros where there is none.
    """
    return torch.cat(
        [
            entities[:, :, SEEN : SEEN + 1],
            entities[:, :, POSITION:X_AXIS],
            entities[:, :, X_AXIS : X_AXIS + 3],
            entities[:, :, HELD_BY_ME : FROZEN + 1],
        ],
        dim=2,
    )


def _terrain(observations: Tensors) -> torch.Tensor:
    """(n, 98): heights at every second point, bounded, and whether these are outside the world."""
    heights = observations["terrain_heights"][:, SAMPLED, SAMPLED].flatten(1)
    outside = observations["terrain_floors"][:, SAMPLED, SAMPLED].flatten(1) < 0
    return torch.cat([(heights / REACH).clamp(-2.0, 2.0), outside.float()], dim=1)


def _own(observations: Tensors) -> torch.Tensor:
    """What the player feels and did last."""
    return torch.cat(
        [(observations[name].float() / scale).clamp(-MOST_OWN, MOST_OWN) for name, scale in OWN.items()], dim=1
    )


def _used(places: torch.Tensor) -> int:
    """How many of the places (n, k) up to the last that any row uses; at least one."""
    used = places.any(dim=0).nonzero()
    return int(used.max()) + 1 if len(used) else 1
