"""XLandTaskSpace: worlds, games and co-players as arrays of one size, between a teacher and the tasks."""

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, Solver, TaskSpace
from procgen_bench.tasks.xland.co_players import CO_PLAYERS
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GADGETS, MAX_PLAYERS, PLAYERS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.literals import check_count, read_literals, write_literals
from procgen_bench.tasks.xland.games.recolouring import alike_game
from procgen_bench.tasks.xland.groups import task_groups
from procgen_bench.tasks.xland.hold_out import FRESH_SHARE, held_out_marks, is_simplest, marks
from procgen_bench.tasks.xland.suites import SMALL_SUITES, SUITES
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.generation import condition, mutate
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS
from procgen_bench.tasks.xland.worlds.states import EVOLVING, NUM_STATES, STATE_KINDS, STATE_LEVELS, STATES
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE, LEAST_SIDE, MAX_METRES
from procgen_bench.tasks.xland.worlds.world import World

#: Most options of a goal, and literals of an option, that have a place in the space.
OPTIONS, LITERALS = 6, 6

_CO_PLAYER_NAMES = (None, *CO_PLAYERS)
_MAX_LATENT = 100.0
_TILES = (GREATEST_SIDE, GREATEST_SIDE)


def _numbers(least: list[float], most: list[float], count: int | None = None) -> spaces.Box:
    low, high = np.array(least, np.float64), np.array(most, np.float64)
    if count is not None:
        latents = np.full(LATENT_SIZE, _MAX_LATENT)
        low, high = (np.tile(np.concatenate(parts), (count, 1)) for parts in ((low, -latents), (high, latents)))
    return spaces.Box(low, high, dtype=np.float64)


def _whole(least: int, most: int, *shape: int) -> spaces.Box:
    return spaces.Box(least, most, shape, np.int16)


class XLandTaskSpace(TaskSpace[XLandTask]):
    """XLand's task space: all that a task is, in arrays whose sizes do not depend on it.

    Raw parameters; whole numbers are int16, others float64:

    - ``size``: (2,), rows and columns, 5 to 15.
    - ``tiles``: (15, 15), states of the tiles (places in ``STATE_KINDS`` and ``STATE_LEVELS``), and ``floors``:
      (15, 15), their colours; beyond the size they do not matter.
    - ``measures``: (7,), width, depth and height of tiles (metres), then the light, as in :class:`World`.
    - ``objects``: (12,), 0 for none, else 1 + 3 * shape + colour, and ``object_numbers``: (12, 12), of each size, x, y,
      yaw and eight latents.
    - ``players``: (3,), 0 for none, else 1 + 2 * colour + gadget, and ``player_numbers``: (3, 11), of each x, y, yaw
      and eight latents.
    - ``literals``: (3, 6, 6), by player, option and place: an atom's place in ``ATOMS`` plus 1, negative where it is
      negated, 0 for none.
    - ``co_players``: (2,), 0 for none, else 1 + the place in ``CO_PLAYERS``.

    Few arrays in the space describe a world that holds together, so ``decode`` refuses most of them and names the tile
    or thing; ``sample`` therefore does not draw them evenly but generates a world and a game for two, both to
    train on, and which reward nobody at the start. The arguments say of which sizes they are;
    the space is the same for all.

    Tasks are proven solvable in the simulator, by the scripted player: the solver that ``make_task_space`` hands over.

    Args:
        solver: See :class:`TaskSpace`.
        **draws: What is drawn: the fields of :class:`~procgen_bench.tasks.xland.drawing.DrawOptions`, ``sides`` say.

    Raises:
        InvalidOptionError: ``draws`` holds a name that is no such field, or a value that it cannot have.
    """

    task_type = XLandTask
    task_count = more_than(40)  # places in float64
    suites = SUITES
    fresh_share = FRESH_SHARE
    told_apart_by = "their games up to colours, and their worlds up to turns and reflections"
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "size": _whole(LEAST_SIDE, GREATEST_SIDE, 2),
            "tiles": _whole(0, NUM_STATES - 1, *_TILES),
            "floors": _whole(0, len(FLOORS) - 1, *_TILES),
            "measures": _numbers([0.0] * 3 + [-np.pi, 0.0, 0.0, 0.0], [MAX_METRES] * 3 + [np.pi, np.pi / 2, 1.0, 1.0]),
            "objects": _whole(0, len(SHAPES) * len(COLOURS), NUM_OBJECTS),
            "object_numbers": _numbers(
                [0.0, 0.0, 0.0, -2 * np.pi], [MAX_METRES, GREATEST_SIDE, GREATEST_SIDE, 2 * np.pi], NUM_OBJECTS
            ),
            "players": _whole(0, len(PLAYERS) * len(GADGETS), MAX_PLAYERS),
            "player_numbers": _numbers([0.0, 0.0, -2 * np.pi], [GREATEST_SIDE, GREATEST_SIDE, 2 * np.pi], MAX_PLAYERS),
            "literals": _whole(-len(ATOMS), len(ATOMS), MAX_PLAYERS, OPTIONS, LITERALS),
            "co_players": _whole(0, len(CO_PLAYERS), MAX_PLAYERS - 1),
        }
    )

    def __init__(self, solver: Solver[XLandTask] | None = None, **draws: Any):
        super().__init__(solver)
        known = [field.name for field in fields(DrawOptions)]
        for name in draws.keys() - known:
            raise InvalidOptionError(f"{name!r} is no option of what is drawn; known: {', '.join(known)}")
        self.draw_options = DrawOptions(**draws)

    def drawing(self, **draws: Any) -> Self:
        """This space, drawing as ``draws`` say."""
        return type(self)(self._solver, **draws)

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Those of :meth:`sample_task`."""
        return self.encode(self.sample_task(rng))

    def sample_task(self, rng: np.random.Generator, players: int = 2, earned: bool | None = None) -> XLandTask:
        """A new task for so many players (1 to 3), of the sizes that the space draws; co-players are left open.

        Args:
            rng: The random generator.
            players: How many, 1 to 3.
            earned: Whether a task is refused in which some player's goal is met at the start; ``None``: as the space
                says.
        """
        options = self.draw_options if earned is None else replace(self.draw_options, earned=earned)
        return draw_task(rng, players, options)

    def _decode(self, params: Parameters) -> XLandTask:
        rows, columns = params["size"].tolist()
        tiles, floors = params["tiles"][:rows, :columns], params["floors"][:rows, :columns]
        objects, players = params["objects"] > 0, params["players"] > 0
        things, of_objects = params["objects"][objects] - 1, params["object_numbers"][objects]
        seats, of_players = params["players"][players] - 1, params["player_numbers"][players]
        world = World(
            kinds=STATE_KINDS[tiles],
            levels=STATE_LEVELS[tiles],
            floors=floors.astype(np.int8),
            tile_size=params["measures"][:3],
            light=params["measures"][3:],
            object_shapes=(things // len(COLOURS)).astype(np.int8),
            object_colours=(things % len(COLOURS)).astype(np.int8),
            object_sizes=of_objects[:, 0],
            object_positions=of_objects[:, 1:3],
            object_yaws=of_objects[:, 3],
            object_latents=of_objects[:, 4:],
            player_colours=(seats // len(GADGETS)).astype(np.int8),
            player_positions=of_players[:, :2],
            player_yaws=of_players[:, 2],
            player_gadgets=(seats % len(GADGETS)).astype(np.int8),
            player_latents=of_players[:, 3:],
        )
        co_players = tuple(_CO_PLAYER_NAMES[place] for place in params["co_players"] if place)
        task = XLandTask(world, read_literals(params["literals"]), co_players)
        task.validate()
        return task

    def encode(self, task: XLandTask) -> Parameters:
        """The arrays of a task, as the class lists them; :class:`InvalidTaskError` where it has more things or literals
        than they hold."""
        world, game = task.world, task.game
        check_count("objects", len(world.object_shapes), NUM_OBJECTS)
        rows, columns = world.shape
        params: Parameters = {name: np.zeros(leaf.shape or (), leaf.dtype) for name, leaf in self.space.items()}
        params["size"][:] = rows, columns
        params["tiles"][:rows, :columns] = STATES[world.kinds, world.levels]
        params["floors"][:rows, :columns] = world.floors
        params["measures"][:] = *world.tile_size, *world.light
        things = world.object_shapes.astype(np.int16) * len(COLOURS) + world.object_colours
        params["objects"][: len(things)] = 1 + things
        params["object_numbers"][: len(things)] = np.column_stack(
            [world.object_sizes, world.object_positions, world.object_yaws, world.object_latents]
        )
        seats = world.player_colours.astype(np.int16) * len(GADGETS) + world.player_gadgets
        params["players"][: len(seats)] = 1 + seats
        params["player_numbers"][: len(seats)] = np.column_stack(
            [world.player_positions, world.player_yaws, world.player_latents]
        )
        write_literals(game, params["literals"])
        params["co_players"][: len(task.co_players)] = [_CO_PLAYER_NAMES.index(name) for name in task.co_players]
        return params

    def mutate(self, task: XLandTask, rng: np.random.Generator) -> XLandTask:
        """The world changed a little (A.1.1), or the game in other colours (A.2.4), each with even chance.

        A game that names no object has no other colours: then it is the world that changes. With the draws' option
        ``mutation`` it always is, as strongly as that says, and to tiles that are less coherent than new ones.

        Raises:
            NoWorldError: No changed world was found, or it has no room for what the game needs.
        """
        tools, strength = self.draw_options.tools, self.draw_options.mutation
        if strength is not None:
            changed = mutate(task.world, rng, strength, needs=task.game, tools=tools, weights=EVOLVING)
            return replace(task, world=condition(changed, task.game, rng))
        alike = alike_game(task.game, rng) if rng.random() < 0.5 else None
        if alike is not None:
            return replace(task, game=alike, world=condition(task.world, alike, rng))
        return replace(task, world=condition(mutate(task.world, rng, needs=task.game, tools=tools), task.game, rng))

    def shares(self, tasks: Sequence[XLandTask], targets: Collection[XLandTask]) -> dict[str, float]:
        """``raised_share``: of the worlds' tiles, those that are no flat floor of the lowest level."""
        raised = [((task.world.kinds != TileKind.FLAT) | (task.world.levels > 0)).mean() for task in tasks]
        return {"raised_share": float(np.mean(raised)) if raised else float("nan")}

    def groups(self, tasks: Sequence[XLandTask]) -> dict[str, np.ndarray]:
        """By what player 1's goal speaks of, and by its way to an object; see :func:`.task_groups`."""
        return task_groups(tasks)

    def hold_out_marks(self, task: XLandTask) -> frozenset[str]:
        """One of the game, up to its objects' colours, and one of the world's tiles, up to rotation and reflection; of
        the simplest tasks one of all that stands in them (:func:`~procgen_bench.tasks.xland.hold_out.is_simplest`)."""
        return marks(task.game, task.world)

    def is_kept_fresh(self, task: XLandTask) -> bool:
        """As of other task spaces; none of the simplest tasks, of which no fresh task is made."""
        return not is_simplest(task.game, task.world) and super().is_kept_fresh(task)

    def suite_marks(self, suite_name: str) -> frozenset[str]:
        """Those of all suites together: training may see none of them, whichever is scored."""
        return held_out_marks()


class XLandSmallTaskSpace(XLandTaskSpace):
    """The task space of ``XLandSmall-v0``: the same arrays; new tasks are as :data:`SMALL` says where ``draws`` do not.

    Args:
        solver: See :class:`TaskSpace`.
        **draws: See :class:`XLandTaskSpace`.
    """

    suites = SMALL_SUITES
    met_in_training = (
        "The games of `xland/skills` are few, 1,002 up to colours. Its scored and its fresh tasks differ from those "
        "to train on by their worlds alone: a budget meets most of these games in other worlds."
    )

    def __init__(self, solver: Solver[XLandTask] | None = None, **draws: Any):
        super().__init__(solver, **(SMALL | draws))
