"""Who becomes whose child, held against a brute force, and what a child goes on from."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.papers.open_ended.dynamic_tasks import DynamicTasksConfiguration, DynamicTasksTeacher
from procgen_bench.baselines.training import evolution
from procgen_bench.baselines.training.evolution import (
    MUTATIONS,
    Mutation,
    child_of,
    is_beyond_noise,
    mutated,
    parent_and_child,
)

#: Scores of which everybody's differ from everybody else's by the same in every task: no noise.
CERTAIN = np.arange(4.0)


def brute_force(measures, order, rested):
    """All pairs that fulfil A.7's conditions, by their sums, written as the text has them."""
    sums = {}
    for i, j in product(range(len(measures)), repeat=2):
        at_least = all(measures[i][k] >= measures[j][k] for k in range(3))
        better = sum(measures[i][k] > measures[j][k] for k in range(3)) >= 1
        if rested[j] and at_least and better and order[i] > order[j]:
            sums[i, j] = sum(measures[i][k] - measures[j][k] for k in range(3))
    return sums


def agrees_with_the_brute_force(guard=0.0):
    rng = np.random.default_rng(0)
    evolved = 0
    for _ in range(500):
        measures = rng.integers(0, 4, (4, 3)).astype(float)
        order, rested = rng.permutation(4), rng.random(4) < 0.7
        sums = brute_force(measures.tolist(), order.tolist(), rested.tolist())
        found = parent_and_child(measures, np.repeat(order[:, None], 5, axis=1).astype(float), rested, guard)
        if (found is None and sums) or (found is not None and sums.get(found) != max(sums.values(), default=None)):
            return False
        evolved += found is not None
    return 100 < evolved < 450


def test_the_pair_is_that_of_a_brute_force():
    assert agrees_with_the_brute_force()


def the_other_way_round(honest):
    def rule(*arguments):
        found = honest(*arguments)
        return None if found is None else found[::-1]

    return rule


def whoever_is_better_somewhere(honest):
    return lambda measures, scores, rested, guard: honest(measures.max(axis=1, keepdims=True), scores, rested, guard)


def without_rest(honest):
    return lambda measures, scores, rested, guard: honest(measures, scores, np.ones_like(rested), guard)


def beyond_any_noise(honest):
    return lambda measures, scores, rested, guard: honest(measures, 0 * scores, rested, -1.0)


@pytest.mark.parametrize("sabotage", [the_other_way_round, whoever_is_better_somewhere, without_rest, beyond_any_noise])
def test_sabotaged_rules_are_caught(sabotage, monkeypatch):
    monkeypatch.setitem(globals(), "parent_and_child", sabotage(parent_and_child))
    assert not agrees_with_the_brute_force()


def share_of_noise_copied(guard):
    """Of members that are equally good: 200 tasks, each of which both master half of the time."""
    rng, copied = np.random.default_rng(1), 0
    for _ in range(200):
        scores = (rng.random((4, 200)) < 0.5).astype(float)
        copied += parent_and_child(scores.mean(axis=1, keepdims=True), scores, np.ones(4, bool), guard) is not None
    return copied / 200


def test_noise_is_not_copied_and_what_is_better_is():
    assert share_of_noise_copied(guard=0.0) > 0.95 > 0.35 > share_of_noise_copied(guard=2.0)
    better = np.zeros((2, 200))
    better[1, :20] = 1
    assert parent_and_child(better.mean(axis=1, keepdims=True), better, np.ones(2, bool), 2.0) == (1, 0)
    assert is_beyond_noise(np.array([1.0, 1.0]), 2.0) and not is_beyond_noise(np.array([1.0]), 2.0), "one task is none"


def test_numbers_move_up_and_down_within_their_range():
    assert Mutation(factor=1.2).of(0.6, up=True) == pytest.approx(0.72)
    assert Mutation(factor=1.2).of(0.6, up=False) == pytest.approx(0.5)
    assert Mutation(step=0.1, high=1.0).of(0.95, up=True) == 1.0
    assert Mutation(step=0.1, high=1.0).of(0.05, up=False) == 0.0
    assert MUTATIONS["margin"].of(0.0, up=True) > 0, "it leaves the 0 at which it begins"


def keeps_some_level(name, value):
    """Whether dynamic tasks with this threshold keep a level whose control policy gets nothing."""
    levels = SimpleNamespace(benchmark=SimpleNamespace(maximum=1.0))
    teacher = DynamicTasksTeacher(levels, np.random.default_rng(0), DynamicTasksConfiguration())
    teacher.rates[name] = value
    return any(teacher.is_worth_it(returns, control=0.0) for returns in ([0.1] * 10, [0.0, 1.0] * 5))


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("name", ["most_control", "too_easy", "most_too_easy", "margin", "least_above"])
def test_dynamic_tasks_keep_some_level_however_far_a_threshold_moves(name, up):
    value = getattr(DynamicTasksConfiguration(), name)
    for _ in range(200):
        value = MUTATIONS[name].of(value, up)
    assert keeps_some_level(name, value)


@pytest.mark.parametrize(
    ("name", "value"), [("most_control", 0.0), ("most_too_easy", 0.0), ("margin", 1.0), ("least_above", 1.0)]
)
def test_dynamic_tasks_keep_no_level_beyond_those_bounds(name, value):
    assert not keeps_some_level(name, value)


def test_each_rate_changes_with_the_chance_and_unknown_ones_never():
    rates, rng = {"learning_rate": 1.0, "kl_bound": 1.0, "warmth": 1.0}, np.random.default_rng(0)
    drawn = [mutated(rates, rng, 0.5) for _ in range(400)]
    for name in ("learning_rate", "kl_bound"):
        values, counts = np.unique([one[name] for one in drawn], return_counts=True)
        assert values.tolist() == pytest.approx([1 / 1.2, 1.0, 1.2])
        assert counts / 400 == pytest.approx([0.25, 0.5, 0.25], abs=0.08)
    assert all(one["warmth"] == 1.0 for one in drawn) and mutated(rates, rng, 0.0) == rates


def checkpoint(number):
    draws = np.random.default_rng(number).bit_generator.state
    player = {"learner": {"rng": draws}, "rates": {"learning_rate": 1.0 + number}, "curve": [{"step": number}]}
    teacher = {"teacher": {"rng": draws, "rates": {"margin": 0.0}, "levels": number}}
    values = {"form": 2, "seconds": float(number), "rows": {"steps": number}}
    return {"player.student.network": np.full(2, number)}, values | {"player.student": player, "teacher": teacher}


def test_a_child_is_its_parent_with_a_curve_rates_and_generators_of_its_own():
    parent, child = checkpoint(1), checkpoint(2)
    arrays, values = child_of(parent, child, np.random.default_rng(0), 1.0)
    assert arrays["player.student.network"].tolist() == [1, 1] and values["rows"]["steps"] == 1
    player, teacher = values["player.student"], values["teacher"]["teacher"]
    assert player["curve"] == [{"step": 2}] and values["seconds"] == 2.0
    assert player["rates"]["learning_rate"] in (pytest.approx(2 * 1.2), pytest.approx(2 / 1.2))
    assert teacher["levels"] == 1 and set(teacher["rates"]) == {"margin"}
    states = [player["learner"]["rng"], teacher["rng"], checkpoint(1)[1]["teacher"]["teacher"]["rng"]]
    assert len({state["state"]["state"] for state in states}) == 3
    assert parent[1] == checkpoint(1)[1] and child[1] == checkpoint(2)[1], "neither is changed"
    again = child_of(parent, child, np.random.default_rng(0), 1.0)[1]
    assert again == values, "the same draws give the same child"
    assert evolution.MUTATIONS is MUTATIONS
