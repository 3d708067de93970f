"""Marks up to symmetries are equal for what a symmetry makes of a task, and for nothing else."""

import numpy as np
import pytest

from procgen_bench.core.registrations import environment_type
from procgen_bench.core.symmetries import images_of_square
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.tasks.bit_grid import BitGridTask
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask
from procgen_bench.tasks.sites import SiteDesign, SiteTask
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.voxel_build import VoxelBuildTask


def space_of(environment_id):
    return environment_type(environment_id).task_space


def reflected_grid(task):
    """On the diagonal through the start, with the pairs of doors and keys the other way round."""
    objects, pairs = task.objects[:, ::-1], task.num_pairs
    turned = np.concatenate([objects[:1], objects[1 : 1 + pairs][::-1], objects[1 + pairs :][::-1]])
    return type(task)(task.tiles.T.copy(), turned.copy())


def turned_bits(task):
    return BitGridTask(task.start, np.rot90(task.goal).copy())


def turned_structure(task):
    """A quarter turn, of the next material."""
    goal = np.rot90(task.goal)
    return VoxelBuildTask(task.start, np.where(goal > 0, goal % 3 + 1, 0).astype(np.uint8))


def turned_room(task):
    """A quarter turn to the right: (x, y) comes to (7 - y, x); every colour is the next one."""

    def turned(place):
        x, y = place
        return [7 - y, x] if x >= 0 else [-1, -1]

    x, y, direction = task.agent.tolist()
    return CompositionalMiniGridTask(
        task.subtasks,
        np.array([*turned((x, y)), (direction + 1) % 4], np.int8),
        np.array([turned(place) for place in task.places.tolist()], np.int8),
        np.array([(colour + 1) % 6 if colour >= 0 else -1 for colour in task.colours.tolist()], np.int8),
    )


TURNED = {
    "GridWorld-v0": reflected_grid,
    "GridWorldLarge-v0": reflected_grid,
    "BitGrid-v0": turned_bits,
    "VoxelBuild-v0": turned_structure,
    "VoxelBuildSmall-v0": turned_structure,
    "CompositionalMiniGrid-v0": turned_room,
}


@pytest.mark.parametrize("environment_id", TURNED)
def test_what_a_symmetry_makes_of_a_task_has_its_marks(environment_id):
    space, rng = space_of(environment_id), np.random.default_rng(0)
    tasks = [space.decode(space.sample(rng)) for _ in range(60)]
    turned = [TURNED[environment_id](task) for task in tasks]
    for task, other in zip(tasks, turned, strict=True):
        space.validate(other)
        assert space.symmetry_marks(task) == space.symmetry_marks(other)
    assert any(task.fingerprint() != other.fingerprint() for task, other in zip(tasks, turned))
    held_out_apart = any(
        space.hold_out_marks(task) != space.hold_out_marks(other) for task, other in zip(tasks, turned)
    )
    assert held_out_apart == (type(space).symmetry_marks is not TaskSpace.symmetry_marks)


@pytest.mark.parametrize("environment_id", [*TURNED, "GMiniWoB-v0", "UEDMaze-v0"])
def test_mutants_mostly_have_marks_of_their_own(environment_id):
    space, rng = space_of(environment_id), np.random.default_rng(0)
    tasks = [space.decode(space.sample(rng)) for _ in range(40)]
    mutants = [space.mutate(task, rng) for task in tasks]
    changed = [
        (a, b) for a, b in zip(tasks, mutants, strict=True) if space.hold_out_marks(a) != space.hold_out_marks(b)
    ]
    apart = [space.symmetry_marks(a) != space.symmetry_marks(b) for a, b in changed]
    assert len(changed) >= 5 and np.mean(apart) > 0.5


def test_a_direction_and_equal_colours_are_part_of_a_room():
    space = space_of("CompositionalMiniGrid-v0")
    task = next(one for one in space.suite("test") if (one.colours >= 0).all())
    x, y, direction = task.agent.tolist()
    agent = np.array([x, y, (direction + 1) % 4], np.int8)
    facing = CompositionalMiniGridTask(task.subtasks, agent, task.places, task.colours)
    same = CompositionalMiniGridTask(task.subtasks, task.agent, task.places, np.zeros(3, np.int8))
    mixed = CompositionalMiniGridTask(task.subtasks, task.agent, task.places, np.array([0, 1, 0], np.int8))
    assert len({space.symmetry_marks(one) for one in (task, facing, same, mixed)}) >= 3


#: One site with its pages either way round, and another.
ORDERS = (
    "city next_login\nrememberme submit",
    "rememberme next_login\ncity submit",
    "city rememberme next_login\nfooter submit",
)


def test_pages_of_a_site_may_come_in_any_order():
    def site(text):
        design = SiteDesign.from_text(text)
        return SiteTask(design, tuple((field, value_lists()[field][0]) for field in design.fields))

    space = space_of("GMiniWoB-v0")
    first, second, other = map(site, ORDERS)
    assert space.symmetry_marks(first) == space.symmetry_marks(second) != space.symmetry_marks(other)
    assert space.hold_out_marks(first) != space.hold_out_marks(second)


def test_a_square_has_eight_images():
    array = np.arange(9).reshape(3, 3)
    assert len({image.tobytes() for image in images_of_square(array)}) == 8
    assert (next(images_of_square(array)) == array).all()
