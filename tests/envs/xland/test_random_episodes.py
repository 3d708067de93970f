"""Random play in generated worlds: bodies stay in the world, above the ground, and out of each other."""

import mujoco
import numpy as np
import pytest

from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.simulation import DIVERGED, TIME_IS_UP, XLandSimulation
from procgen_bench.tasks.xland import load_suite

#: Metres by which no two bodies overlap where a step ends.
DEEPEST = 0.03


def overlap(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Depth of the deepest contact in metres.

    One that seems too deep is measured again, by MuJoCo's general algorithm: that for two boxes errs where edges are
    parallel (of a cube at rest on a block, 0.1 mm deep, it has said 1.5 m).
    """
    deepest = 0.0
    for contact in data.contact:
        distance = contact.dist
        if distance < -DEEPEST:
            distance = mujoco.mj_geomDistance(model, data, *map(int, contact.geom), 1.0, None)
        deepest = max(deepest, -distance)
    return deepest


def play(number: int, steps: int) -> tuple[float, float, float]:
    """Deepest overlap at the end of a step, and how far centres came to lie below the ground and beyond the walls
    (metres; negative: they did not)."""
    simulation = XLandSimulation(load_suite("test")[str(number)])
    world, bodies = simulation.task.world, simulation.bodies
    rng, ends = np.random.default_rng(number), mujoco.MjData(bodies.model)
    deepest, below, beyond = 0.0, -np.inf, -np.inf
    for step in range(steps):
        if step % 5 == 0:  # the same for a while: players that only tremble meet nothing
            actions = rng.integers(0, ACTION_CHOICES, (bodies.num_players, len(ACTION_CHOICES)))
        simulation.step(actions)
        assert simulation.ended != DIVERGED
        # With all bodies awake, where they are now: apart from what the simulation itself knows.
        ends.qpos[:] = bodies.positions
        mujoco.mj_fwdPosition(bodies.model, ends)
        deepest = max(deepest, overlap(bodies.model, ends))
        centres = np.concatenate([simulation.states.object_positions[0], simulation.states.player_positions[0]])
        here = simulation.effects.present
        rows, columns = world.shape
        side = np.array([columns, rows]) * world.tile_size[:2]
        beyond = max(beyond, float(np.maximum(-centres[:, :2], centres[:, :2] - side)[here].max()))
        for x, y, z in centres[here].tolist():
            x, y = (
                min(max(value / size, 0.0), count - 1e-9)
                for value, size, count in zip((x, y), world.tile_size, (columns, rows))
            )
            below = max(below, world.floor_height(x, y) - z)
    assert simulation.ended == (TIME_IS_UP if steps == 900 else None)
    return deepest, below, beyond


def check(number: int, steps: int) -> None:
    deepest, below, beyond = play(number, steps)
    assert deepest < DEEPEST, f"world {number}: {deepest:.3f} m deep"
    assert below < 0.0 and beyond < 0.0, f"world {number}: a centre lies {below:.3f} m below, {beyond:.3f} m beyond"


@pytest.mark.parametrize("number", [3, 500])
def test_a_few_episodes(number):
    check(number, 300)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, 1678, 4))
def test_many_episodes(number):
    """420 episodes. A thousand: python -c "from tests.envs.xland import test_random_episodes as random_episodes
    [random_episodes.check(number, 900) for number in range(1000)]"."""
    check(number, 900)
