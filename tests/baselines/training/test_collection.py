"""Collecting: what a rollout holds, and what the teacher hears of its episodes."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.curricula.level_scores import negative_advantages
from procgen_bench.baselines.parts.policy_gradient import generalised_advantages, values_after
from procgen_bench.baselines.training.contracts import CRITICISM
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark


class Counting(Learner):
    """Acts at random; its memory counts an episode's steps, its values are known numbers."""

    device, memory_width, learns_values = torch.device("cpu"), 1, True
    discounts = 0.5, 0.5

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def act(self, observations, memory):
        actions = torch.as_tensor(self.rng.integers(4, size=len(memory)))
        return actions, {"values": memory[:, 0] * 2}, memory + 1

    def update(self, rollout):
        return {}

    def advantages(self, rollout):
        return np.where(rollout.actions.numpy() == 0, 3.0, -1.0).astype(np.float32)

    def gradient_norms(self, rollout):
        return rollout.actions.numpy().astype(np.float32)

    def state(self):
        return {}, {}

    def restore(self, arrays, values):
        pass

    def policy_weights(self):
        return {}


def collector(num_steps=40, num_rows=6, wants=frozenset()):
    levels = LevelSource(get_benchmark("grid-world/graded"), solvable=True)
    teacher = get_teacher("uniform").make("", levels, np.random.default_rng(0))
    teacher.required_columns, teacher.step_score = wants, negative_advantages
    return Collector(CurriculumVectorEnv("GridWorld-v0", num_rows, teacher, seed=0), Counting(), num_steps)


def test_memory_is_cleared_where_an_episode_begins_and_goes_on_otherwise():
    collecting = collector()
    rollouts = [collecting.collect() for _ in range(3)]
    values = np.concatenate([rollout.aux["values"].numpy() for rollout in rollouts]) / 2
    starts = np.concatenate([rollout.starts for rollout in rollouts])
    ends = np.concatenate([rollout.ends for rollout in rollouts])
    elapsed = np.zeros(6)
    for t in range(len(values)):
        assert np.array_equal(values[t], elapsed) and np.array_equal(starts[t], elapsed == 0)
        elapsed = np.where(ends[t], 0, elapsed + 1)
    assert np.array_equal(rollouts[-1].last_memory[:, 0].numpy(), elapsed)
    cut = np.concatenate([rollout.cut_memory[:, 0].numpy() for rollout in rollouts])
    assert len(cut) == sum(rollout.truncations.sum() for rollout in rollouts) > 0
    assert (cut == 50).all(), "episodes that are cut off have 50 steps, all of which are remembered"


@pytest.mark.parametrize(("within", "expected"), [(None, 7), (10**6, 7), (25, 4), (18, 3), (0, 1)])
def test_a_rollout_stays_within_the_steps_that_all_rows_may_take(within, expected):
    collecting = collector()
    assert collecting.rows.steps_of_next == 6
    rollout = collecting.collect(7, within)
    assert collecting.rows.steps == 6 * expected == rollout.rewards.size
    assert {len(array) for array in (rollout.actions, rollout.starts, *rollout.observations.values())} == {expected}


def test_a_restored_collector_remembers_the_episodes_that_go_on():
    first, again = collector(), collector()
    first.collect(7)
    again.rows.restore(*first.rows.state())
    again.restore(first.arrays())
    assert torch.equal(again.memory, first.memory) and (first.memory > 0).any()
    again.rows.begin()
    again.restore(first.arrays())
    assert (again.memory == 0).all(), "nothing is remembered in new episodes"


def test_a_part_of_a_rollout_has_the_memories_of_its_own_cut_episodes():
    rollout = collector(num_steps=400).collect()
    parts = [rollout.of(np.array([row])) for row in range(6)]
    counts = [len(part.cut_memory) for part in parts]
    assert counts == rollout.truncations.sum(axis=0).tolist() and max(counts) < sum(counts)


@pytest.mark.parametrize("wanted", sorted(CRITICISM))
def test_a_teacher_that_wants_to_hears_what_the_critic_thought_of_whole_episodes(wanted):
    collecting = collector(wants=frozenset({wanted, "gradient_norm"}))
    columns: list[list[tuple[float, float, float]]] = [[] for _ in range(6)]
    heard, expected = [], []
    for _ in range(3):
        rollout = collecting.collect()
        played = collecting.finished_episodes(rollout)
        criticism = played.start_value, played.mean_value, played.value_loss, played.step_score, played.gradient_norm
        heard += list(zip(played.length, *criticism))
        advantages = collecting.learner.advantages(rollout)
        negatives = negative_advantages(advantages, rollout.ends, 0.5, 0.5)
        for t in range(40):
            for row in range(6):
                own = float(negatives[t, row]), float(rollout.actions[t, row])
                columns[row].append((max(float(advantages[t, row]), 0.0), *own))
                if rollout.ends[t, row]:
                    length = len(columns[row])
                    expected.append((length, 0.0, length - 1.0, *np.mean(columns[row], axis=0)))
                    columns[row] = []
    assert len(heard) == len(expected) > 10
    assert np.allclose(heard, expected, atol=1e-5)


def test_gradients_are_not_found_for_a_teacher_that_does_not_want_them():
    collecting = collector(wants=CRITICISM)
    played = collecting.finished_episodes(collecting.collect())
    assert np.isnan(played.gradient_norm).all() and len(played) and not np.isnan(played.value_loss).any()


def test_without_discounts_nothing_is_said_of_negative_advantages():
    collecting = collector(wants=CRITICISM)
    collecting.learner.discounts = ()
    played = collecting.finished_episodes(collecting.collect())
    assert np.isnan(played.step_score).all() and len(played) and not np.isnan(played.value_loss).any()


def advantages_of(errors, ends, discount, decay):
    advantages = np.empty((len(errors), 1), np.float32)
    rewards = np.array(errors, np.float32)[:, None]
    nothing = np.zeros_like(rewards)
    generalised_advantages(rewards, nothing, nothing, ends, ends, discount, decay, advantages)
    return advantages


@pytest.mark.parametrize(
    "errors, ends, expected",
    [
        ([-1.0, 2.0], [0, 1], [0.5, 0.0]),  # 0.5 * -1 + 0.5 * 0: the gain does not make up for the loss
        ([-1.0, 2.0, -1.0], [0, 0, 1], [0.75, 0.5, 1.0]),  # -1, 0, -1 with the weights 0.5, 0.25, 0.25
        ([-1.0, -2.0], [1, 0], [1.0, 2.0]),  # two episodes, the second of which goes on
        ([1.0, 3.0], [0, 1], [0.0, 0.0]),
    ],
)
def test_negative_advantages_are_those_that_one_finds_by_hand(errors, ends, expected):
    ends = np.array(ends, np.bool_)[:, None]
    negatives = negative_advantages(advantages_of(errors, ends, 1.0, 0.5), ends, 1.0, 0.5)
    assert negatives[:, 0].tolist() == expected


def test_negative_advantages_follow_their_definition():
    """Sum by sum, as it is written down: with the discount in the sums, and the decay in their weights."""
    rng, discount, decay = np.random.default_rng(0), 0.9, 0.8
    errors = rng.normal(size=12)
    ends = np.zeros((12, 1), np.bool_)
    ends[6] = ends[11] = True
    negatives = negative_advantages(advantages_of(errors, ends, discount, decay), ends, discount, decay)
    for start in range(12):
        own = errors[start : 7 if start <= 6 else 12]
        sums, total = [], 0.0
        for n, error in enumerate(own):
            total = min(total + discount**n * error, 0.0)
            sums.append(total)
        weights = [(1 - decay) * decay**n for n in range(len(own) - 1)] + [decay ** (len(own) - 1)]
        assert negatives[start, 0] == pytest.approx(-np.dot(weights, sums), abs=1e-5)


def test_the_critic_is_not_asked_in_vain():
    collecting = collector()
    collecting.learner.advantages = lambda rollout: pytest.fail("the teacher requires no advantages")
    played = collecting.finished_episodes(collecting.collect())
    assert len(played) and np.isnan([played.start_value, played.mean_value, played.value_loss]).all()


def test_a_teacher_that_wants_them_hears_every_step_and_no_other_does():
    collecting, counting = collector(wants=frozenset({"steps"})), collector()
    assert counting.finished_episodes(counting.collect()).steps is None and counting.unfinished is None
    shown, heard = [[] for _ in range(6)], []
    expected = []
    for number in range(3):
        rollout = collecting.collect()
        played = collecting.finished_episodes(rollout)
        assert len(played) == len(played.steps) and played.length.tolist() == [len(own) for own in played.steps]
        assert np.allclose(played.return_, [own.rewards.sum() for own in played.steps], atol=1e-4)
        heard += played.steps
        for t, row in np.ndindex(40, 6):
            seen = {name: array[t, row].numpy().copy() for name, array in rollout.observations.items()}
            shown[row].append((seen, int(rollout.actions[t, row])))
            if rollout.ends[t, row]:
                last = {
                    name: array[rollout.ends[:t].sum() + rollout.ends[t, :row].sum()].numpy()
                    for name, array in rollout.end_observations.items()
                }
                expected.append((shown[row], last))
                shown[row] = []
        if number == 0:  # kept and gone on from
            arrays = collecting.unfinished.arrays()
            collecting.unfinished.forget()
            assert collecting.unfinished.arrays()["lengths"].sum() == 0 < arrays["lengths"].sum()
            collecting.unfinished.restore(arrays)
    assert len(heard) == len(expected) > 10
    for own, (steps, last) in zip(heard, expected):
        assert own.actions.tolist() == [action for _, action in steps]
        for name, array in own.observations.items():
            assert np.array_equal(array, [seen[name] for seen, _ in steps] + [last[name]])


def naive_advantages(rewards, values, following, terminations, ends, discount, decay):
    """Sums of discounted errors to the end of the episode, or of the rollout, step by step."""
    advantages = np.zeros_like(rewards)
    for t, row in np.ndindex(*rewards.shape):
        weight = 1.0
        for later in range(t, len(rewards)):
            after = 0.0 if terminations[later, row] else discount * following[later, row]
            advantages[t, row] += weight * (rewards[later, row] + after - values[later, row])
            weight *= discount * decay
            if ends[later, row]:
                break
    return advantages


def test_generalised_advantages_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    rewards, values = rng.normal(size=(2, 30, 4)).astype(np.float32)
    ends = rng.random((30, 4)) < 0.2
    terminations = ends & (rng.random((30, 4)) < 0.5)
    truncations = ends & ~terminations
    cut_values = rng.normal(size=truncations.sum()).astype(np.float32)
    following = values_after(values, rng.normal(size=4).astype(np.float32), truncations, cut_values)
    assert np.array_equal(following[truncations], cut_values)
    assert np.array_equal(following[:-1][~truncations[:-1]], values[1:][~truncations[:-1]])
    advantages = np.empty_like(values)
    generalised_advantages(rewards, values, following, terminations, ends, 0.97, 0.9, advantages)
    expected = naive_advantages(rewards, values, following, terminations, ends, 0.97, 0.9)
    assert np.allclose(advantages, expected, atol=1e-4)
