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

from collections.abc import Iterable
from functools import cache

import numpy as np
from pydantic import Field

from procgen_bench.baselines.training.task_records import MAX_RECORDED_TASKS
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE, TrainingTasks, training_file
from procgen_bench.leaderboards.submission.strict_json import StrictModel
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.training_tasks import KEPT_SHIFT, parse_training_list

#: By which share, and by how many standard errors, more of the suite must have been met than of fresh draws.
_SPARE_SHARE, _SPARE_ERRORS = 0.1, 4.0


class TrainingOverlap(StrictModel):
    """What a run met of the suite, and of fresh draws of the suite's distribution.

    Attributes:
        count: Different tasks that the run lists.
        scored: Scored tasks that may not be trained on; of a list that is a sample, those of which it tells.
        met: How many of them the run was trained on.
        drawn: Fresh tasks of which it tells; 0 where too little of the suite was met to draw any, or none can be drawn.
        met_drawn: How many of them the run was trained on.
    """

    count: int = Field(ge=0)
    scored: int = Field(ge=0)
    met: int = Field(ge=0)
    drawn: int = Field(ge=0)
    met_drawn: int = Field(ge=0)

    @property
    def is_sample(self) -> bool:
        """Whether the run was trained on more tasks than it lists."""
        return self.count >= MAX_RECORDED_TASKS

    @property
    def beyond_chance(self) -> bool:
        """Whether the run was trained on the suite, not on tasks that happen to be in it."""
        if not self.scored:
            return False
        drawn = max(self.drawn, 1)
        suite, chance = self.met / self.scored, self.met_drawn / drawn
        error = np.sqrt(suite * (1 - suite) / self.scored + chance * (1 - chance) / drawn)
        return bool(suite - chance > max(_SPARE_SHARE, _SPARE_ERRORS * error))


def check_training_lists(submission: Submission) -> None:
    """Refuse a submission that says of a list of training tasks what it does not have of the suite.

    Raises:
        InvalidSubmissionError: So it does.
    """
    for run, stated in enumerate(submission.metadata.runs):
        listed = _listed(submission, run)
        if stated.training_tasks is None or listed is None:
            continue
        _, met = suite_met(submission.benchmark, listed)
        if stated.training_tasks.met != met:
            raise InvalidSubmissionError(
                METADATA_FILE,
                f"runs[{run}].training_tasks.met",
                stated.training_tasks.met,
                f"{met}, what {training_file(run)} has of the suite",
            )


def suite_met(benchmark: Benchmark, listed: np.ndarray) -> tuple[int, int]:
    """Of how many scored tasks that may not be trained on a list tells whether a run was, and on how many it was.

    Args:
        benchmark: The benchmark.
        listed: uint64 (tasks,), short fingerprints of the tasks that the run was trained on, rising.
    """
    return _known_and_met(_held_out_scored(benchmark), listed)


def stated_overlap(benchmark: Benchmark, stated: TrainingTasks, num_tasks: int) -> TrainingOverlap | None:
    """What a run met by its metadata alone; ``None``: so much that its list has to tell how much is chance.

    Args:
        benchmark: The benchmark.
        stated: What the run says, held against its list when it was entered.
        num_tasks: Number of the suite's tasks.
    """
    scored = 0 if benchmark.fresh == "seeds" else num_tasks
    if stated.met > _SPARE_SHARE * scored and scored:
        return None
    return TrainingOverlap(count=stated.count, scored=scored, met=stated.met, drawn=0, met_drawn=0)


def kept_overlap(benchmark: Benchmark, kept: np.ndarray, count: int) -> TrainingOverlap:
    """What a run met, by the list that a board has kept; arguments as of :func:`kept_met`."""
    scored = _held_out_scored(benchmark)
    drawn = _fresh_draws(benchmark) if benchmark.has_fresh_tasks else scored[:0]
    met, met_drawn = (_kept_among(tasks, kept, count) for tasks in (scored, drawn))
    return TrainingOverlap(count=count, scored=met[0], met=met[1], drawn=met_drawn[0], met_drawn=met_drawn[1])


def kept_met(benchmark: Benchmark, kept: np.ndarray, count: int) -> int:
    """On how many scored tasks that may not be trained on a run was, by a list that a board has kept.

    Args:
        benchmark: The benchmark.
        kept: uint64 (tasks,), the first 32 bits of its fingerprints.
        count: How many tasks it had.
    """
    return _kept_among(_held_out_scored(benchmark), kept, count)[1]


def _kept_among(tasks: np.ndarray, kept: np.ndarray, count: int) -> tuple[int, int]:
    """Of how many tasks a kept list tells whether they were trained on, and how many of them were."""
    tasks = tasks >> KEPT_SHIFT
    if count == MAX_RECORDED_TASKS:
        tasks = tasks[tasks <= kept[-1]]
    return len(tasks), int(np.isin(tasks, kept).sum())


def training_overlap(benchmark: Benchmark, listed: np.ndarray) -> TrainingOverlap:
    """What a run met of a benchmark's suite; arguments as of :func:`suite_met`.

    Raises:
        MissingExtraError: Drawing takes a simulator that is not installed.
    """
    scored, met = suite_met(benchmark, listed)
    drawn, met_drawn = 0, 0
    if met > _SPARE_SHARE * scored and benchmark.has_fresh_tasks:
        drawn, met_drawn = _known_and_met(_fresh_draws(benchmark), listed)
    return TrainingOverlap(count=len(listed), scored=scored, met=met, drawn=drawn, met_drawn=met_drawn)


def _listed(submission: Submission, run: int) -> np.ndarray | None:
    """uint64 (tasks,), rising: what a run says that it was trained on."""
    stated, name = submission.metadata.runs[run].training_tasks, training_file(run)
    return None if stated is None else parse_training_list(submission.training_files[name], stated.count, name)


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
