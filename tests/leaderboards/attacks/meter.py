"""What an attack costs who is attacked: seconds, and memory at its greatest."""

import re
import resource
import sys
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

_PEAK_RESET, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
#: Name of the property of a test's report under which its cost goes to the summary.
PROPERTY = "attack"


class Meter(AbstractContextManager):
    """Measures what happens in it.

    Attributes:
        seconds: Wall time.
        processor_seconds: Time on a processor, of this process; less where others have it meanwhile.
        mebibytes: By how much the process's resident memory was greater at its greatest than at the beginning. Linux
            forgets former peaks when it is asked to; elsewhere only growth beyond all former peaks is seen.
    """

    seconds = processor_seconds = mebibytes = 0.0

    def __enter__(self) -> "Meter":
        if _PEAK_RESET.exists():
            _PEAK_RESET.write_text("5")
        self._memory = _peak_mebibytes()
        self._start, self.processor_start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_) -> None:
        self.seconds = time.perf_counter() - self._start
        self.processor_seconds = time.process_time() - self.processor_start
        self.mebibytes = _peak_mebibytes() - self._memory


def _peak_mebibytes() -> float:
    if _PEAK_RESET.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text())
        assert found is not None
        return int(found[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def summary(costs: Iterable[tuple[str, float, float]]) -> str | None:
    """One line on attacks' (name, seconds, mebibytes); ``None`` where there were none."""
    costs = list(costs)
    if not costs:
        return None
    slowest, largest = max(costs, key=lambda cost: cost[1]), max(costs, key=lambda cost: cost[2])
    return (
        f"{len(costs)} attacks stopped; slowest {slowest[1]:.2f} s ({slowest[0]}), "
        f"greatest growth of memory {largest[2]:.1f} MiB ({largest[0]})"
    )
