import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from tests.tasks.compositional_minigrid.strategies import parameters, present, room, tasks

SPACE = CompositionalMiniGridTaskSpace()


def expected_task(params) -> CompositionalMiniGridTask:
    """The placement rule in plain Python: agent, goal, key, door, ball, box; a taken tile gives way to the next."""
    here = present(params["subtasks"])
    tiles: dict[str, int] = {}
    for name, (x, y) in zip(("agent", "goal", "key", "door", "ball", "box"), params["coordinates"].tolist()):
        if name in ("agent", "goal") or here[("key", "door", "ball", "box").index(name)]:
            tile = 6 * min(int(y), 5) + min(int(x), 5)
            while tile in tiles.values():
                tile = (tile + 1) % 36
            tiles[name] = tile
    order = [tiles.get(name, 0) for name in ("agent", "key", "door", "ball", "box", "goal")]
    return room(params["subtasks"], order, int(params["direction"][0]), params["colours"])


@given(parameters)
def test_decode_follows_the_placement_rule_and_gives_valid_tasks(params):
    task = SPACE.decode(params)
    task.validate()
    assert task == expected_task(params)


@given(tasks(), st.integers(0, 2**32))
def test_mutation_stays_valid_and_changes_one_thing(task, seed):
    neighbour = SPACE.mutate(task, np.random.default_rng(seed))
    neighbour.validate()
    assert SPACE.mutate(task, np.random.default_rng(seed)) == neighbour
    if (neighbour.subtasks != task.subtasks).any():
        assert (neighbour.subtasks != task.subtasks).sum() == 1
        assert np.array_equal(neighbour.agent, task.agent)
        return
    changes = int((neighbour.agent[:2] != task.agent[:2]).any()) + int(neighbour.agent[2] != task.agent[2])
    changes += int((neighbour.colours != task.colours).sum())
    moved = (neighbour.places != task.places).any(axis=1).sum()
    # One that moves to a taken tile may push on those that are placed after it.
    assert changes <= 1 and (moved <= 1 or changes == 0 or (neighbour.agent[:2] != task.agent[:2]).any())


def test_mutation_reaches_every_field():
    task, rng = SPACE.suite("test")["key+door+ball+box+drop-0"], np.random.default_rng(1)
    reached = {name: np.zeros(getattr(task, name).shape, bool) for name in ("subtasks", "agent", "places", "colours")}
    for _ in range(1_000):
        neighbour = SPACE.mutate(task, rng)
        for name, seen in reached.items():
            seen |= getattr(neighbour, name) != getattr(task, name)
    assert all(seen.all() for seen in reached.values())


def test_solvable_samples_are_of_every_design():
    tasks = SPACE.draw_solvable(np.random.default_rng(3), 200)
    assert len({tuple(task.subtasks) for task in tasks}) == 32


def test_a_placement_can_be_drawn_for_a_design():
    design = np.array([0, 1, 0, 0, 1], np.int8)
    drawn = [SPACE.sample_placement(design, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    for task in drawn:
        task.validate()
        assert np.array_equal(task.subtasks, design)
