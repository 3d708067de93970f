"""hold in staged scenes: a player's beam holds the object."""

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
    stage,
    tag,
    wait,
)
from tests.envs.xland.scenes import GRAB, PILLAR, place_object, player

CUBE, SPHERE = "black cube 0.6 m at 3.5 3.5 facing 0", "yellow sphere 0.6 m at 3.5 3.5 facing 0"
PYRAMID = "purple pyramid 0.6 m at 3.5 3.5 facing 0"
BLUE, RED = player("blue", 3.5, 2.4, gadget="tag"), player("red", 4.6, 3.5, 3.1416, "tag")
AT_CUBE = look(0, 7, 7, 0.3)
MINE, THEIRS = "hold(player 1,black cube)", "hold(player 2,black cube)"


def behind(metres: float):
    """The object that player 1 holds is put so far beyond the point at which the beam holds it."""

    def direct(simulation) -> None:
        player = simulation.players[0]
        eye = simulation.states.player_positions[0, 0] + (0, 0, 1.5 - 1.65 / 2)
        place_object(simulation, 0, eye + (player["distance"] + metres) * player["axis"])

    return direct


SCENES = by_name(
    [
        Scene("a cube is taken", {MINE: True, THEIRS: False}, (CUBE, BLUE, RED), (AT_CUBE, act(1, GRAB))),
        Scene("a cube is looked at", {MINE: False}, (CUBE, BLUE, RED), (AT_CUBE, wait(5))),
        Scene("a cube is let go", {MINE: False}, (CUBE, BLUE, RED), (AT_CUBE, act(5, GRAB), wait(1))),
        Scene(
            "a sphere is carried",
            {"hold(player 2,yellow sphere)": True, "hold(player 1,yellow sphere)": False},
            (SPHERE, BLUE_ASIDE, player("red", 3.5, 2.4)),
            (look(1, 7, 7, 0.3), act(1, second=GRAB), act(10, second=(0, 2, 4, 3, 1, 0))),
        ),
        Scene(
            "a pyramid is taken 3.9 m from the eye",
            {"hold(player 1,purple pyramid)": True},
            (PYRAMID, BLUE_ASIDE, RED_ASIDE),
            (hang(0, 5.0, 1.0, 1.5), look(0, 5.0, 1.0, 1.4), act(1, GRAB)),
        ),
        Scene(
            "a pyramid is out of reach 4.2 m from the eye",
            {"hold(player 1,purple pyramid)": False},
            (PYRAMID, BLUE_ASIDE, RED_ASIDE),
            (hang(0, 5.4, 1.0, 1.5), look(0, 5.4, 1.0, 1.4), act(3, GRAB)),
        ),
        Scene("a hand's breadth beside it", {MINE: False}, (CUBE, BLUE, RED), (look(0, 7.4, 7, 0.3), act(3, GRAB))),
        Scene("an edge of it", {MINE: True}, (CUBE, BLUE, RED), (look(0, 7.28, 6.7, 0.3), act(3, GRAB))),
        Scene(
            "behind a pillar",
            {MINE: False},
            ("black cube 0.6 m at 3.5 4.4 facing 0", player("blue", 3.5, 2.5), RED_ASIDE),
            (look(0, 7, 8.8, 0.3), act(3, GRAB)),
            PILLAR,
        ),
        Scene(
            "the first on the axis, not the one behind it",
            {"hold(player 1,yellow sphere)": True, MINE: False},
            (SPHERE, "black cube 0.6 m at 3.5 4.3 facing 0", BLUE, RED_ASIDE),
            (look(0, 7, 7, 0.3), act(2, GRAB)),
        ),
        Scene(
            "a slab in the way is taken instead",
            {MINE: False},
            (CUBE, "black slab 1.6 m at 1.5 5.5 facing 0", player("blue", 3.5, 2.0), RED_ASIDE),
            (hang(1, 7, 5.5, 1.0, (1.5708, 0, 0)), look(0, 7, 7, 0.3), act(2, GRAB)),
        ),
        Scene(
            "two hold one",
            {MINE: True, THEIRS: True},
            (CUBE, BLUE, RED),
            (AT_CUBE, look(1, 7, 7, 0.3), act(3, GRAB, GRAB)),
        ),
        Scene("a frozen cube", {MINE: True}, (CUBE, BLUE, RED), (hang(0, 7, 7, 0.3), AT_CUBE, act(8, GRAB))),
        Scene("what is gone is not held", {MINE: False}, (CUBE, BLUE, RED), (AT_CUBE, act(2, GRAB), tag(0))),
        Scene(
            "who is gone does not hold, the other does",
            {MINE: False, THEIRS: True},
            (CUBE, BLUE, RED),
            (AT_CUBE, look(1, 7, 7, 0.3), act(2, GRAB, GRAB), tag(1), act(1, GRAB, GRAB)),
        ),
        Scene(
            "1.4 m behind the point at which it is held",
            {MINE: True},
            (CUBE, BLUE, RED_ASIDE),
            (AT_CUBE, act(2, GRAB), behind(1.4), act(1, GRAB)),
        ),
        Scene(
            "1.6 m behind the point at which it is held, which is too far",
            {MINE: False},
            (CUBE, BLUE, RED_ASIDE),
            (AT_CUBE, act(2, GRAB), behind(1.6), act(1, (1, 2, 3, 4, 1, 0))),
        ),
        Scene(
            "a beam takes one thing at a time",
            {"hold(player 1,yellow sphere)": False, MINE: True},
            (CUBE, "yellow sphere 0.6 m at 4.2 3.5 facing 0", BLUE, RED_ASIDE),
            (AT_CUBE, act(1, GRAB), act(2, (1, 2, 1, 2, 1, 0)), act(2, GRAB)),
        ),
        Scene(
            "one is held by each",
            {MINE: True, "hold(player 2,yellow sphere)": True, THEIRS: False, "hold(player 1,yellow sphere)": False},
            (CUBE, "yellow sphere 0.6 m at 5.5 3.5 facing 0", BLUE, player("red", 5.5, 2.4)),
            (AT_CUBE, look(1, 11, 7, 0.3), act(3, GRAB, GRAB)),
        ),
    ]
)


@pytest.mark.parametrize("scene", SCENES)
def test_hold(scene):
    simulation = stage(scene)
    truths = check_facts(scene, simulation)
    assert (Geometry(simulation).truths("hold", truths) == truths).all()
