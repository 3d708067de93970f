"""What a submission says of the tasks that its policies were trained on, by what their run folders hold."""

import io
from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, RunFolderError, TrainingRecord
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import TrainingTasks, training_file
from procgen_bench.leaderboards.verification.training_overlap import training_tasks


def training_lists(records: Sequence[TrainingRecord | None]) -> dict[str, bytes]:
    """The lists of the runs that have one, by the names under which a submission brings them."""
    lists = {training_file(run): record.tasks for run, record in enumerate(records) if record is not None}
    return {name: content for name, content in lists.items() if content is not None}


def stated_training_tasks(record: TrainingRecord | None, benchmark: Benchmark) -> TrainingTasks | None:
    """What is stated of a run's list; ``None`` without one.

    Raises:
        RunFolderError: The run folder's list is not as it was written.
    """
    if record is None or record.tasks is None:
        return None
    try:
        count = len(np.load(io.BytesIO(record.tasks), allow_pickle=False))
        return training_tasks(benchmark, record.tasks, count, TRAINING_TASKS_FILE)
    except (InvalidSubmissionError, ValueError, TypeError, EOFError, OSError) as error:
        raise RunFolderError(
            f"{TRAINING_TASKS_FILE} of the run `{record.command}` cannot be read ({error}); remove it"
        ) from None
