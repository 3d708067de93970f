"""What players observe, in scenes of a few tiles whose numbers are worked out by hand."""

import math

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.observations import NO_ATOM, Observer, goal_arrays, observation_space
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import ATOMS, Goal, evaluate_atoms, load_suite, parse_atom, parse_goal
from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from tests.envs.xland.scenes import FLAT, GRAB, PILLAR, RAMP, USE, act, look_at, player, simulate

#: The player looks to the north from (7, 4) metres.
ME = player("blue", 3.5, 2.0)
#: Two tiles to the west of it and five metres ahead.
CUBE = "purple cube 0.6 m at 2.5 4.5 facing 0.3"
#: What is observed in place of pictures.
GROUND_TRUTH = {"entities", "terrain_heights", "terrain_floors"}


def entities(simulation: XLandSimulation, p: int = 0, privileged: bool = False) -> np.ndarray:
    return Observer(simulation, "state", privileged).observe(None)[p]["entities"]


def turned(angle: float) -> list[float]:
    return [math.cos(angle), math.sin(angle), 0.0]


def test_an_object_in_sight():
    row = entities(simulate(FLAT, CUBE, ME))[0]
    ahead, left, above = 5.0, 2.0, 0.3 - 1.65 / 2
    expected = [1, *(1, 0, 0, 0, 0), *(0, 1, 0), *(0, 0, 0), 0.6, ahead, left, above]
    expected += [*turned(0.3 - math.pi / 2), *(0, 0, 1), 0, 0, 0]
    np.testing.assert_allclose(row, expected, atol=2e-3)


def test_the_player_itself_and_another_one():
    simulation = simulate(FLAT, ME, player("green", 4.0, 4.0, 0.0))
    simulation.players["pitch"] = 0.1, -0.2
    act(simulation, 1)
    rows = entities(simulation)[12:]
    up = [-math.sin(0.1), 0, math.cos(0.1)]
    own = [1, *(0, 0, 0, 0, 1), *(0, 0, 0), *(1, 0, 0), 1.65, 0, 0, 0, math.cos(0.1), 0, math.sin(0.1), *up, 0, 0, 0]
    np.testing.assert_allclose(rows[0], own, atol=1e-6)
    # It looks to the east, which is this player's right, and a little down.
    view = [0, -math.cos(0.2), -math.sin(0.2), 0, -math.sin(0.2), math.cos(0.2)]
    other = [1, *(0, 0, 0, 0, 1), *(0, 0, 0), *(0, 0, 1), 1.65, 4, -1, 0, *view, 0, 0, 0]
    np.testing.assert_allclose(rows[1], other, atol=2e-3)
    assert not rows[2].any()
    assert entities(simulation, p=1)[12:, 0].tolist() == [0, 1, 0]  # it looks away


def test_a_tilted_object_has_its_own_axes():
    simulation = simulate(FLAT, "yellow slab 1.0 m at 3.5 4.0 facing 0", ME)
    half = math.radians(90) / 2  # about the world's x axis: what was up looks to the south
    simulation.states.object_rotations[0, 0] = math.cos(half), math.sin(half), 0.0, 0.0
    row = entities(simulation)[0]
    assert row[1:6].tolist() == [0, 0, 0, 1, 0] and row[6:9].tolist() == [0, 0, 1]
    np.testing.assert_allclose(row[16:22], [0, -1, 0, -1, 0, 0], atol=1e-5)


@pytest.mark.parametrize(
    ("tiles", "thing", "is_seen"),
    [
        (FLAT, "purple cube 0.6 m at 3.5 5.5 facing 0", True),
        (PILLAR, "purple cube 0.6 m at 3.5 5.5 facing 0", False),  # behind the pillar
        (PILLAR, "purple cube 0.6 m at 5.1 5.5 facing 0", True),  # past it
        (FLAT, "purple cube 0.6 m at 3.5 1.0 facing 0", False),  # behind the player
    ],
)
def test_only_what_is_seen_is_told_of_unless_privileged(tiles, thing, is_seen):
    simulation = simulate(tiles, thing, ME)
    row, known = entities(simulation)[0], entities(simulation, privileged=True)[0]
    assert row.any() == is_seen and known[0] == 1.0
    if is_seen:
        assert np.array_equal(row, known)
    assert not entities(simulation, privileged=True)[1:12].any()


def test_what_is_told_of_is_what_the_predicates_see():
    simulation = XLandSimulation(load_suite("test")["7"])
    world, rng = simulation.task.world, np.random.default_rng(0)
    things = zip(world.object_shapes.tolist(), world.object_colours.tolist())
    names = [f"{COLOURS[colour]} {SHAPES[shape]}" for shape, colour in things]
    of_goals = [k for k, name in enumerate(names) if not name.endswith("slab")]
    atoms = [ATOMS.index(parse_atom(f"see(me,{names[k]})")) for k in of_goals]
    opponent, found = ATOMS.index(parse_atom("see(me,opponent)")), set()
    assert len(set(atoms)) == 9 and simulation.bodies.num_players > 1
    for _ in range(100):
        simulation.step(rng.integers(0, ACTION_CHOICES, (simulation.bodies.num_players, 6)))
        truths = evaluate_atoms(simulation.states)[0]
        for p in range(simulation.bodies.num_players):
            seen = entities(simulation, p)[:, 0] == 1.0
            assert seen[of_goals].tolist() == truths[p, atoms].tolist()
            assert np.delete(seen[12:], p).any() == truths[p, opponent]
            found |= set(seen[of_goals].tolist())
    assert found == {False, True}


def test_held_by_me_and_by_another():
    cube, facing = "purple cube 0.6 m at 3.5 3.5 facing 0", player("red", 3.5, 4.7, -math.pi / 2)
    simulation = simulate(FLAT, cube, player("blue", 3.5, 2.3), facing)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB)
    mine, theirs = Observer(simulation, "state", False).observe(None)
    assert mine["entities"][0, 22:24].tolist() == [1, 0] and mine["hand_is_holding"].tolist() == [1]
    assert theirs["entities"][0, 22:24].tolist() == [0, 1] and theirs["hand_is_holding"].tolist() == [0]
    distance = math.dist(
        simulation.states.object_positions[0, 0], simulation.states.player_positions[0, 0] + (0, 0, 0.675)
    )
    assert mine["hand_distance"][0] == pytest.approx(distance, abs=1e-5) and theirs["hand_distance"][0] == 0.0
    act(simulation, 30, GRAB)
    mine, theirs = Observer(simulation, "state", False).observe(None)
    weight = 50.0 * 0.6**3 * 9.81
    assert mine["hand_force"][0] == pytest.approx(weight, rel=0.02) and theirs["hand_force"][0] == 0.0


def test_a_frozen_object_is_marked_and_whitened():
    simulation = simulate(FLAT, "black cube 0.6 m at 3.5 3.5 facing 0", ME)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1)
    observer = Observer(simulation, "both", False)
    before = observer.observe(None)[0]
    act(simulation, 1, USE)
    after = observer.observe(None)[0]
    assert before["entities"][0, 24] == 0.0 and after["entities"][0, 24] == 1.0
    middle = 36, 48
    assert after["rgb"][middle].min() > before["rgb"][middle].max()
    assert np.array_equal(before["rgb"][0], after["rgb"][0])  # the sky
    act(simulation, 40)
    assert entities(simulation)[0, 24] == 0.0


def test_what_is_tagged_is_not_there():
    tagger = player("red", 3.5, 3.0, -math.pi / 2, "tag")
    simulation = simulate(FLAT, "black cube 0.6 m at 3.5 4.5 facing 0", ME, tagger)
    act(simulation, 1, NOOP, USE)
    mine, theirs = Observer(simulation, "both", False).observe(None)
    assert not mine["entities"].any() and not mine["rgb"].any()
    assert theirs["entities"][12:, 0].tolist() == [0, 1, 0] and theirs["rgb"].any()
    assert entities(simulation, 0, privileged=True)[:, 0].nonzero()[0].tolist() == [0, 13]
    assert entities(simulation, 1, privileged=True)[:, 0].nonzero()[0].tolist() == [0, 13]
    act(simulation, 25)
    assert entities(simulation)[12:, 0].tolist() == [1, 1, 0]


def test_acceleration_is_that_of_the_player():
    simulation = simulate(FLAT, ME)
    act(simulation, 1, (2, 2, 3, 2, 0, 0))
    ahead, left, _ = Observer(simulation, "state", False).observe(None)[0]["acceleration"].tolist()
    assert ahead > 10.0 and abs(left) < 0.1


def test_the_last_action_is_one_hot():
    simulation = simulate(FLAT, ME, player("red", 5.5, 5.5))
    observer, actions = Observer(simulation, "state", False), np.array([NOOP, (2, 0, 6, 4, 1, 1)])
    row = np.array([observation["last_action"] for observation in observer.observe(actions)])
    assert [np.flatnonzero(part).tolist() for part in row] == [[1, 5, 11, 17, 20, 22], [2, 3, 14, 19, 21, 23]]
    assert row.sum() == 12.0 and not observer.observe(None, 1)[0]["last_action"].any()


@pytest.mark.parametrize("suite", ["hand_authored", "test"])
def test_goals_can_be_read_back(suite):
    tasks = load_suite(suite)
    for name in tasks.task_names[::30]:
        for goal in tasks[name].game.goals:
            matrix, atoms = goal_arrays(goal)
            used = atoms != NO_ATOM
            full = np.zeros((len(goal.matrix), len(ATOMS)), np.int8)
            full[:, atoms[used]] = matrix[: len(goal.matrix), used]
            assert Goal(full) == goal
            assert not matrix[len(goal.matrix) :].any() and not matrix[:, ~used].any()


def test_a_goal_by_hand():
    matrix, atoms = goal_arrays(parse_goal("hold(me,purple cube) | near(black cube,me) & ~hold(me,purple cube)"))
    assert [str(ATOMS[place]) for place in atoms[:2]] == ["near(black cube,me)", "hold(me,purple cube)"]
    assert matrix[:2, :2].tolist() == [[0, 1], [1, -1]] and abs(matrix).sum() == 3
    assert atoms[2:].tolist() == [212] * 10


@pytest.mark.parametrize(
    ("options", "atoms", "message"),
    [
        (7, 1, "number of options of a goal is 7, expected at most 6"),
        (1, 13, "atoms of a goal is 13, expected at most"),
    ],
)
def test_a_goal_too_large_is_refused(options, atoms, message):
    matrix = np.zeros((options, len(ATOMS)), np.int8)
    for option in range(options):
        matrix[option, option : option + atoms] = 1
    with pytest.raises(InvalidTaskError, match=message):
        goal_arrays(Goal(matrix))


@pytest.mark.parametrize(
    ("kind", "parts"), [("pixels", {"rgb"}), ("state", GROUND_TRUTH), ("both", GROUND_TRUTH | {"rgb"})]
)
def test_spaces_have_the_parts_that_are_observed(kind, parts):
    space = observation_space(kind)
    observation = Observer(simulate(FLAT, CUBE, ME), kind, False).observe(None)[0]
    assert set(space) & (GROUND_TRUTH | {"rgb"}) == parts and space.contains(observation)


def test_the_terrain_turns_with_the_player():
    """The world is 14 m wide; 9 m and more to the north of the south border, it is a level of 1.2 m higher."""
    north, east = (
        Observer(simulate(RAMP, player("blue", 1.25, 2.25, yaw)), "state", False).observe(None)[0]
        for yaw in (math.pi / 2, 0.0)
    )
    heights, floors = north["terrain_heights"], north["terrain_floors"]
    # At x = 2.5 m and y = 4.5 m: column 7 is the player's, row 7 - k lies k metres ahead.
    np.testing.assert_allclose(heights[[7, 2, 1], 7], [0.0, 0.0, 1.2], atol=2e-3)
    np.testing.assert_allclose(heights[2:5, 11], [0.9, 0.3, 0.0], atol=2e-3)  # the ramp
    # Two metres to the left is the last point inside; five behind it, none is.
    assert (floors[7, :5] == -1).all() and (floors[7, 5:] == 0).all() and (floors[12:, 7] == -1).all()
    assert (floors[1, 5:] == 1).all() and not heights[floors == -1].any()
    # Who looks to the east has the north on its left.
    np.testing.assert_allclose(np.rot90(east["terrain_heights"], -1), heights, atol=2e-3)
    assert np.array_equal(np.rot90(east["terrain_floors"], -1), floors)


def test_the_terrain_has_slopes_and_is_seen_from_the_feet():
    simulation = simulate(RAMP, player("blue", 3.5, 5.5))
    heights = Observer(simulation, "state", False).observe(None)[0]["terrain_heights"]
    # From 11 m to the north, on the upper floor: the ramp is between 8 and 10 m.
    np.testing.assert_allclose(heights[7:12, 7], [0.0, 0.0, -0.6, -1.2, -1.2], atol=2e-3)
