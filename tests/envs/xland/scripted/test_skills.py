"""Every skill alone, in a world of a few tiles: how soon its literal holds, and that it goes on to."""

import math

import numpy as np
import pytest

from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.gadgets import IMMUNITY_STEPS, TAG_STEPS
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import hand_authored_task
from tests.envs.xland.scenes import FLAT, PILLAR, RAMP, act, player, simulate
from tests.envs.xland.scripted.episodes import first_reward, play, seat

CUBE, BALL = "purple cube 0.6 m at 5.5 1.5 facing 0", "yellow sphere 0.6 m at 1.5 5.5 facing 0"
BLUE, RED = player("blue", 1.5, 1.5), player("red", 5.5, 5.5, -2.0)
#: A wall two levels high from west to east, with a gap in the east.
WALL = "0. 0. 0. 0. 0. 0. 0.\n" * 3 + "2. 2. 2. 2. 2. 0. 0.\n" + "0. 0. 0. 0. 0. 0. 0.\n" * 3


def alone(goal: str, *things: str, tiles: str = FLAT, steps: int = 150, who: str = BLUE) -> int:
    """The step in which one player first meets a goal."""
    return first_reward(simulate(tiles, *things, who, game=goal), steps)


def against(goal: str, other: str, *things: str, tiles: str = FLAT, steps: int = 200, **players: str) -> int:
    """The same beside a player that does nothing, and has a goal of its own."""
    blue, red = players.get("blue", BLUE), players.get("red", RED)
    return first_reward(simulate(tiles, *things, blue, red, game=f"{goal}\n{other}"), steps)


#: Skill -> goal, things, what else is asked, and the steps by which it is met.
ALONE = {
    "near": ("near(me,purple cube)", [CUBE], {}, 30),
    "not near": ("~near(me,purple cube)", [CUBE.replace("5.5 1.5", "1.5 2.0")], {}, 15),
    "see": ("see(me,purple cube)", [CUBE], {"who": player("blue", 1.5, 1.5, math.pi)}, 10),
    "see behind a wall": ("see(me,yellow sphere)", [BALL.replace("1.5 5.5", "0.5 6.5")], {"tiles": WALL}, 60),
    "not see": ("~see(me,purple cube)", [CUBE], {"who": player("blue", 1.5, 1.5, 0.0)}, 10),
    "seen": (
        "see(yellow sphere,me)",
        [BALL.replace("1.5 5.5", "3.5 6.5")],
        {"tiles": PILLAR, "who": player("blue", 3.5, 0.5)},
        20,
    ),
    "not seen": (
        "~see(yellow sphere,me)",
        [BALL.replace("1.5 5.5", "3.5 6.5")],
        {"tiles": PILLAR.replace("2.", "3.").replace("floors", "floors 3 olive"), "who": player("blue", 1.5, 0.5)},
        20,
    ),
    "on": ("on(me,olive floor)", [], {"tiles": RAMP}, 60),
    # From the upper floor down: the ledge is closer than the ramp.
    "not on": ("~on(me,olive floor)", [], {"tiles": RAMP, "who": player("blue", 0.5, 6.5)}, 20),
    "bring": ("near(purple cube,yellow sphere)", [CUBE, BALL], {"steps": 250}, 120),
    "bring round a wall": (
        "near(purple cube,yellow sphere)",
        [CUBE, BALL.replace("1.5 5.5", "0.5 6.5")],
        {"tiles": WALL, "steps": 300},
        200,
    ),
    "take away": ("~near(purple cube,yellow sphere)", [CUBE, BALL.replace("1.5 5.5", "5.5 2.0")], {"steps": 200}, 80),
    # It is lifted, and held up.
    "keep off a floor": ("~on(purple cube,brown floor)", [CUBE], {"steps": 200}, 60),
    "hide behind a wall": (
        "~see(purple cube,yellow sphere)",
        [CUBE, BALL.replace("1.5 5.5", "1.5 1.5")],
        {"tiles": WALL, "steps": 400, "who": player("blue", 3.5, 0.5)},
        300,
    ),
    "make a slab a ramp": (
        "near(yellow pyramid,me)",
        ["black slab 2.6 m at 3.0 2.0 facing 1.5708", "yellow pyramid 0.6 m at 2.5 6.0 facing 0"],
        {"tiles": RAMP.replace("0^", "0."), "steps": 400, "who": player("blue", 1.0, 1.0)},
        300,
    ),
}


@pytest.mark.parametrize("skill", ALONE)
def test_alone(skill):
    goal, things, options, by = ALONE[skill]
    assert alone(goal, *things, **options) < by


@pytest.mark.parametrize(
    ("goal", "things", "options", "by"),
    [
        ("see(opponent,me)", [], {"blue": player("blue", 6.5, 6.5)}, 30),
        ("see(opponent,purple cube)", [CUBE.replace("5.5 1.5", "6.5 6.5")], {}, 100),
        ("near(opponent,purple cube)", [CUBE], {}, 120),
    ],
)
def test_beside_another_player(goal, things, options, by):
    assert against(goal, "on(me,brown floor)", *things, **options) < by


def test_see_one_thing_and_not_another():
    things = CUBE, BALL, player("blue", 1.5, 1.5, 0.8)
    assert first_reward(simulate(FLAT, *things, game="see(me,purple cube) & ~see(me,yellow sphere)"), 40) < 15


def test_hold_and_let_go():
    assert alone("hold(me,purple cube)", CUBE) < 30
    simulation = simulate(FLAT, CUBE.replace("5.5 1.5", "1.5 2.5"), BLUE, game="~hold(me,purple cube)")
    act(simulation, 1, (1, 2, 3, 0, 0, 0))
    act(simulation, 1, (1, 2, 3, 0, 0, 0))
    act(simulation, 1, (1, 2, 3, 2, 1, 0))
    assert simulation.hand_is_holding[0]
    assert first_reward(simulation, 10) == 1


@pytest.mark.parametrize("thing", ["sphere", "cube", "pyramid"])
def test_hold_on_an_upper_floor(thing):
    """It is carried up the ramp."""
    goal = f"hold(me,purple {thing}) & on(me,olive floor)"
    assert alone(goal, CUBE.replace("cube", thing), tiles=RAMP, steps=250) < 150


@pytest.mark.parametrize("thing", ["sphere", "cube", "pyramid"])
def test_bring_an_object_on_an_upper_floor_and_leave_it(thing):
    goal = f"on(purple {thing},olive floor) & ~hold(me,purple {thing})"
    assert alone(goal, CUBE.replace("cube", thing), tiles=RAMP, steps=300) < 200


def test_gather_four_objects():
    things = [f"{name} 0.6 m at {x} {y} facing 0" for name, x, y in _FOUR]
    goal = " & ".join(f"near(black cube,{name})" for name, _, _ in _FOUR[1:])
    assert alone(goal, *things, steps=700) < 600


_FOUR = (("black cube", 0.5, 0.5), ("purple cube", 6.5, 0.5), ("yellow sphere", 6.5, 6.5), ("black pyramid", 0.5, 6.5))


def test_tag_keeps_another_off_the_floor():
    simulation = simulate(
        FLAT, player("blue", 1.5, 1.5, gadget="tag"), RED, game="~on(opponent,brown floor)\non(me,brown floor)"
    )
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant()), 300)
    # All but the first aiming, and the second of immunity after each return.
    assert 0.7 < rewards[:, 0].mean() < TAG_STEPS / (TAG_STEPS + IMMUNITY_STEPS) + 0.05


def test_tag_frees_an_object_from_a_rival():
    simulation = simulate(
        FLAT, CUBE, player("blue", 1.5, 1.5, gadget="tag"), RED, game="hold(me,purple cube)\nhold(me,purple cube)"
    )
    seated = seat(simulation, ScriptedParticipant(), new_co_player("steady"))
    rewards, _ = play(simulation, seated, 400)
    assert rewards[:, 0].mean() > 0.5


@pytest.mark.parametrize("gadget", ["freeze", "tag"])
def test_gadgets_keep_a_sphere_on_a_slope(gadget):
    task = hand_authored_task(f"stop_rolling_{gadget}_gadget").task
    rewarded = {}
    for name, participants in (("scripted", [ScriptedParticipant()]), ("noop", [])):
        simulation = XLandSimulation(task)
        rewarded[name] = play(simulation, seat(simulation, *participants), 300)[0].mean()
    assert rewarded["scripted"] > 0.95 and rewarded["noop"] < 0.1


def test_hide_behind_cover():
    """The other looks about for the player; a pillar three levels high stands in the middle."""
    tower = PILLAR.replace("2.", "3.")
    simulation = simulate(
        tower, player("blue", 3.5, 0.5), player("red", 3.5, 6.5, -1.6), game="~see(opponent,me)\nsee(me,opponent)"
    )
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant(), new_co_player("steady")), 300)
    assert rewards[:, 0].mean() > 0.5


def test_follow_and_lead():
    simulation = simulate(RAMP, BLUE, RED, game="on(opponent,olive floor)\nsee(me,opponent)")
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant(), new_co_player("follower")), 250)
    assert rewards[-50:, 0].all()
    gap = simulation.states.player_positions[0, 0] - simulation.states.player_positions[0, 1]
    assert np.hypot(*gap[:2]) < 2.0


def test_hunt():
    simulation = simulate(PILLAR, player("blue", 1.5, 1.5, gadget="tag"), player("red", 5.5, 5.5))
    seated = seat(simulation, new_co_player("hunter"))
    gone = 0
    for _ in range(300):
        play(simulation, seated, 1)
        gone += not simulation.states.players_present[0, 1]
    assert gone > 8 * TAG_STEPS


def test_oppose():
    """The other's goal holds from the beginning; the contrary player takes the cube away, and keeps it away."""
    game = "on(me,brown floor)\nnear(purple cube,yellow sphere)"
    pair = CUBE, "yellow sphere 0.6 m at 5.5 2.0 facing 0"
    simulation = simulate(FLAT, *pair, BLUE, RED, game=game)
    rewards, _ = play(simulation, seat(simulation, new_co_player("contrary")), 300)
    assert rewards[0, 1] and rewards[-150:, 1].mean() < 0.2
