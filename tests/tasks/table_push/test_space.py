import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.table_push import TablePushTask
from tests.tasks.table_push.strategies import SPACE, parameters


def sampled(seed: int = 0) -> dict:
    return SPACE.sample(np.random.default_rng(seed))


def open_parameters() -> dict:
    """All blocks flat, the cans on tiles 0, 1 and 2."""
    params = sampled()
    params["blocks"][...] = (1, 0, 0)
    params["tiles"][...] = np.eye(24)[:3]
    params["offsets"][...] = 0
    return params


@given(parameters)
def test_decoding_is_the_specification(params):
    """Blocks by the greatest logit; a can on a tile that is not flat, or taken, is absent."""
    task, taken = SPACE.decode(params), set()
    for row, column in np.ndindex(6, 4):
        assert task.blocks[row, column] == list(params["blocks"][row, column]).index(max(params["blocks"][row, column]))
    for can in range(3):
        tile = list(params["tiles"][can]).index(max(params["tiles"][can]))
        row, column = divmod(tile, 4)
        if task.blocks[row, column] == 0 and tile not in taken:
            taken.add(tile)
            middle = np.array([0.15 * row + 0.075, 0.15 * column + 0.075])
            assert np.abs(task.objects[can] - middle - params["offsets"][can]).max() < 1e-6
        else:
            assert np.isnan(task.objects[can]).all()
    assert np.abs(task.goal - params["goal"]).max() < 1e-6
    assert abs(task.goal_range - params["goal_range"][0]) < 1e-6


@settings(max_examples=50)
@given(st.integers(0, 2**32))
def test_mutation_changes_one_thing(seed):
    rng = np.random.default_rng(seed)
    task = SPACE.decode(SPACE.sample(rng))
    mutated = SPACE.mutate(task, rng)
    mutated.validate()
    blocks = int((mutated.blocks != task.blocks).sum())
    cans = int((~np.isclose(mutated.objects, task.objects, equal_nan=True)).any(axis=1).sum())
    others = int((mutated.goal != task.goal).any()) + int(mutated.goal_range != task.goal_range)
    assert blocks + others + (0 if blocks else cans) <= 1
    assert cans <= 1


def test_a_third_of_sampled_targets_is_there():
    """One in three blocks is flat."""
    rng = np.random.default_rng(3)
    present = np.mean([SPACE.decode(SPACE.sample(rng)).present for _ in range(2_000)], axis=0)
    assert 0.30 < present[0] < 0.37
    assert present[2] < present[0]


def test_tasks_without_parameters_say_so():
    task = SPACE.decode(open_parameters())
    fields = {name: getattr(task, name) for name in ("blocks", "objects", "goal", "goal_range", "obstacles")}
    elsewhere = task.objects.copy()
    elsewhere[1] += 0.03
    others = [
        {"blocks": np.zeros((7, 4), np.int8)},
        {"obstacles": np.array([[0.5, 0.5, 0.02, 0.02, 0.0]])},
        {"objects": elsewhere},
        {"objects": np.full((3, 2), np.nan)},
    ]
    for other in others:
        changed = TablePushTask(**fields | other)
        changed.validate()
        for refused in (SPACE.encode, lambda task: SPACE.mutate(task, np.random.default_rng(0))):
            with pytest.raises(InvalidTaskError, match="to have parameters"):
                refused(changed)
