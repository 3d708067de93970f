"""Policies that are made to rank better than they play; and what stops each."""

import dataclasses
import json

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import PolicyTooSlowError
from procgen_bench.leaderboards.board.board import find_entry
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError, TooSlowHereError
from procgen_bench.leaderboards.scoring import playing
from procgen_bench.leaderboards.scoring.copies import equal_share, noted_actions
from procgen_bench.leaderboards.scoring.epoch import Epoch
from procgen_bench.leaderboards.scoring.fresh import sketch_places
from procgen_bench.leaderboards.scoring.score import score
from procgen_bench.leaderboards.submission.protocol import Protocol
from tests.leaderboards.onnx_policies import (
    constant_policy,
    counting_policy,
    failing_policy,
    noisy_policy,
    row_reading_policy,
    table_policy,
)

EPOCH = Epoch(number=1, began="2026-11-29", salt="ab" * 32)
_GRADED = get_benchmark("grid-world/graded")
#: Twelve tasks of a suite that may not be trained on, of which a table is easily made.
GRADED = dataclasses.replace(_GRADED, task_names=_GRADED.task_suite().task_names[:200:17], num_fresh_episodes=24)
SPACE = Protocol(GRADED).action_space


def scored(*players, limits: Limits = Limits()):  # noqa: B008 - frozen
    return score(players, GRADED, EPOCH, SPACE, limits)


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        (constant_policy(7), "policy is 'refused or stopped', expected .*: .*7"),
        (constant_policy(-1), "policy is 'refused or stopped', expected .*: .*-1"),
        (failing_policy(), "policy is 'refused or stopped', expected one that plays its episodes to their end"),
        (constant_policy(0)[:-40], "policy is 'refused or stopped', expected .*: the ONNX file is refused"),
        (b"", "policy is 'refused or stopped', expected .*: the ONNX file is refused"),
    ],
)
def test_a_policy_that_does_not_play_is_refused_by_name(policy, fault):
    with pytest.raises(InvalidSubmissionError, match=rf"policy-1\.onnx: {fault}"):
        scored(constant_policy(1), policy)


def test_a_policy_that_is_too_slow_is_not_refused(monkeypatch):
    def slow(*_):
        raise PolicyTooSlowError("it took more than 1 s of the processor")

    monkeypatch.setattr(playing, "_played", slow)
    with pytest.raises(TooSlowHereError, match=r"^too slow here: policy-0\.onnx: .* of the processor") as error:
        scored(constant_policy(1))
    assert error.value.exit_code == 3 and "refused" not in str(error.value)


def test_a_memorised_table_of_the_suite_ranks_by_what_it_does_elsewhere():
    """It knows every task of the suite by its first view, and the solver's actions in it."""
    views, table, space = [], np.zeros((12, 50), np.int64), None
    with gymnasium.make(GRADED.environment_id) as env:
        space = env.unwrapped.task_space
        for row, task in zip(table, GRADED.task_suite(), strict=True):
            observation, _ = env.reset(seed=0, options={"task": task})
            views.append(observation["view"])
            actions = space.solve(task)
            row[: len(actions)] = actions
    record = scored(table_policy(np.array(views), table))
    assert record.suite_scores.mean() > 0.5  # views of some tasks are alike
    assert record.fresh_scores.mean() < record.suite_scores.mean() - 0.3


def test_bytes_cannot_be_ground_for_luck():
    """Noise once followed from a policy's hash: of many names, one was lucky. Now it follows from the salt."""
    record = scored(*(noisy_policy(f"noisy {number}") for number in range(4)))
    assert len(set(record.policies)) == 4
    assert len({tuple(row) for row in record.fresh}) == len({tuple(row) for row in record.suite}) == 1


def test_memory_does_not_outlive_an_episode():
    """A policy that counts what it has seen, to know which episode this is, counts from nothing in each."""
    alone = dataclasses.replace(GRADED, num_fresh_episodes=5)
    few, many = (score([counting_policy()], one, EPOCH, SPACE) for one in (alone, GRADED))
    assert few.fresh[0] == many.fresh[0][:5] and few.fresh_steps[0] == many.fresh_steps[0][:5]


def test_a_policy_that_tells_fresh_play_by_its_rows_is_compared_and_ranked_there():
    """It plays the suite as another policy, and fresh tasks as what it copies: there it is a copy, and ranks as one."""
    hidden = row_reading_policy(len(GRADED.task_suite()), then=1, otherwise=0)
    record = scored(constant_policy(0), constant_policy(1), hidden)
    assert record.suite[2] == record.suite[1] != record.suite[0]
    places = sketch_places(GRADED, EPOCH.salt_bytes, 1)
    *others, own = (noted_actions(record, run, places, SPACE) for run in range(3))
    shares = [equal_share(own, other, SPACE) for other in others]
    assert shares == [1.0, 0.0] and record.fresh[2] == record.fresh[0]


def test_a_row_is_not_marked_as_reproduced_by_its_word(solver_folder, tmp_path):
    """The mark names a policy of the row, by keepers; of another policy it is refused."""
    entry = submit(solver_folder, tmp_path)
    training = {"training_seed": 0, "policy": "1" * 64, "commit": "2" * 40, "machine": "mine", "by": "bytes"}
    (entry.folder / REPRODUCED_FILE).write_text(json.dumps({"trainings": [training]}))
    with pytest.raises(InvalidSubmissionError, match=r"reproduced\.json: training_seed is 0, expected a run"):
        find_entry(entry.row, tmp_path)
