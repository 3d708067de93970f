"""How many of the suite's tasks a run was trained on, and whether chance alone explains it.

Environments that draw their own tasks meet the suite's now and then: 50,000 draws of voxel-build give 256 of its 500,
as there are few small structures. So no fixed share shows that a run was trained on the suite. But
the suite is a sample of what :meth:`~procgen_bench.core.benchmark.Benchmark.draw` draws from: a run that did not look
at the suite meets as large a share of fresh draws as of the suite (there, 108 of 200). A run is taken to be trained on
the suite when it has met more of it than of the draws, by a tenth and by four standard errors, the margin that re-run
policies have as well.

A list of training tasks is its submitter's word, and names whole tasks: what a family takes for the same
(:meth:`~procgen_bench.core.benchmark.Benchmark.holds_out`), the same design of a site for instance, counts as another
task. The rule finds submitters who trained on the suite and say so, by oversight. One who leaves tasks out of the list
is found by the re-run, if at all.
"""

import hashlib
from collections.abc import Iterable
from functools import cache

import numpy as np

from procgen_bench.baselines.training.task_records import MAX_RECORDED_TASKS
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, TrainingTasks, training_file
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.training_tasks import parse_training_list

#: By which share, and by how many standard errors, more of the suite must have been met than of fresh draws.
_SPARE_SHARE, _SPARE_ERRORS = 0.1, 4.0


def beyond_chance(stated: TrainingTasks) -> bool:
    """Whether a run was trained on the suite, not on tasks that happen to be in it."""
    if not stated.scored:
        return False
    drawn = max(stated.drawn, 1)
    suite, chance = stated.met / stated.scored, stated.met_drawn / drawn
    error = np.sqrt(suite * (1 - suite) / stated.scored + chance * (1 - chance) / drawn)
    return bool(suite - chance > max(_SPARE_SHARE, _SPARE_ERRORS * error))


def check_training_lists(submission: Submission) -> None:
    """Refuse a submission that says of a list of training tasks what it does not have of the suite.

    Raises:
        InvalidSubmissionError: So it does.
        MissingExtraError: Drawing takes a simulator that is not installed.
    """
    for run, one in enumerate(submission.metadata.runs):
        name = training_file(run)
        if one.training_tasks is None or name not in submission.training_files:
            continue
        counted = training_tasks(submission.benchmark, submission.training_files[name], one.training_tasks.count, name)
        if counted != one.training_tasks:
            numbers = {"scored", "met", "drawn", "met_drawn"}
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{run}].training_tasks",
                one.training_tasks.model_dump(include=numbers),
                f"{counted.model_dump(include=numbers)}, what {name} has of the suite",
            )


def training_tasks(benchmark: Benchmark, raw: bytes, count: int, name: str) -> TrainingTasks:
    """What is stated of a list of training tasks.

    Args:
        benchmark: The benchmark.
        raw: The list's file.
        count: Number of its tasks.
        name: What errors call it.

    Raises:
        InvalidSubmissionError: It is no such list.
        MissingExtraError: Drawing takes a simulator that is not installed.
    """
    listed = parse_training_list(raw, count, name)
    scored, met = _known_and_met(_held_out_scored(benchmark), listed)
    drawn, met_drawn = 0, 0
    if met > _SPARE_SHARE * scored and benchmark.has_fresh_tasks:
        drawn, met_drawn = _known_and_met(_fresh_draws(benchmark), listed)
    digest = hashlib.sha256(raw).hexdigest()
    return TrainingTasks(count=count, sha256=digest, scored=scored, met=met, drawn=drawn, met_drawn=met_drawn)


def _known_and_met(tasks: np.ndarray, listed: np.ndarray) -> tuple[int, int]:
    """Of how many tasks a list tells whether they were trained on, and how many of them were."""
    if len(listed) == MAX_RECORDED_TASKS:
        tasks = tasks[tasks <= listed[-1]]
    return len(tasks), int(np.isin(tasks, listed).sum())


@cache
def _held_out_scored(benchmark: Benchmark) -> np.ndarray:
    """uint64 (tasks,): the scored tasks that may not be trained on, by their short fingerprints."""
    held_out = benchmark.held_out_fingerprints
    return _short([task for task in benchmark.task_suite() if task.fingerprint() in held_out])


@cache
def _fresh_draws(benchmark: Benchmark) -> np.ndarray:
    """uint64 (tasks,): as many fresh tasks as a re-run plays, the same ones for everyone."""
    rng = np.random.default_rng(seed_from_parts("training overlap", benchmark.id, benchmark.version))
    return _short([benchmark.draw(rng) for _ in range(benchmark.num_fresh_episodes)])


def _short(tasks: Iterable[Task]) -> np.ndarray:
    return np.array([task.short_fingerprint() for task in tasks], np.uint64)
