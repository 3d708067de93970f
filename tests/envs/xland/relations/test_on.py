"""on in staged scenes: contact with the upper surface of a floor of that colour."""

import math

import pytest

from tests.envs.xland.relations.geometry import Geometry
from tests.envs.xland.relations.staging import (
    BLUE_ASIDE,
    RED_ASIDE,
    Scene,
    act,
    by_name,
    check_facts,
    hang,
    look,
    put,
    stage,
    tag,
    wait,
)
from tests.envs.xland.scenes import FORWARD, GRAB, player

#: A ledge of 1.2 m in the north with a ramp to it, a diagonal in the south-west, and floors of all colours.
GROUND = """\
1. 1. 1. 1. 1. 1. 1.
1. 1. 1. 1. 1. 1. 1.
0. 0. 0. 0^ 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0◤ 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
floors by tile
v v v v v v v
v v v v v v v
n n n o n n n
n n n n n n n
n n n b g g g
n w n n n n n
n n n n n n n
tiles 2.0 2.0 m, levels 1.2 m
"""
ASIDE = (BLUE_ASIDE, RED_ASIDE)
CUBE, SPHERE = "black cube 0.6 m at 5.5 2.5 facing 0", "yellow sphere 0.8 m at 3.5 2.5 facing 0"
PYRAMID = "purple pyramid 0.6 m at 1.5 3.5 facing 0"


def facts(**things: str) -> dict[str, bool]:
    """On which floors things are (and ``not_``: are not): ``black_cube="grey ~blue"``."""
    return {
        f"on({thing.replace('_', ' ')},{floor.removeprefix('~')} floor)": not floor.startswith("~")
        for thing, floors in things.items()
        for floor in floors.split()
    }


SCENES = by_name(
    [
        Scene("in the middle of a tile", facts(black_cube="grey ~blue"), (CUBE, *ASIDE), (wait(5),)),
        Scene(
            "across the border of two floors",
            facts(black_cube="grey blue"),
            (CUBE, *ASIDE),
            (put(0, 8.0, 5.0, 0.3), wait(5)),
        ),
        Scene(
            "5 cm beside the border of two floors",
            facts(black_cube="grey ~blue"),
            (CUBE, *ASIDE),
            (put(0, 8.35, 5.0, 0.3), wait(5)),
        ),
        Scene(
            "a sphere 2 cm beside the border",
            facts(yellow_sphere="blue ~grey"),
            (SPHERE, *ASIDE),
            (put(0, 7.98, 5.0, 0.4), wait(5)),
        ),
        Scene("asleep", facts(black_cube="grey ~brown"), (CUBE, *ASIDE), (wait(60),)),
        Scene(
            "a cube and a player on a ramp",
            facts(black_cube="orange ~brown", player_2="orange ~brown ~olive"),
            ("black cube 0.4 m at 3.3 4.5 facing 0", BLUE_ASIDE, player("red", 3.7, 4.5)),
            (wait(10),),
        ),
        Scene(
            "a pyramid that lies on its side",
            facts(purple_pyramid="brown ~olive"),
            (PYRAMID, *ASIDE),
            (put(0, 3, 7, 1.0, (math.cos(1.0), math.sin(1.0), 0, 0)), wait(40)),
        ),
        Scene(
            "one cube on another",
            {**facts(black_cube="grey"), **facts(yellow_cube="~grey ~blue ~brown")},
            (CUBE, "yellow cube 0.4 m at 1.5 3.5 facing 0", *ASIDE),
            (put(1, 11, 5, 0.8), wait(15)),
        ),
        Scene(
            "held in the air",
            facts(yellow_sphere="~blue ~brown", player_1="blue"),
            (SPHERE, player("blue", 3.5, 2.2), RED_ASIDE),
            (look(0, 7, 5, 0.4), act(1, GRAB), act(5, (1, 2, 3, 4, 1, 0)), act(5, GRAB)),
        ),
        Scene("4 mm above the floor", facts(black_cube="grey"), (CUBE, *ASIDE), (hang(0, 11, 5, 0.304), wait(3))),
        Scene("2 cm above the floor", facts(black_cube="~grey"), (CUBE, *ASIDE), (hang(0, 11, 5, 0.32), wait(3))),
        Scene(
            "a player on a slab, and the other on the floor beside it",
            facts(player_1="~brown", player_2="brown"),
            ("black slab 2.6 m at 5.5 3.5 facing 1.5708", player("blue", 5.5, 2.3), player("red", 2.5, 3.5)),
            (act(5, FORWARD), wait(4)),
        ),
        Scene("gone", facts(black_cube="~grey", player_1="~brown", player_2="brown"), (CUBE, *ASIDE), (tag(0), tag(1))),
        Scene(
            "1 cm before the foot of a ledge",
            facts(black_cube="brown ~olive"),
            (CUBE, *ASIDE),
            (put(0, 3, 9.69, 0.3), wait(10)),
        ),
        Scene(
            "against the face of a ledge, in the air",
            facts(yellow_sphere="~brown ~olive"),
            (SPHERE, *ASIDE),
            (hang(0, 3, 9.6, 0.8), wait(3)),
        ),
        Scene(
            "over the edge of a ledge, half of it",
            facts(black_cube="olive ~brown"),
            (CUBE, *ASIDE),
            (put(0, 3, 10.1, 1.5), wait(10)),
        ),
        Scene(
            "against the wall around the world, in the air",
            facts(yellow_sphere="~brown ~olive ~white"),
            (SPHERE, *ASIDE),
            (hang(0, 0.4, 7, 0.8), wait(3)),
        ),
        Scene(
            "on the upper half of a diagonal",
            facts(black_cube="white ~brown"),
            (CUBE.replace("0.6", "0.4"), *ASIDE),
            (put(0, 2.7, 3.4, 1.4), wait(10)),
        ),
        Scene(
            "on the lower half of a diagonal",
            facts(black_cube="white ~brown"),
            (CUBE.replace("0.6", "0.4"), *ASIDE),
            (put(0, 3.5, 2.5, 0.2), wait(10)),
        ),
        Scene("falling", facts(yellow_sphere="~blue"), (SPHERE, *ASIDE), (put(0, 7, 5, 3.0), wait(2))),
        Scene("fallen", facts(yellow_sphere="blue"), (SPHERE, *ASIDE), (put(0, 7, 5, 3.0), wait(10))),
        Scene(
            "a player that drops from a ledge, and one that has dropped",
            facts(player_1="~olive ~brown", player_2="brown ~olive"),
            (player("blue", 1.5, 5.2, -1.5708), player("red", 5.5, 5.2, -1.5708)),
            (act(3, second=FORWARD), wait(10), act(3, FORWARD)),
        ),
    ]
)


@pytest.mark.parametrize("scene", SCENES)
def test_on(scene):
    simulation = stage(scene._replace(ground=GROUND))
    truths = check_facts(scene, simulation)
    assert (Geometry(simulation).truths("on", truths) == truths).all()
