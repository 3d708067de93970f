"""The eight co-players: in any game, and as different as their names."""

import numpy as np
import pytest

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.gadgets import TAG_STEPS
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import CO_PLAYERS, hand_authored_task, load_suite
from tests.envs.xland.scenes import FLAT, player, simulate
from tests.envs.xland.scripted.episodes import play, seat

SCRIPTED = tuple(CO_PLAYERS)[2:]


def test_names():
    for name in CO_PLAYERS:
        first, second = new_co_player(name), new_co_player(name)
        assert isinstance(first, Participant) and first is not second
    with pytest.raises(UnknownNameError, match="genius"):
        new_co_player("genius")


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in (2, 4, 6))])
def test_all_play_generated_games_of_two_and_three(first):
    """Each name takes each seat in some of them."""
    tasks, names = load_suite("test").tasks, list(CO_PLAYERS)
    for number in range(6):
        task = tasks[(first * 211 + number * 307) % len(tasks)]
        simulation = XLandSimulation(task)
        chosen = [names[(first + number + 3 * p) % len(names)] for p in range(len(task.game.goals))]
        play(simulation, seat(simulation, *map(new_co_player, chosen), seed=number), 150)
        assert simulation.ended is None


@pytest.mark.parametrize("name", list(CO_PLAYERS))
def test_each_plays_alone(name):
    for task in ("tool_use_gap_1", "stop_rolling_tag_gadget"):
        simulation = XLandSimulation(hand_authored_task(task).task)
        play(simulation, seat(simulation, new_co_player(name)), 150)
        assert simulation.ended is None


def test_noop_does_nothing_and_random_everything():
    simulation = simulate(FLAT, player("blue", 1.5, 1.5), player("red", 5.5, 5.5))
    _, actions = play(simulation, seat(simulation, new_co_player("noop"), new_co_player("random")), 200)
    assert (actions[:, 0] == (1, 2, 3, 2, 0, 0)).all()
    assert [len(np.unique(actions[:, 1, kind])) for kind in range(6)] == [3, 5, 7, 5, 2, 2]


def reached(participant) -> int:
    """The step in which a player comes near a cube at the other end of a flat world."""
    cube, who = "purple cube 0.6 m at 6.5 6.5 facing 0", player("blue", 0.5, 0.5, -2.0)
    simulation = simulate(FLAT, cube, who, game="near(me,purple cube)")
    rewards, _ = play(simulation, seat(simulation, participant), 300)
    return int(np.argmax(rewards[:, 0])) if rewards[:, 0].any() else 300


def test_skill_is_ordered():
    """Steps to a far cube, over 15 m: at 0.4 m a step, 38 at best."""
    steps = {name: reached(new_co_player(name)) for name in ("swift", "steady", "clumsy", "noop")}
    assert steps["swift"] >= 38
    assert steps["swift"] + 8 < steps["steady"] < steps["clumsy"] - 20 < steps["clumsy"] < steps["noop"]
    assert reached(ScriptedParticipant()) <= steps["swift"]


def test_clumsy_blunders_every_third_time():
    """It has no use for its gadget, and uses it by chance: in every second of its blunders."""
    simulation = simulate(FLAT, player("blue", 1.5, 1.5))
    _, actions = play(simulation, seat(simulation, new_co_player("clumsy")), 800)
    assert actions[:, 0, 5].mean() == pytest.approx(1 / 6, abs=0.04)


@pytest.mark.parametrize(("name", "turns"), [("swift", True), ("steady", False)])
def test_swift_turns_to_the_option_that_comes_closest_and_steady_does_not(name, turns):
    """After a while the cube that it walks to is far away, and the other one close."""
    things = "purple cube 0.6 m at 6.5 1.5 facing 0", "yellow cube 0.6 m at 0.5 6.5 facing 0"
    game = "near(me,purple cube) | near(me,yellow cube)"
    simulation = simulate(FLAT, *things, player("blue", 2.5, 1.5), game=game)
    seated = seat(simulation, new_co_player(name))
    play(simulation, seated, 7)
    for k, place in enumerate([(13.0, 13.0, 0.3), (1.0, 3.0, 0.3)]):
        simulation.bodies.object_poses[k, :3] = place
    play(simulation, seated, 25)
    x = simulation.states.player_positions[0, 0, 0]
    assert (x < 4.0) == turns


def test_the_follower_follows_the_closest():
    simulation = simulate(FLAT, player("blue", 0.5, 0.5), player("red", 6.5, 6.5), player("green", 1.5, 5.5))
    play(simulation, seat(simulation, new_co_player("follower")), 100)
    places = simulation.states.player_positions[0, :, :2]
    assert np.hypot(*(places[0] - places[2])) < 1.6 < np.hypot(*(places[0] - places[1]))


def test_the_hunter_seeks_whom_it_does_not_see():
    """Without a gadget that works on players it stays at it: it keeps the other in sight."""
    tiles = "0. 0. 0. 0. 0. 0. 0.\n" * 3 + "2. 2. 2. 2. 2. 0. 0.\n" + "0. 0. 0. 0. 0. 0. 0.\n" * 3
    simulation = simulate(tiles, player("blue", 0.5, 0.5), player("red", 0.5, 6.5), game="see(me,opponent)\n" * 2)
    rewards, actions = play(simulation, seat(simulation, new_co_player("hunter")), 150)
    assert not rewards[:5, 0].any() and rewards[-50:, 0].all() and actions[-50:, 0, 5].any()


def test_the_contrary_minds_its_own_goal_when_there_is_nothing_to_undo():
    cube = "purple cube 0.6 m at 5.5 1.5 facing 0"
    game = "near(me,purple cube)\nhold(me,purple cube)"
    simulation = simulate(FLAT, cube, player("blue", 1.5, 1.5), player("red", 0.5, 6.5), game=game)
    rewards, _ = play(simulation, seat(simulation, new_co_player("contrary")), 60)
    assert rewards[-1, 0]


def test_a_player_that_is_gone_comes_back_and_goes_on():
    cube = "purple cube 0.6 m at 5.5 1.5 facing 0"
    who = player("blue", 1.5, 1.5), player("red", 1.5, 5.5, -np.pi / 2, "tag")
    simulation = simulate(FLAT, cube, *who, game="near(me,purple cube)\non(me,brown floor)")
    seated = seat(simulation, new_co_player("swift"), new_co_player("hunter"))
    gone = 0
    for _ in range(100):
        play(simulation, seated, 1)
        gone += not simulation.states.players_present[0, 0]
    assert gone > TAG_STEPS
    # The hunter leaves it alone from now on.
    seated[1] = new_co_player("noop")
    seated[1].begin(simulation, 1, np.random.default_rng(0))
    assert play(simulation, seated, 80)[0][-1, 0]
