"""What is frozen as it comes to a floor falls asleep at once, and is on that floor exactly if it touches it."""

import numpy as np
import pytest

from procgen_bench.tasks.xland.entities import FREEZE
from tests.envs.xland.relations.geometry import Geometry
from tests.envs.xland.scenes import FLAT, act, place_object, player, simulate

BROWN = 0


def on_brown(simulation) -> bool:
    geometry = Geometry(simulation)
    assert not simulation.bodies.awake[1], "it does not sleep"
    return geometry.on(0, BROWN)


@pytest.mark.parametrize("name", ["cube", "sphere", "pyramid", "slab"])
def test_frozen_as_it_lands(name):
    """At the end of one step or another it is more or less high above the floor."""
    simulation = simulate(FLAT, f"purple {name} 0.6 m at 3.5 3.5 facing 0", player("blue", 0.5, 0.5))
    found = []
    for height in np.linspace(0.7, 1.0, 60):
        simulation.reset()
        place_object(simulation, 0, (7.0, 7.0, height))
        while simulation.bodies.object_poses[0, 2] > 0.45 and simulation.steps < 12:
            act(simulation, 1)
        simulation.effects.use(FREEZE, 0)
        act(simulation, 3)
        found.append((bool(simulation.states.contacts[0, 0, BROWN]), on_brown(simulation)))
    assert all(said == true for said, true in found), found
    assert len(set(found)) == 2
