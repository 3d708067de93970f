"""What tests of killed runs share."""

from typing import Any

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.run_folder import RunFolder


class KilledError(Exception):
    """The run is over."""


def last_checkpoint(run: RunFolder) -> tuple[Arrays, dict[str, Any], list[dict[str, float]]]:
    """All arrays and values of a run's newest state, and its curve, but for their seconds."""
    arrays, values = run.read_checkpoint()
    del values["seconds"]
    curve = [{name: value for name, value in row.items() if name != "seconds"} for row in values.pop("curve")]
    return arrays, values, curve
