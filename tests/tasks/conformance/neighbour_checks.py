"""What holds of mutations."""

from dataclasses import fields

import numpy as np

from tests.tasks.conformance.cases import Case
from tests.tasks.conformance.parameter_checks import encoded

#: Fields that the paper's mutations leave as they are.
LEFT_ALONE = {
    "GMiniWoB-v0": {"variation"},
    "GMiniWoBLiteral-v0": {"variation"},
    "FetchBlocks-v0": {"first"},
    "TablePush-v0": {"obstacles"},
    "UEDMaze-v0": {"agent"},
    "XLand-v0": {"co_players"},
    "XLandSmall-v0": {"co_players"},
}
#: Least part of mutations that give another task: what is redrawn may come out as it was.
LEAST_CHANGED = 0.25


def check_neighbours_are_valid(case: Case, count: int) -> None:
    """Every neighbour is a valid task with parameters; the task itself stays as it is."""
    rng, changed = np.random.default_rng(0), []
    for task in case.tasks(count):
        if encoded(case, task) is None:
            continue
        fingerprint = task.fingerprint()
        neighbour = case.space.mutate(task, rng)
        assert task.fingerprint() == fingerprint, "the task was changed in place"
        assert isinstance(neighbour, case.space.task_type)
        case.space.validate(neighbour)
        params = encoded(case, neighbour)
        assert params is None or case.space.decode(params) == neighbour
        changed.append(neighbour != task)
    assert np.mean(changed) >= LEAST_CHANGED, f"of {len(changed)} mutations {sum(changed)} changed anything"


def check_mutation_repeats(case: Case) -> None:
    """The generator alone decides, and another one gives another neighbour."""
    for task in case.decoded(2, seed=1):
        ones, others = np.random.default_rng(5), np.random.default_rng(5)
        for _ in range(3):
            assert case.space.mutate(task, ones) == case.space.mutate(task, others)
        assert ones.random() == others.random(), "other numbers were drawn the second time"
        assert len({case.space.mutate(task, np.random.default_rng(seed)) for seed in range(20)}) > 3


def check_every_field_mutates(case: Case, count: int) -> None:
    """In mutations of mutations every field of the task changes at some time."""
    rng, still = np.random.default_rng(2), {field.name for field in fields(case.space.task_type)}
    still -= LEFT_ALONE.get(case.environment_id, set()) | case.usual_fields
    for task in case.decoded(max(1, count // 50), seed=3):
        for _ in range(50):
            neighbour = case.space.mutate(task, rng)
            still -= {name for name in still if not _same(getattr(task, name), getattr(neighbour, name))}
            task = neighbour
    assert not still, f"never mutated: {sorted(still)}"


def _same(one: object, other: object) -> bool:
    return np.array_equal(one, other, one.dtype.kind == "f") if isinstance(one, np.ndarray) else one == other
