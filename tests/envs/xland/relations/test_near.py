"""near in staged scenes: the surfaces are at most a metre apart, measured as A.2.1 constructs it.

What is constructed is never less than the distance of the surfaces, and up to a tenth of a metre more where large faces
are askew. Where the distance itself is a metre at most and what is constructed is more, the fact is ``beside``.
"""

import pytest

from procgen_bench.tasks.xland import parse_atom
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
    seen_by,
    stage,
    tag,
    wait,
)
from tests.envs.xland.scenes import GRAB, PILLAR, RAMP, player

ASIDE = (BLUE_ASIDE, RED_ASIDE)
CUBE, OTHER_CUBE = "black cube 0.6 m at 3.5 3.5 facing 0", "purple cube 0.6 m at 5.5 3.5 facing 0"
SPHERE, OTHER_SPHERE = "yellow sphere 0.8 m at 3.5 3.5 facing 0", "purple sphere 0.4 m at 5.5 3.5 facing 0"
PYRAMID = "yellow pyramid 0.8 m at 5.5 3.5 facing 0"
CUBES, SPHERES = "near(black cube,purple cube)", "near(purple sphere,yellow sphere)"

SCENES = by_name(
    [
        Scene("cubes 98 cm apart", {CUBES: True}, (CUBE, OTHER_CUBE, *ASIDE), (hang(0, 7, 7, 1), hang(1, 8.58, 7, 1))),
        Scene(
            "cubes 102 cm apart", {CUBES: False}, (CUBE, OTHER_CUBE, *ASIDE), (hang(0, 7, 7, 1), hang(1, 8.62, 7, 1))
        ),
        Scene(
            "spheres 99 cm apart, one above the other",
            {SPHERES: True},
            (SPHERE, OTHER_SPHERE, *ASIDE),
            (hang(0, 7, 7, 0.5), hang(1, 7, 7, 2.09)),
        ),
        Scene(
            "spheres 101 cm apart, slantwise",
            {SPHERES: False},
            (SPHERE, OTHER_SPHERE, *ASIDE),
            (hang(0, 7, 7, 0.5), hang(1, 7 + 1.61 * 0.6, 7, 0.5 + 1.61 * 0.8)),
        ),
        Scene(
            "a sphere over the apex of a pyramid, 97 cm above it",
            {"near(yellow sphere,yellow pyramid)": True},
            (SPHERE, PYRAMID, *ASIDE),
            (hang(0, 11, 7, 0.8 + 0.97 + 0.4), wait(2)),
        ),
        Scene(
            "a sphere beside the apex of a pyramid, 110 cm from its side",
            {"near(yellow sphere,yellow pyramid)": False},
            (SPHERE, PYRAMID, *ASIDE),
            (hang(0, 11 + 1.5, 7, 0.8 + 0.2), wait(2)),
        ),
        Scene(
            "large cubes askew, 98 cm apart by their corners and 103 cm as constructed",
            {CUBES: False},
            ("black cube 1.6 m at 3.5 3.5 facing 0", "purple cube 1.6 m at 5.5 3.5 facing 0", *ASIDE),
            (hang(0, 7, 7, 1.5), hang(1, 9.6, 6.03, 1.5, (0, 0, 1.3))),
            beside=(CUBES,),
        ),
        Scene(
            "edges of cubes 90 cm apart, whose centres are 175 cm apart",
            {CUBES: True},
            (CUBE, OTHER_CUBE, *ASIDE),
            (hang(0, 7, 7, 1, (0, 0, 0.7854)), hang(1, 7 + 0.9 + 0.6 * 2**0.5, 7, 1, (0, 0, 0.7854))),
        ),
        Scene(
            "faces of cubes 115 cm apart, whose centres are 175 cm apart",
            {CUBES: False},
            (CUBE, OTHER_CUBE, *ASIDE),
            (hang(0, 7, 7, 1), hang(1, 8.75, 7, 1)),
        ),
        Scene(
            "a cube 97 cm before a player and 170 cm behind the other",
            {"near(player 1,black cube)": True, "near(player 2,black cube)": False},
            (CUBE, player("blue", 3.5 - (0.3 + 0.97 + 0.3) / 2, 3.5), player("red", 3.5, 3.5 + (0.3 + 1.7 + 0.3) / 2)),
        ),
        Scene(
            "a pyramid 120 cm above a player's head, and another at its feet",
            {"near(player 2,black pyramid)": False, "near(player 2,yellow pyramid)": True},
            ("black pyramid 0.4 m at 1.5 1.5 facing 0", PYRAMID, BLUE_ASIDE, player("red", 5.5, 3.0)),
            (hang(0, 11, 6, 1.65 + 1.2 + 0.1), wait(2)),
        ),
        Scene(
            "on a ledge, over the edge from the player below",
            {"near(player 1,yellow sphere)": True, "near(player 2,yellow sphere)": False},
            ("yellow sphere 0.8 m at 1.5 5.5 facing 0", player("blue", 1.5, 4.8), player("red", 3.5, 2.0)),
            (hang(0, 3, 10.5, 1.6),),
            RAMP,
        ),
        Scene(
            "behind a pillar two metres wide",
            {"near(player 1,black cube)": False, "near(player 2,black cube)": True},
            ("black cube 0.6 m at 3.5 4.3 facing 0", player("blue", 3.5, 2.8), player("red", 3.5, 5.0)),
            (),
            PILLAR,
        ),
        Scene(
            "what is gone is near nothing",
            {"near(player 1,black cube)": False, "near(player 2,black cube)": False, CUBES: False},
            (CUBE, "purple cube 0.6 m at 3.9 3.5 facing 0", player("blue", 3.1, 3.5), player("red", 3.5, 3.1)),
            (tag(0),),
        ),
        Scene(
            "who is gone is near nothing",
            {"near(player 1,black cube)": True, "near(player 2,black cube)": False},
            (CUBE, player("blue", 3.1, 3.5), player("red", 3.5, 3.1)),
            (tag(2),),
        ),
        Scene(
            "held before the eyes, and 2.3 m away from them",
            {"near(player 1,yellow sphere)": True, "near(player 2,black cube)": False},
            (SPHERE, CUBE.replace("3.5 3.5", "5.5 3.5"), player("blue", 3.5, 2.9), player("red", 5.5, 2.35)),
            (look(0, 7, 7, 0.4), look(1, 11, 7, 0.3), act(15, GRAB, GRAB)),
        ),
        Scene(
            "frozen and touched",
            {"near(player 1,black cube)": True, CUBES: True},
            (CUBE, "purple cube 0.6 m at 3.8 3.5 facing 0", player("blue", 3.5, 3.0), RED_ASIDE),
            (hang(0, 7, 7, 0.3), act(3, (2, 2, 3, 2, 0, 0))),
        ),
        Scene(
            "of two equal cubes the closer one counts",
            {"near(player 1,black cube)": True, "near(player 2,black cube)": False},
            (CUBE, "black cube 0.6 m at 1.0 5.5 facing 0", player("blue", 3.5, 2.9), player("red", 5.0, 5.5)),
        ),
    ]
)


@pytest.mark.parametrize("scene", SCENES)
def test_near(scene):
    simulation = stage(scene)
    truths = check_facts(scene, simulation)
    geometry = Geometry(simulation)
    assert (geometry.truths("near", truths) == truths).all()
    for fact, truth in scene.facts.items():
        first, second = (geometry.bodies_of(name, 0) for name in parse_atom(seen_by(0, fact))[1:])
        if first and second:
            distance = min(geometry.distance(a, b) for a in first for b in second)
            assert (distance <= 1.0) == (truth or fact in scene.beside), f"{fact}: {distance:.3f} m"
