"""What a submission says of the tasks that its policies were trained on, by what their run folders hold."""

import hashlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, RunFolderError, TrainingRecord
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.submission.metadata import training_file
from procgen_bench.leaderboards.verification.training_overlap import suite_met


def training_lists(records: Sequence[TrainingRecord | None]) -> dict[str, bytes]:
    """The lists of the runs that have one, by the names under which a submission brings them."""
    lists = {training_file(run): record.tasks for run, record in enumerate(records) if record is not None}
    return {name: content for name, content in lists.items() if content is not None}


def stated_training_tasks(record: TrainingRecord | None, benchmark: Benchmark) -> dict[str, Any] | None:
    """The fields of :class:`~procgen_bench.leaderboards.submission.metadata.TrainingTasks`; ``None`` without a list.

    Raises:
        RunFolderError: The run folder's list is not as it was written.
    """
    if record is None or record.tasks is None:
        return None
    try:
        listed = np.load(io.BytesIO(record.tasks), allow_pickle=False)
        _, met = suite_met(benchmark, listed)
    except (ValueError, TypeError, EOFError, OSError) as error:
        raise RunFolderError(
            f"{TRAINING_TASKS_FILE} of the run `{record.command}` cannot be read ({error}); remove it"
        ) from None
    return {"count": len(listed), "sha256": hashlib.sha256(record.tasks).hexdigest(), "met": met}
