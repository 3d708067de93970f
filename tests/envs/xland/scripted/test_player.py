"""The scripted player as a participant: repeatable, copied, and without a trace in the simulation.

Two players after the same thing: the scripted one keeps what it has.
"""

import copy
import pickle

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.scripted.proving import play_scripted
from procgen_bench.envs.xland.scripted.tempers import STRONGEST
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import hand_authored_task
from procgen_bench.tasks.xland.co_players import CO_PLAYERS
from procgen_bench.tasks.xland.entities import FREEZE
from tests.envs.xland.scenes import FLAT, RAMP, place_object, player, simulate
from tests.envs.xland.scripted.episodes import play, seat

TASKS = ("capture_the_cube", "xfootball", "tag_fiesta_3p", "tool_use_climb_1")
ONE_QUICK = [pytest.param(name, marks=() if name == "tag_fiesta_3p" else pytest.mark.slow) for name in TASKS]


def seated_task(name: str) -> tuple[XLandSimulation, list]:
    """A hand-authored task with its players, those that draw at random among them."""
    task = hand_authored_task(name).task
    simulation = XLandSimulation(task)
    others = ("clumsy", "contrary")[: len(task.game.goals) - 1]
    return simulation, seat(simulation, ScriptedParticipant(), *map(new_co_player, others), seed=3)


@pytest.mark.parametrize("name", ONE_QUICK)
def test_equal_episodes_are_equal(name):
    episodes = []
    for _ in range(2):
        simulation, seated = seated_task(name)
        episodes.append((*play(simulation, seated, 200), simulation.states.player_positions.copy()))
    for first, second in zip(*episodes):
        assert np.array_equal(first, second)


def test_a_participant_forgets_the_episode_before():
    simulation, seated = seated_task("xfootball")
    first = play(simulation, seated, 150)[1]
    simulation.reset()
    seat(simulation, *seated, seed=3)
    assert np.array_equal(play(simulation, seated, 150)[1], first)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))])
@pytest.mark.parametrize("name", ONE_QUICK)
def test_copies_go_on_equally(name, duplicate):
    simulation, seated = seated_task(name)
    play(simulation, seated, 73)
    other_simulation, other_seated = duplicate((simulation, seated))
    assert other_seated[0].simulation is other_simulation
    rewards, actions = play(simulation, seated, 120)
    other_rewards, other_actions = play(other_simulation, other_seated, 120)
    assert np.array_equal(actions, other_actions) and np.array_equal(rewards, other_rewards)
    assert np.array_equal(simulation.states.object_positions, other_simulation.states.object_positions)


def test_to_act_leaves_the_simulation_as_it_is():
    """Two simulations take the same actions; in one of them a player looks on, and decides."""
    watched, seated = seated_task("capture_the_cube")
    unwatched = XLandSimulation(watched.task)
    for _ in range(150):
        joint = np.array([participant.act() for participant in seated])
        assert joint.dtype == np.int64 and (joint >= 0).all() and (joint < ACTION_CHOICES).all()
        watched.step(joint)
        unwatched.step(joint)
        assert np.array_equal(watched.bodies.positions, unwatched.bodies.positions)
        assert np.array_equal(watched.bodies.velocities, unwatched.bodies.velocities)


def test_the_cheaper_option_is_taken():
    things = "purple cube 0.6 m at 6.5 6.5 facing 0", "yellow cube 0.6 m at 1.5 2.5 facing 0"
    game = "hold(me,purple cube) | hold(me,yellow cube)"
    simulation = simulate(FLAT, *things, player("blue", 1.5, 0.5), game=game)
    play(simulation, seat(simulation, ScriptedParticipant()), 40)
    assert simulation.states.held[0, 0].tolist() == [False, True]


def test_another_option_is_taken_where_one_fails():
    """The closer cube lies on a pillar that is too high to reach: the other one is taken in the end."""
    tiles = FLAT.replace("0. 0. 0. 0. 0. 0. 0.\n", "0. 5. 0. 0. 0. 0. 0.\n", 1)
    things = "purple cube 0.6 m at 6.5 0.5 facing 0", "yellow cube 0.6 m at 6.5 0.5 facing 0"
    game = "hold(me,purple cube) | hold(me,yellow cube)"
    simulation = simulate(tiles, *things, player("blue", 1.5, 3.5), game=game)
    place_object(simulation, 1, (3.0, 13.0, 6.3))
    simulation.step(np.array([(1, 2, 3, 2, 0, 0)]))
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant()), 500)
    assert rewards[-1, 0] and simulation.states.held[0, 0].tolist() == [True, False]


def test_what_is_taken_away_is_brought_back():
    things = "purple cube 0.6 m at 5.5 1.5 facing 0", "yellow sphere 0.6 m at 1.5 5.5 facing 0"
    simulation = simulate(FLAT, *things, player("blue", 1.5, 1.5), game="near(purple cube,yellow sphere)")
    seated = seat(simulation, ScriptedParticipant())
    assert play(simulation, seated, 120)[0][-1, 0]
    for k, place in enumerate([(12.0, 2.0, 0.3), (2.0, 12.0, 0.3)]):
        place_object(simulation, k, place)
    rewards, _ = play(simulation, seated, 200)
    assert not rewards[:3, 0].any() and rewards[-1, 0]


def share(simulation: XLandSimulation, steps: int) -> float:
    """Of some steps, those that reward the scripted player beside a steady one."""
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant(), new_co_player("steady")), steps)
    return float(rewards[:, 0].mean())


def test_what_another_would_take_is_frozen_where_it_belongs():
    players = player("blue", 4.5, 6.5, gadget="freeze"), player("red", 5.5, 2.5, gadget="freeze")
    game = "on(purple cube,olive floor)\n~on(purple cube,olive floor)"
    assert share(simulate(RAMP, "purple cube 0.6 m at 5.5 6.2 facing 0", *players, game=game), 200) > 0.9


def test_who_stands_in_the_way_is_passed_by_to_freeze_what_is_behind():
    players = player("blue", 3.5, 2.0, gadget="freeze"), player("red", 3.5, 3.2, gadget="freeze")
    game = "on(purple cube,brown floor)\n~on(purple cube,brown floor)"
    simulation = simulate(FLAT, "purple cube 0.6 m at 3.5 4.2 facing 0", *players, game=game)
    play(simulation, seat(simulation, ScriptedParticipant(), new_co_player("noop")), 15)
    assert simulation.effects.frozen[0] > 0


def test_what_is_frozen_on_its_way_waits_while_another_is_brought():
    things = "black cube 0.6 m at 1.5 1.5 facing 0", "yellow cube 0.6 m at 5.5 5.5 facing 0"
    things += ("purple cube 0.6 m at 5.5 1.5 facing 0",)
    game = "near(black cube,yellow cube) & near(black cube,purple cube)"
    simulation = simulate(FLAT, *things, player("blue", 3.5, 3.5), game=game)
    seated, carried = seat(simulation, ScriptedParticipant()), []
    while not carried:
        play(simulation, seated, 1)
        carried = np.flatnonzero(simulation.states.held[0, 0]).tolist()
    for _ in range(10):
        simulation.effects.use(FREEZE, carried[0])
        play(simulation, seated, 10)
    (other,) = {1, 2} - set(carried)
    cubes = simulation.states.object_positions[0]
    assert np.linalg.norm(cubes[other] - cubes[0]) < 2.5 < np.linalg.norm(cubes[carried[0]] - cubes[0])


def test_a_rival_is_tagged_as_it_comes_back():
    """The cube is let go of for that, and taken again; rooms differ by where the rival looks as it comes back."""
    starts = [
        (1.5, 1.5, -2.0, 3.5, 2.5),
        (1.5, 1.5, -1.0, 3.5, 2.5),
        (1.5, 2.5, 0.0, 3.5, 3.5),
        (1.5, 5.5, 1.0, 2.5, 3.5),
    ]
    starts += [(3.5, 1.5, 2.0, 2.5, 2.5), (2.5, 2.5, 3.0, 4.5, 2.5), (5.5, 1.5, -2.0, 3.5, 3.5)]
    shares = []
    for x, y, yaw, cube_x, cube_y in starts:
        players = player("blue", x, y, gadget="tag"), player("red", 5.5, 5.5, yaw, gadget="tag")
        cube, game = f"purple cube 0.6 m at {cube_x} {cube_y} facing 0", "hold(me,purple cube)\nhold(me,purple cube)"
        shares.append(share(simulate(FLAT, cube, *players, game=game), 250))
    assert np.mean(shares) > 0.6, shares


def test_co_players_are_frozen_as_they_were():
    """What the strongest player has learned since, they have not: rows on boards were played beside them."""
    assert STRONGEST.contends
    assert not any(new_co_player(name).temper.contends for name in CO_PLAYERS if name not in ("noop", "random"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"), [("solve_agi", 700), ("race_to_clifftop_with_orb", 100), ("xfootball", 700)]
)
def test_contests_are_won(name, least):
    for seed in range(3):
        mine, other = play_scripted(hand_authored_task(name).task, seed).returns
        assert mine > least > other
