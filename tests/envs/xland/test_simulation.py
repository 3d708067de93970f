"""The simulation as a whole: its episodes, its errors, and what it tells of the state."""

import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidActionError, ResetNeededError
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.model import STEP_SECONDS, SUBSTEPS, world_model
from procgen_bench.envs.xland.simulation import DIVERGED, EPISODE_STEPS, TIME_IS_UP, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.hand_authored import task_names
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from tests.envs.xland.scenes import FLAT, FORWARD, RAMP, act, place_object, player, simulate

DIAGONALS = """\
0. 0. 0. 0. 0. 0. 0.
0. 1◣ 0. 0. 0. 1◢ 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 1◤ 0. 0. 0. 1◥ 0.
0. 0. 0. 0. 0. 0. 0.
""".replace("1", "0")
#: All ramps, around a hill.
HILL = """\
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0v 0. 0. 0.
0. 0. 1. 1. 1. 0. 0.
0. 0> 1. 1. 1. 0< 0.
0. 0. 1. 1. 1. 0. 0.
0. 0. 0. 0^ 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
"""
BLUE = player("blue", 0.5, 0.5)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if number % 6 else ()) for number, name in enumerate(task_names())],
)
def test_hand_authored_tasks_run(name):
    simulation = XLandSimulation(load_suite("hand_authored")[name])
    rng = np.random.default_rng(0)
    count = simulation.bodies.num_players
    for _ in range(50):
        rewards = simulation.step(rng.integers(0, ACTION_CHOICES, (count, len(ACTION_CHOICES))))
        assert rewards.shape == (count,) and set(rewards.tolist()) <= {0.0, 1.0}
    assert simulation.ended is None and simulation.steps == 50
    simulation.states.validate()


@pytest.mark.parametrize("tiles", [DIAGONALS, HILL, RAMP], ids=["diagonals", "hill", "ramp"])
def test_the_grounds_surface_is_that_of_the_tiles(tiles):
    """Rays from above meet the model's ground where the world says that its floor is."""
    world = simulate(tiles, BLUE).task.world
    model = world_model(world).model
    data = mujoco.MjData(model)
    data.qpos[:] = (0.6, 0.6, 50.0)  # the player, out of the way
    mujoco.mj_forward(model, data)
    rng, met = np.random.default_rng(0), set()
    for x, y in rng.uniform(0.0, 7.0, (2_000, 2)):
        place = np.array([x * 2.0, y * 2.0, 20.0])
        distance = mujoco.mj_ray(model, data, place, np.array([0, 0, -1.0]), None, True, -1, np.zeros(1, np.int32))
        assert 20.0 - distance == pytest.approx(world.floor_height(x, y), abs=1e-6), (x, y)
        met.add(int(world.kinds[int(y), int(x)]))
    assert met == set(world.kinds.ravel().tolist())


def test_all_kinds_of_tiles_are_covered():
    kinds = {int(kind) for tiles in (DIAGONALS, HILL) for kind in np.unique(simulate(tiles, BLUE).task.world.kinds)}
    assert kinds == {int(kind) for kind in TileKind}


def test_an_episode_lasts_two_minutes():
    simulation = simulate(FLAT, BLUE)
    act(simulation, EPISODE_STEPS - 1)
    assert simulation.ended is None
    act(simulation, 1)
    assert simulation.ended == TIME_IS_UP and simulation.steps == EPISODE_STEPS == 900
    assert simulation.bodies.data.time == pytest.approx(120.0) and SUBSTEPS * 900 == 11_700
    with pytest.raises(ResetNeededError, match="time is up"):
        act(simulation, 1)
    simulation.reset()
    act(simulation, 1)
    assert simulation.steps == 1 and simulation.bodies.data.time == pytest.approx(STEP_SECONDS)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e12])
def test_physics_that_diverges_ends_the_episode(value):
    simulation = simulate(FLAT, "purple cube 0.6 m at 3.5 3.5 facing 0", BLUE)
    act(simulation, 3)
    before = simulation.states.object_positions.copy()
    simulation.bodies.data.qvel[0] = value
    simulation.bodies.data.qpos[0] = value
    act(simulation, 1)
    assert simulation.ended == DIVERGED and simulation.rewards.tolist() == [0.0]
    np.testing.assert_array_equal(simulation.states.object_positions, before)  # the last sound state
    simulation.reset()
    act(simulation, 3)
    np.testing.assert_array_equal(simulation.states.object_positions, before)


def test_physics_that_diverges_by_itself_ends_the_episode():
    """Springs of contacts that are too stiff for steps of 10 ms, gravity that is too strong, and none that is a
    number: it is MuJoCo's own step that leads to what is no state."""

    def stiffen(model):
        model.geom_solref[:] = (-1e18, -1.0)

    def weigh(model):
        model.opt.gravity[2] = -1e9

    def confuse(model):
        model.opt.gravity[2] = np.nan

    for spoil in (stiffen, weigh, confuse):
        simulation = simulate(FLAT, "purple cube 0.6 m at 3.5 3.5 facing 0", BLUE)
        act(simulation, 3)
        assert np.isfinite(simulation.bodies.positions).all() and np.isfinite(simulation.bodies.velocities).all()
        spoil(simulation.bodies.model)
        simulation.bodies.object_motions[0, :3] = (0.5, 0.0, 1.0)  # awake, and soon to land
        for _ in range(5):
            before = simulation.states.object_positions.copy()
            act(simulation, 1)
            if simulation.ended:
                break
        assert simulation.ended == DIVERGED and simulation.rewards.tolist() == [0.0], spoil
        np.testing.assert_array_equal(simulation.states.object_positions, before)
        with pytest.raises(ResetNeededError, match="diverged"):
            act(simulation, 1)


def test_rewards_follow_the_game():
    game = "on(me,olive floor) & ~on(purple cube,olive floor)"
    simulation = simulate(RAMP, "purple cube 0.6 m at 1.5 1.5 facing 0", player("blue", 3.5, 2.5), game=game)
    assert simulation.rewards.tolist() == [0.0]
    act(simulation, 20, FORWARD)
    assert simulation.rewards.tolist() == [1.0]
    place_object(simulation, 0, (3.0, 12.0, 1.5))
    act(simulation, 5)
    assert simulation.rewards.tolist() == [0.0]


def test_truths_are_those_of_the_state():
    simulation = XLandSimulation(load_suite("test")["5"])
    rng = np.random.default_rng(0)
    for _ in range(20):
        simulation.step(rng.integers(0, ACTION_CHOICES, (simulation.bodies.num_players, len(ACTION_CHOICES))))
    used = np.zeros_like(simulation.truths)
    for p, goal in enumerate(simulation.task.game.goals):
        used[0, p, list(goal.atoms)] = True
    np.testing.assert_array_equal(simulation.truths, evaluate_atoms(simulation.states) & used)


def test_what_sleeps_goes_on_touching_its_floor():
    simulation = simulate(RAMP, "purple cube 0.6 m at 1.5 1.5 facing 0", "yellow cube 0.6 m at 1.5 5.5 facing 0", BLUE)
    act(simulation, 20)
    assert not simulation.bodies.awake[1:3].any()
    assert simulation.states.contacts[0, :2].nonzero()[1].tolist() == [0, 1]
    place_object(simulation, 0, (3.0, 3.0, 2.0))
    act(simulation, 1)
    assert not simulation.states.contacts[0, 0].any()


def test_a_wall_is_no_floor():
    simulation = simulate(RAMP, player("blue", 1.5, 3.5))
    act(simulation, 30, FORWARD)
    assert simulation.states.contacts[0, 0].nonzero()[0].tolist() == [0]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([[3, 2, 3, 2, 0, 0]], r"actions\[0, 0\] is 3, expected 0 to 2"),
        ([[1, 2, 3, -1, 0, 0]], r"actions\[0, 3\] is -1, expected 0 to 4"),
        ([list(NOOP)] * 2, r"actions are int64 \(2, 6\), expected whole numbers \(1, 6\)"),
        ([[0.5] * 6], r"actions are float64 \(1, 6\)"),
    ],
)
def test_invalid_actions_are_refused_and_change_nothing(actions, message):
    simulation = simulate(FLAT, BLUE)
    with pytest.raises(InvalidActionError, match=message):
        simulation.step(np.array(actions))
    assert simulation.steps == 0


def test_sleep_changes_little():
    """Without sleep, what lay still lies still at the same places."""
    things = ["purple cube 0.6 m at 1.5 1.5 facing 0", "yellow pyramid 0.6 m at 5.5 5.5 facing 0.4"]
    places = []
    for sleep in (True, False):
        simulation = simulate(RAMP, *things, player("blue", 3.5, 2.5), sleep=sleep)
        act(simulation, 60, FORWARD)
        assert simulation.bodies.awake[1:3].tolist() == [1 - sleep] * 2
        places.append(np.concatenate([simulation.states.object_positions[0], simulation.states.player_positions[0]]))
    np.testing.assert_allclose(places[0], places[1], atol=0.005)
