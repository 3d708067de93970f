"""VoxelBuild-v0 beside its peers, in one run and on one thread: ``make bench``. No time is asserted."""

import gymnasium
import numpy as np
import pytest
from numba import njit

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.envs.voxel_build.kernel import draw_first_person
from procgen_bench.envs.voxel_build.simulation import PICTURE_SHAPE, TEXTURES
from tests.envs.voxel_build.reference_picture import reference_picture
from tests.performance.stepping import (
    in_processor_seconds,
    single_stepper,
    start_up_programs,
    time_start_up,
    time_steps,
)

ROWS, BATCHES = 64, 20
#: Tasks of the suite whose building is drawn, and how many of the moments of each one the peer draws.
TASKS, EVERY = range(0, 500, 25), 12


def built_moments() -> tuple[np.ndarray, np.ndarray]:
    """Arenas and poses after every step of the builder: few pictures of an empty arena, many of near blocks."""
    env = gymnasium.make("VoxelBuild-v0")
    space, simulation = env.unwrapped.task_space, env.unwrapped.simulation
    arenas, poses = [], []
    for task in TASKS:
        env.reset(options={"task": f"test/{task}"})
        for action in space.solve(env.unwrapped.task):
            env.step(int(action))
            arenas.append(simulation.arenas[0].copy())
            poses.append(simulation.poses[0].copy())
    return np.array(arenas), np.array(poses)


@njit
def draw_all(arenas, poses, textures, picture):
    """Measured: the compiled raycaster, called as the kernel calls it."""
    for i in range(arenas.shape[0]):
        draw_first_person(arenas[i], poses[i], textures, picture)


class Builders:
    """A vector environment whose rows play the builder's solutions of the suite's tasks, one after the other."""

    def __init__(self, copy: bool):
        self.env = gymnasium.make_vec("VoxelBuild-v0", num_envs=ROWS, copy=copy, tasks="test")
        self.env.reset(seed=0)
        space = self.env.unwrapped.task_space
        longest = 2 * BATCHES
        plans = [space.solve(task)[:longest] for task in self.env.unwrapped.tasks]
        self.batches = np.array([np.pad(plan, (0, longest - len(plan))) for plan in plans]).T
        self.tasks = list(self.env.unwrapped.tasks)

    def advance(self) -> None:
        """From the start of the tasks; a reset is drawn as a step is."""
        self.env.reset(options={"task": self.tasks})
        for actions in self.batches:
            self.env.step(actions)


@in_processor_seconds
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env_random(benchmark, copy):
    env = gymnasium.make_vec("VoxelBuild-v0", num_envs=ROWS, copy=copy)
    batches = np.random.default_rng(0).integers(21, size=(BATCHES, ROWS))
    env.reset(seed=0)

    def advance() -> None:
        for actions in batches:
            env.step(actions)

    label = f"VoxelBuild native, {ROWS} rows, random, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, advance)


@in_processor_seconds
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env_building(benchmark, copy):
    builders = Builders(copy)
    steps = (1 + len(builders.batches)) * ROWS
    time_steps(benchmark, f"VoxelBuild native, {ROWS} rows, building, copy={copy}", "ours", steps, builders.advance)


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make("VoxelBuild-v0")
    time_steps(benchmark, "VoxelBuild single, random", "ours", 1_000, single_stepper(env, 1_000))


@in_processor_seconds
def test_raycaster_alone(benchmark):
    arenas, poses = built_moments()
    picture = np.zeros(PICTURE_SHAPE, np.uint8)
    time_steps(benchmark, "raycaster, building", "ours", len(poses), lambda: draw_all(arenas, poses, TEXTURES, picture))


@in_processor_seconds
def test_numpy_raycaster(benchmark):
    arenas, poses = (array[::EVERY] for array in built_moments())
    # Faithful: it draws the pictures that ours draws.
    picture = np.zeros(PICTURE_SHAPE, np.uint8)
    for arena, pose in zip(arenas, poses):
        draw_first_person(arena, pose, TEXTURES, picture)
        assert np.array_equal(picture, reference_picture(arena, pose, TEXTURES))

    def advance() -> None:
        for arena, pose in zip(arenas, poses):
            reference_picture(arena, pose, TEXTURES)

    time_steps(benchmark, "NumPy raycaster, building", "peer", len(poses), advance)


@in_processor_seconds
def test_bare_writes(benchmark):
    """The least that a picture takes: one store per number."""
    pictures = np.zeros((ROWS, *PICTURE_SHAPE), np.uint8)
    values = np.random.default_rng(0).integers(256, size=ROWS).astype(np.uint8)
    write_pictures(pictures, values)

    def advance() -> None:
        for _ in range(BATCHES):
            write_pictures(pictures, values)

    time_steps(benchmark, "28,800 bare uint8 writes", "peer", BATCHES * ROWS, advance)
    assert (pictures == values[:, np.newaxis, np.newaxis, np.newaxis]).all()


@njit
def write_pictures(pictures, values):
    """Measured: a picture of one value per row, which changes from call to call."""
    for i in range(pictures.shape[0]):
        values[i] += np.uint8(1)
        for line in range(pictures.shape[1]):
            for column in range(pictures.shape[2]):
                for channel in range(pictures.shape[3]):
                    pictures[i, line, column, channel] = values[i]


@pytest.mark.parametrize(("label", "program"), start_up_programs("VoxelBuild-v0"))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)
