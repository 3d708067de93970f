"""The pure function: the same inputs give the same bytes, anywhere; and nothing but the salt decides what is met."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.scoring.compare import differing_fields
from procgen_bench.leaderboards.scoring.copies import COPIED, can_tell, equal_share, noted_actions
from procgen_bench.leaderboards.scoring.epoch import Epoch
from procgen_bench.leaderboards.scoring.fresh import fresh_episodes, sketch_places, suite_episodes
from procgen_bench.leaderboards.scoring.record import Record, parse_record
from procgen_bench.leaderboards.scoring.score import score
from procgen_bench.leaderboards.submission.protocol import Protocol
from tests.leaderboards.onnx_policies import constant_policy, linear_policy, noisy_policy
from tests.leaderboards.scoring.disguises import DISGUISES, LINEAR

EPOCH, OTHER = (Epoch(number=1, began="2026-11-29", salt=byte * 32) for byte in ("ab", "cd"))
_GRADED = get_benchmark("grid-world/graded")
GRADED = dataclasses.replace(_GRADED, task_names=_GRADED.task_suite().task_names[:6], num_fresh_episodes=60)
SPACE = Protocol(GRADED).action_space


def made(*players, epoch: Epoch = EPOCH) -> Record:
    return score(players, GRADED, epoch, SPACE)


@pytest.fixture(scope="module")
def record() -> Record:
    return made(LINEAR, noisy_policy(), "random")


def test_the_same_inputs_give_the_same_bytes_in_a_fresh_process(record, tmp_path):
    script = (
        "import sys; from tests.leaderboards.scoring.test_score import LINEAR, made, noisy_policy;"
        "sys.stdout.buffer.write(made(LINEAR, noisy_policy(), 'random').to_json())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert parse_record(done.stdout).measured() == record.measured()


def test_the_order_of_policies_decides_nothing(record):
    turned = made("random", LINEAR)
    for name in ("policies", "suite", "fresh", "suite_steps", "fresh_steps", "unfinished", "sketches", "parameters"):
        own, found = getattr(record, name), getattr(turned, name)
        assert [found[1], found[0]] == [own[0], own[2]], name


def test_another_salt_gives_other_tasks_seeds_and_places():
    def drawn(salt):
        fresh = fresh_episodes(GRADED, salt)
        places = sketch_places(GRADED, salt, 1)
        return (
            {episode.task.fingerprint() for episode in fresh},
            {episode.seed for episode in (*fresh, *suite_episodes(GRADED, salt))},
            [at.tolist() for at in places],
        )

    (tasks, seeds, places), (other_tasks, other_seeds, other_places) = (drawn(one.salt_bytes) for one in (EPOCH, OTHER))
    assert len(tasks & other_tasks) < len(tasks) / 4 and not seeds & other_seeds and places != other_places
    assert len(seeds) == GRADED.num_fresh_episodes + GRADED.num_episodes


def test_fresh_tasks_are_in_no_suite_and_may_not_be_trained_on():
    scored = {task.fingerprint() for task in _GRADED.task_suite()}
    tasks = [episode.task for episode in fresh_episodes(GRADED, EPOCH.salt_bytes)]
    assert not scored & {task.fingerprint() for task in tasks}


def test_another_version_of_a_benchmark_gives_other_tasks():
    raised = dataclasses.replace(GRADED, version=GRADED.version + 1)
    one, other = (
        [episode.task.fingerprint() for episode in fresh_episodes(benchmark, EPOCH.salt_bytes)]
        for benchmark in (GRADED, raised)
    )
    assert one != other


def test_two_noisy_policies_meet_the_same_noise():
    first, second = made(noisy_policy("first")), made(noisy_policy("second"))
    assert first.policies != second.policies and first.fresh == second.fresh and first.sketches == second.sketches


def test_a_record_is_read_as_it_was_written(record):
    assert parse_record(record.to_json()) == record


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda raw: raw.replace(b'"unfinished"', b'"mean":1.0,"unfinished"'), r"unknown field mean is 1\.0"),
        (lambda raw: raw.replace(b":", b": ", 1), "form is .*, expected the bytes that `procgen-bench score` writes"),
        (lambda raw: raw.replace(b'"parameters":[', b'"parameters":[1,'), "expected 3 rows of parameters"),
        (lambda raw: raw.replace(b'"epoch":1', b'"epoch":NaN'), "number is 'NaN', expected a finite number"),
        (lambda raw: raw.replace(b'"fresh":[[', b'"fresh":[[0.0,'), "as many episodes of every policy"),
    ],
    ids=["a field more", "another form", "a row too many", "no number", "an episode too many"],
)
def test_what_scoring_does_not_make_is_refused(record, change, refusal):
    raw = record.to_json()
    changed = change(raw)
    assert changed != raw
    with pytest.raises(InvalidSubmissionError, match=refusal):
        parse_record(changed)


def forged(record: Record, **changes) -> Record:
    return record.model_copy(update=changes)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("fresh", lambda rows: [[1.0] * len(row) for row in rows]),
        ("fresh", lambda rows: [row[::-1] for row in rows]),
        ("suite", lambda rows: [[1.0, *row[1:]] for row in rows]),
        ("fresh_steps", lambda rows: [[row[0] + 1, *row[1:]] for row in rows]),
        ("unfinished", lambda counts: [one + 1 for one in counts]),
        ("sketches", lambda texts: ["00" + text[2:] for text in texts]),
        ("policies", lambda hashes: hashes[::-1]),
        ("epoch", lambda number: number + 1),
    ],
)
def test_a_forged_field_is_named(record, name, change):
    assert differing_fields(forged(record, **{name: change(getattr(record, name))}), record, GRADED, SPACE) == [name]


def test_who_made_a_record_is_not_compared(record):
    elsewhere = forged(record, machine="another", commit="0" * 40, package="2.0")
    assert differing_fields(elsewhere, record, GRADED, SPACE) == []


def test_physics_is_compared_within_its_tolerance(record):
    physics = dataclasses.replace(GRADED, physics=True)
    span = GRADED.maximum - GRADED.minimum
    nearly = [[value + 0.005 * span for value in row] for row in record.fresh]
    assert differing_fields(forged(record, fresh=nearly), record, physics, SPACE) == []
    better = [[value + 0.05 * span for value in row] for row in record.fresh]
    assert differing_fields(forged(record, fresh=better), record, physics, SPACE) == ["fresh"]
    turned = 3 * [record.fresh[0][::-1]]  # what three of the first policy would play, backwards
    assert "policies" in differing_fields(forged(record, policies=record.policies[::-1]), record, physics, SPACE)
    assert differing_fields(forged(record, fresh=turned), record, physics, SPACE) == ["fresh"]


@pytest.fixture(scope="module")
def disguised() -> Record:
    return made(LINEAR, *DISGUISES.values())


def share(record: Record, run: int, other: Record, place: int) -> float:
    places = sketch_places(GRADED, EPOCH.salt_bytes, 1)
    own, others = noted_actions(record, run, places, SPACE), noted_actions(other, place, places, SPACE)
    return equal_share(own, others, SPACE)


@pytest.mark.parametrize("run", range(1, 6), ids=list(DISGUISES))
def test_a_disguised_copy_acts_the_same_in_play(disguised, run):
    assert len(set(disguised.policies)) == 6 and share(disguised, 0, disguised, run) >= 0.99 > COPIED


def test_policies_of_their_own_do_not(disguised):
    other = made(linear_policy(np.random.default_rng(4).normal(size=196).tolist()), constant_policy(1), "random")
    assert max(share(disguised, 0, other, place) for place in range(3)) < COPIED


def test_play_in_one_task_tells_no_copies():
    assert can_tell(GRADED) and not can_tell(get_benchmark("grid-world/target-a"))
