"""Designs: what tasks they are and back, and what a mutation changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.baselines.curricula.design_spaces import design_space
from procgen_bench.baselines.curricula.designs import Design, DesignSpace
from procgen_bench.core.registrations import make_task_space

SPACES = {
    name: design_space(name, make_task_space(name), slots, pages)
    for name, slots, pages in (
        ("GMiniWoB-v0", 12, 4),
        ("CompositionalMiniGrid-v0", 5, 10),
        ("GridWorld-v0", 12, 10),
        ("UEDMaze-v0", 12, 10),
    )
}


def is_legal(space: DesignSpace, design: Design) -> bool:
    """No more than there may be, repeats apart, and in places that there are."""
    placed = design.placed
    return (
        len(design.primitives) == len(design.places) == space.slots
        and (1 <= design.num_places <= space.most_places)
        and (space.chooses_number or design.num_places == space.most_places)
        and design.num_repeated == 0
        and all(1 <= one <= len(space.primitives) and 0 <= place < design.num_places for one, place in placed)
    )


def is_one_change(before: Design, after: Design) -> bool:
    """Whether all but one primitive, or all, stand in the same order; in the same places, if there are as many."""
    first, second = before.placed, after.placed
    if before.num_places != after.num_places:
        if abs(before.num_places - after.num_places) != 1:
            return False
        first, second = ([(one, 0) for one, _ in pairs] for pairs in (first, second))
    return any(one == other for one in _without_one(first) for other in _without_one(second))


def _without_one(pairs):
    return [pairs, *(pairs[:at] + pairs[at + 1 :] for at in range(len(pairs)))]


@pytest.mark.parametrize("name", SPACES)
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_a_mutation_is_legal_and_changes_one_primitive_at_most(name, seed):
    space, rng = SPACES[name], np.random.default_rng(seed)
    for design in (space.uniform(rng), space.empty):
        for _ in range(6):
            mutant = space.mutate(design, rng)
            assert is_legal(space, mutant) and is_one_change(design, mutant)
            assert (mutant.num_places, mutant.placed) != (design.num_places, design.placed)
            design = mutant
        if space.is_task(design):
            (task,) = space.tasks(design, 1, rng)
            task.validate()


@pytest.mark.parametrize("name", SPACES)
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_a_design_is_read_from_its_task(name, seed):
    """Made once more, the task is the same but for what designs leave open."""
    space, rng = SPACES[name], np.random.default_rng(seed)
    design = space.uniform(rng)
    if not space.is_task(design):
        return
    (task,) = space.tasks(design, 1, rng)
    (again,) = space.tasks(space.design_of(task), 1, rng)
    if name == "GMiniWoB-v0":
        assert again.design == task.design
    elif name == "GridWorld-v0":
        assert np.array_equal(again.objects[1:], task.objects[1:])
        differ = (again.tiles != task.tiles).sum()  # the goal is anywhere where it took no choice
        assert differ <= 2 and (len(space.design_of(task).placed) == space.slots or again == task)
    elif name == "UEDMaze-v0":
        read = space.design_of(task).placed
        if task.walls.sum() + 2 <= space.slots:
            assert np.array_equal(again.goal, task.goal) and np.array_equal(again.agent[:2], task.agent[:2])
        assert [place for primitive, place in read if primitive == 1] == np.flatnonzero(task.walls).tolist()
    else:
        assert np.array_equal(again.subtasks, task.subtasks)


def test_a_maze_is_what_was_placed_last():
    """Of two goals the second; walls under it or under the agent go; an agent on the goal is on the next tile."""
    space = SPACES["UEDMaze-v0"]
    pairs = [(1, 0), (2, 5), (1, 7), (2, 7), (1, 8), (1, 168), (3, 7)]
    (task,) = space.tasks(Design.of_pairs(169, pairs, 12), 1, np.random.default_rng(0))
    assert np.flatnonzero(task.walls).tolist() == [0, 168]
    assert task.goal.tolist() == [7, 0] and task.agent[:2].tolist() == [8, 0]


def test_what_a_maze_lacks_is_put_on_free_tiles():
    space, rng = SPACES["UEDMaze-v0"], np.random.default_rng(0)
    tasks = space.tasks(Design.of_pairs(169, [(1, place) for place in range(12)], 12), 50, rng)
    assert all(np.flatnonzero(task.walls).tolist() == list(range(12)) for task in tasks)
    assert len({task.goal.tobytes() for task in tasks}) > 30 and len({task.agent[2] for task in tasks}) == 4
    full = design_space("UEDMaze-v0", make_task_space("UEDMaze-v0"), 169, 10)
    (task,) = full.tasks(Design.of_pairs(169, [(1, place) for place in range(169)], 169), 1, rng)
    assert task.walls.sum() == 167
    task.validate()


class Tiny(DesignSpace):
    """Two primitives on one or two pages, in two choices."""

    primitives, most_places, chooses_number, most_slots, slots = ("a", "b"), 2, True, 2, 2

    def tasks(self, design, count, rng):
        raise NotImplementedError

    def design_of(self, task):
        raise NotImplementedError


class Scripted:
    """A generator whose choices are given; then it takes the first, and notes what else it could have taken."""

    def __init__(self, script):
        self.script, self.others, self.taken = script, [], ()

    def integers(self, count):
        at = len(self.taken)
        if at >= len(self.script):
            self.others += [(*self.taken, other) for other in range(1, count)]
        self.taken += (self.script[at] if at < len(self.script) else 0,)
        return self.taken[-1]


def every_mutant(space: DesignSpace, design: Design) -> dict[tuple, Design]:
    """All that can come out of a mutation, by every choice that it draws."""
    mutants, scripts = {}, [()]
    while scripts:
        rng = Scripted(scripts.pop())
        mutant = space.mutate(design, rng)
        mutants[mutant.num_places, *mutant.placed] = mutant
        scripts += rng.others
    return mutants


def test_every_design_is_reached_from_the_empty_one():
    """In as many mutations as it has choices, and pages beside the first; nothing else is ever reached."""
    space = Tiny()
    pairs = {number: [(one, place) for one in (1, 2) for place in range(number)] for number in (1, 2)}
    every = {
        (number, *placed)
        for number in (1, 2)
        for placed in [
            (),
            *((one,) for one in pairs[number]),
            *((one, other) for one in pairs[number] for other in pairs[number] if one != other),
        ]
    }
    reached = {(1,): space.empty}
    sizes = []
    for _ in range(space.slots + space.most_places - 1):
        for design in list(reached.values()):
            reached |= every_mutant(space, design)
        sizes.append(len(reached))
    assert set(reached) == every and sizes[-2] < len(every)


def test_all_kinds_of_mutations_happen():
    """Of a design of two pages, by what became of its pages and primitives."""
    design = Design.of_pairs(2, [(1, 0)], 2)
    mutants = set(every_mutant(Tiny(), design))
    assert mutants == {
        (1,),  # the first page went, with what was there
        (1, (1, 0)),
        (2,),
        (2, (2, 0)),
        (2, (1, 1)),
        *((2, *both) for other in ((1, 1), (2, 0), (2, 1)) for both in (((1, 0), other), (other, (1, 0)))),
    }
    assert set(every_mutant(Tiny(), Design.of_pairs(1, [(1, 0)], 2))) >= {(2, (1, 0)), (2, (1, 1))}


def test_an_object_takes_the_tile_of_a_wall():
    space = SPACES["GridWorld-v0"]
    place = 8 * 5 + 2  # column 2 of row 5
    (task,) = space.tasks(
        Design.of_pairs(64, [(1, place), (3, place), (1, place + 1)], 12), 1, np.random.default_rng(0)
    )
    assert task.objects[0].tolist() == [3, 6]
    assert np.argwhere(task.tiles).tolist() == [[5, 3]]
