"""see in staged scenes: a pixel of a player's picture shows the thing; between objects nothing stands."""

import pytest

from tests.envs.xland.relations.geometry import Geometry
from tests.envs.xland.relations.staging import (
    BLUE_ASIDE,
    RED_ASIDE,
    Scene,
    act,
    by_name,
    check_facts,
    face,
    hang,
    look,
    stage,
    tag,
)
from tests.envs.xland.scenes import GRAB, PILLAR, RAMP, player

SPHERE = "black sphere 0.6 m at 3.5 3.5 facing 0"
MINE, THEIRS = "see(player 1,black sphere)", "see(player 2,black sphere)"
#: Looks to the north with its eye at (7, 3, 1.5) metres.
BLUE = player("blue", 3.5, 1.5)
BIG_CUBE = "purple cube 1.6 m at 3.5 2.6 facing 0"
CUBES = ("black cube 0.6 m at 1.5 3.5 facing 0", "purple cube 0.6 m at 5.5 3.5 facing 0")
BETWEEN = "see(black cube,purple cube)"
#: A wall 1.2 m high and two metres thick.
LOW_WALL = "0. 0. 0. 0. 0. 0. 0.\n" * 3 + "1. 1. 1. 1. 1. 1. 0.\n" + "0. 0. 0. 0. 0. 0. 0.\n" * 3


def sphere_at(x: float, y: float, z: float, name: str, truth: bool) -> Scene:
    """Player 1 looks straight to the north, a sphere hangs somewhere (metres), player 2 looks away."""
    facts = {MINE: truth, THEIRS: False, "see(black sphere,player 1)": True}
    return Scene(name, facts, (SPHERE, BLUE, RED_ASIDE), (hang(0, x, y, z),))


SCENES = by_name(
    [
        Scene(
            "before one player and behind the other",
            {MINE: True, THEIRS: False},
            (SPHERE, BLUE, player("red", 3.5, 5.5, 1.5708)),
        ),
        Scene(
            "both turn round",
            {MINE: False, THEIRS: True},
            (SPHERE, BLUE, player("red", 3.5, 5.5, 1.5708)),
            (face(0, -90), face(1, -90)),
        ),
        # The picture's border passes 3.08 m to the right at a depth of 4 m, and 2.31 m above the eye.
        sphere_at(10.35, 7, 0.5, "its left point within the picture", True),
        sphere_at(10.41, 7, 0.5, "its left point beyond the picture, a sliver within", True),
        sphere_at(10.6, 7, 0.5, "beyond the picture's right border", False),
        sphere_at(3.7, 7, 0.5, "at the left border", True),
        sphere_at(7, 7, 4.08, "its lowest point within the picture", True),
        sphere_at(7, 7, 4.4, "above the picture", False),
        Scene("looked up to", {MINE: True}, (SPHERE, BLUE, RED_ASIDE), (hang(0, 7, 7, 4.4), face(0, 90, 30))),
        Scene("looked away from, to the floor", {MINE: False}, (SPHERE, BLUE, RED_ASIDE), (face(0, 90, -60),)),
        Scene(
            "behind a pillar, but not for who stands aside",
            {MINE: False, THEIRS: True, "see(player 1,player 2)": True, "see(player 2,player 1)": False},
            ("black sphere 0.6 m at 3.5 5.0 facing 0", BLUE, player("red", 5.0, 5.0, 3.1416)),
            (),
            PILLAR,
        ),
        Scene(
            "too small to be seen over a wall",
            {MINE: False},
            ("black cube 0.6 m at 3.5 5.5 facing 0", "black sphere 0.6 m at 3.5 5.0 facing 0", BLUE, RED_ASIDE),
            (),
            LOW_WALL,
        ),
        Scene(
            "tall enough to be seen over a wall",
            {"see(player 1,black cube)": True},
            ("black cube 1.8 m at 3.5 5.0 facing 0", BLUE, RED_ASIDE),
            (),
            LOW_WALL,
        ),
        Scene(
            "on a ledge, seen from below",
            {"see(player 1,black cube)": True, "see(player 2,black cube)": True},
            ("black cube 0.6 m at 1.5 5.5 facing 0", player("blue", 1.5, 3.0), player("red", 3.5, 6.0, 3.1416)),
            (),
            RAMP,
        ),
        Scene(
            "on a ledge of two levels, not seen from below",
            {MINE: False},
            ("black sphere 0.4 m at 3.5 5.5 facing 0", BLUE, RED_ASIDE),
            (hang(0, 7, 7.6, 2.6),),
            PILLAR,
        ),
        Scene(
            "behind a cube",
            {MINE: False, "see(black sphere,player 1)": False},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BIG_CUBE, BLUE, RED_ASIDE),
        ),
        Scene(
            "behind a cube that is gone",
            {MINE: True, "see(black sphere,player 1)": True},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BIG_CUBE, BLUE, RED_ASIDE),
            (tag(1),),
        ),
        Scene(
            "beside the apex of a pyramid",
            {MINE: True},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BIG_CUBE.replace("cube", "pyramid"), BLUE, RED_ASIDE),
            (hang(0, 7.6, 8.0, 1.4),),
        ),
        Scene(
            "where a cube of the pyramid's size hides it",
            {MINE: False},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BIG_CUBE, BLUE, RED_ASIDE),
            (hang(0, 7.6, 8.0, 1.4),),
        ),
        Scene(
            "behind a sphere",
            {MINE: False},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BIG_CUBE.replace("cube", "sphere"), BLUE, RED_ASIDE),
        ),
        Scene(
            "behind a slab on its edge",
            {MINE: False},
            (SPHERE, "purple slab 2.4 m at 3.5 2.5 facing 0", BLUE, RED_ASIDE),
            (hang(1, 7, 5, 0.9, (1.5708, 0, 0)),),
        ),
        Scene(
            "behind a slab that lies flat",
            {MINE: True},
            (SPHERE, "purple slab 2.4 m at 3.5 2.5 facing 0", BLUE, RED_ASIDE),
        ),
        Scene(
            "behind the other player",
            {MINE: False, THEIRS: True, "see(player 1,player 2)": True, "see(player 2,player 1)": False},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BLUE, player("red", 3.5, 2.5)),
        ),
        Scene(
            "behind the other player, who is gone",
            {MINE: True, THEIRS: False, "see(player 1,player 2)": False, "see(black sphere,player 2)": False},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BLUE, player("red", 3.5, 2.5)),
            (tag(2),),
        ),
        Scene(
            "beside the other player",
            {MINE: True, "see(player 1,player 2)": True},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", BLUE, player("red", 4.0, 2.5)),
        ),
        Scene(
            "behind what is held before the eyes",
            {MINE: False, "see(player 1,purple cube)": True},
            ("black sphere 0.4 m at 3.5 4.5 facing 0", "purple cube 0.6 m at 3.5 2.1 facing 0", BLUE, RED_ASIDE),
            (look(0, 7, 4.2, 0.3), act(1, GRAB), act(6, (1, 2, 3, 3, 1, 0)), face(0, 90, -12), act(10, GRAB)),
        ),
        Scene("gone", {MINE: False, "see(black sphere,player 1)": False}, (SPHERE, BLUE, RED_ASIDE), (tag(0),)),
        Scene(
            "seen by nobody", {MINE: False, "see(black sphere,player 2)": True}, (SPHERE, BLUE, RED_ASIDE), (tag(1),)
        ),
        Scene("objects across an empty floor", {BETWEEN: True}, (*CUBES, BLUE_ASIDE, RED_ASIDE)),
        Scene("objects on two sides of a pillar", {BETWEEN: False}, (*CUBES, BLUE_ASIDE, RED_ASIDE), (), PILLAR),
        Scene(
            "a player between objects",
            {BETWEEN: False, "see(black cube,player 2)": True, "see(purple cube,player 2)": True},
            (*CUBES, BLUE_ASIDE, player("red", 3.5, 3.5)),
        ),
        Scene(
            "a player between objects is gone",
            {BETWEEN: True},
            (*CUBES, BLUE_ASIDE, player("red", 3.5, 3.5)),
            (tag(3),),
        ),
        Scene(
            "a player that stands between objects, 5 cm aside",
            {BETWEEN: True},
            (*CUBES, BLUE_ASIDE, player("red", 3.5, 3.5 + 0.175)),
        ),
        Scene(
            "a corner beside the pillar, and neither its centre nor the middle of a face",
            {"see(player 1,black cube)": True},
            ("black cube 1.6 m at 3.5 5.0 facing 0", BLUE, RED_ASIDE),
            (hang(0, 8.2, 9.5, 0.8),),
            PILLAR,
        ),
    ]
)


@pytest.mark.parametrize("scene", SCENES)
def test_see(scene):
    simulation = stage(scene)
    truths = check_facts(scene, simulation)
    assert (Geometry(simulation).truths("see", truths) == truths).all()
