"""Bad tasks and actions: one clear error each, the same wherever they are handed in."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers the ids
from procgen_bench.core.errors import InvalidActionError, InvalidTaskError, UnknownNameError
from procgen_bench.envs.xland import parallel_env
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import World, XLandTask, parse_game

WORLD = World.from_text(
    """\
    0. 0. 0. 0. 0. 0. 0.
    0. 0. 0. 0. 0. 0. 0.
    0. 0. 2. 2. 2. 0. 0.
    0. 0. 2. 2. 2. 0. 0.
    0. 0. 0. 0. 0. 0. 0.
    0. 0◤ 0. 0. 0. 0. 0.
    0. 0. 0. 0. 0. 0. 0.
    floors 0 brown 2 olive
    tiles 2.0 2.0 m, levels 1.2 m
    black cube 0.6 m at 0.5 5.5
    yellow sphere 0.6 m at 3.5 4.5
    blue player at 0.5 0.5
    red player at 6.5 6.5
    """
)
GAME = parse_game("near(me,black cube)\nsee(me,opponent)")
TASK = XLandTask(WORLD, GAME)


def reset_option(task: XLandTask) -> None:
    env = parallel_env(players=2, observation="state")
    env.reset(options={"task": TASK})
    try:
        env.reset(options={"task": task})
    finally:  # the episode that was under way goes on
        assert env.task == TASK and env.agents == ["player_1", "player_2"]
        env.step(dict.fromkeys(env.agents, np.array(NOOP)))


def single_reset_option(task: XLandTask) -> None:
    gymnasium.make("XLand-v0", observation="state", disable_env_checker=True).reset(options={"task": task})


WAYS_IN = [XLandSimulation, parallel_env, reset_option, single_reset_option]


def changed(name: str, index, value) -> World:
    array = getattr(WORLD, name).copy()
    array[index] = value
    return replace(WORLD, **{name: array})


def game(*goals: str) -> XLandTask:
    return XLandTask(WORLD, parse_game("\n".join(goals)))


#: What is wrong: the task, the error, and what it says.
TASKS = {
    "an object that the world lacks": (
        game("near(me,purple pyramid)", "see(me,opponent)"),
        InvalidTaskError,
        "objects is 'without purple pyramid', expected every object that the game names",
    ),
    "an object that the world lacks, of the second player's goal, negated": (
        game("see(me,opponent)", "near(me,black cube) | ~hold(me,yellow cube)"),
        InvalidTaskError,
        "objects is 'without yellow cube', expected every object that the game names",
    ),
    "an object out of reach": (
        game("near(me,yellow sphere)", "see(me,opponent)"),
        InvalidTaskError,
        "the yellow sphere's tile is [4, 3], expected a tile [row, column] that some player can come to",
    ),
    "a floor that the world lacks": (
        game("on(me,white floor)", "see(me,opponent)"),
        InvalidTaskError,
        "floors is 'without white', expected a white floor, which the game names",
    ),
    "more goals than players": (
        game("see(me,opponent)", "see(me,opponent)", "near(me,black cube)"),
        InvalidTaskError,
        "number of players of the world is 2, expected 3, as of the game",
    ),
    "fewer goals than players": (
        game("near(me,black cube)"),
        InvalidTaskError,
        "number of players of the world is 2, expected 1, as of the game",
    ),
    "co-players for missing seats": (
        XLandTask(WORLD, GAME, ("noop", "random")),
        InvalidTaskError,
        "number of co-players is 2, expected 0 or 1",
    ),
    "a co-player that nobody knows": (
        XLandTask(WORLD, GAME, ("nobody",)),
        UnknownNameError,
        "unknown co-player 'nobody'; known: noop, random",
    ),
    "a player inside a diagonal's wall": (
        XLandTask(changed("player_positions", 0, (1.5, 1.5)), GAME),
        InvalidTaskError,
        "player_positions[0] is (1.5, 1.5), expected a flat tile or a ramp, not the DIAGONAL_NORTH_WEST at [1, 1]",
    ),
    "a player half inside a wall": (
        XLandTask(changed("player_positions", 1, (1.9, 3.5)), GAME),
        InvalidTaskError,
        "player_positions[1] is (1.9, 3.5), expected at least 0.3 m to the wall in the east of tile [3, 1], not 0.2 m",
    ),
    "a player beyond the world": (
        XLandTask(changed("player_positions", 1, (7.5, 3.5)), GAME),
        InvalidTaskError,
        "player_positions[1] is (7.5, 3.5), expected x in [0, 7) and y in [0, 7)",
    ),
    "an object half inside a wall": (
        XLandTask(changed("object_positions", 0, (0.1, 5.5)), GAME),
        InvalidTaskError,
        "object_positions[0] is (0.1, 5.5), expected at least 0.424 m to the wall in the west of tile [5, 0], not",
    ),
    **{
        f"not a number among {name}": (
            XLandTask(changed(name, index, value), GAME),
            InvalidTaskError,
            f"{name}{list(index)} is {value}, expected a",
        )
        for name, index, value in (
            ("tile_size", (2,), np.nan),
            ("tile_size", (0,), np.inf),
            ("light", (0,), np.nan),
            ("object_sizes", (1,), np.nan),
            ("object_yaws", (0,), np.nan),
            ("object_latents", (1, 3), np.inf),
            ("player_yaws", (1,), -np.inf),
            ("player_latents", (0, 0), np.nan),
        )
    },
    **{
        f"a place that is not a number among {name}": (
            XLandTask(changed(name, (1, 0), np.nan), GAME),
            InvalidTaskError,
            f"{name}[1] is (nan, ",
        )
        for name in ("object_positions", "player_positions")
    },
}


def test_the_task_that_is_spoiled_is_a_good_one():
    for way_in in WAYS_IN:
        way_in(TASK)


@pytest.mark.parametrize("way_in", WAYS_IN, ids=lambda way_in: way_in.__name__)
@pytest.mark.parametrize("case", TASKS)
def test_bad_tasks(case, way_in):
    task, error, message = TASKS[case]
    with pytest.raises(error) as caught:
        way_in(task)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_more_players_than_there_are():
    with pytest.raises(InvalidTaskError, match="number of goals of the game is 4, expected 1 to 3"):
        parse_game("\n".join(["near(me,black cube)"] * 4))
    with pytest.raises(InvalidTaskError, match="number of players is 4, expected at most 3"):
        World.from_text("0. 0. 0. 0. 0.\n" * 5 + "".join(f"blue player at {x}.5 1.5\n" for x in range(4))).validate()


@pytest.mark.parametrize("task", ["hand_authored/find_cube", None, 3, WORLD])
def test_a_simulation_takes_nothing_but_tasks(task):
    with pytest.raises(InvalidTaskError, match=r"^invalid task: task is .*, expected an XLandTask$"):
        XLandSimulation(task)


WHOLE = "expected whole numbers (2, 6)"
STILL = [list(NOOP)] * 2


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.array(NOOP), "actions are int64 (6,), " + WHOLE),
        (np.array(STILL * 2), "actions are int64 (4, 6), " + WHOLE),
        (np.array([STILL]), "actions are int64 (1, 2, 6), " + WHOLE),
        (np.zeros((0, 6), np.int64), "actions are int64 (0, 6), " + WHOLE),
        (np.array(STILL, np.float32), "actions are float32 (2, 6), " + WHOLE),
        (np.full((2, 6), np.nan), "actions are float64 (2, 6), " + WHOLE),
        (np.array(STILL, bool), "actions are bool (2, 6), " + WHOLE),
        (np.array(STILL, object), "actions are object (2, 6), " + WHOLE),
        (np.array(STILL, str), "actions are <U"),
        (None, "actions are object (), " + WHOLE),
        ([[1, 2, 3, 2, 0, 0], [1, 2, 3]], "actions are [[1, 2, 3, 2, 0, 0], [1, 2, 3]], " + WHOLE),
        ([list(NOOP), [1, 2, 7, 2, 0, 0]], "actions[1, 2] is 7, expected 0 to 6"),
        (
            np.array(STILL, np.int8) - np.array([[0] * 6, [0] * 5 + [128]], np.uint8).view(np.int8),
            "actions[1, 5] is -128",
        ),
        (np.array(STILL, np.uint64) + np.uint64(2**63), "actions[0, 0] is 9223372036854775809, expected 0 to 2"),
    ],
)
def test_bad_actions(actions, message):
    simulation = XLandSimulation(TASK)
    before = simulation.save()
    with pytest.raises(InvalidActionError) as caught:
        simulation.step(actions)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert simulation.steps == 0 and (simulation.states.player_positions == before["player_positions"]).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64])
def test_whole_numbers_of_all_types_are_actions(dtype):
    simulation = XLandSimulation(TASK)
    simulation.step(np.array(STILL, dtype))
    assert simulation.steps == 1
