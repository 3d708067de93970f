"""What tests of killed runs share."""

from typing import Any

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.run_folder import RunFolder


class KilledError(Exception):
    """The run is over."""


def last_checkpoint(run: RunFolder) -> tuple[Arrays, dict[str, Any], list[dict[str, float]]]:
    """All arrays and values of a run's newest state, and its players' curves, but for their seconds."""
    arrays, values = run.read_checkpoint()
    del values["seconds"]
    rows = [row for name in sorted(values) if name.startswith("player.") for row in values[name].pop("curve")]
    return arrays, values, [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
