"""Verifying under a second mathematics library: a program in a process of its own, and how to have it run.

GNU's C library has variants of its mathematical functions for processors with and without fused multiply-add, whose
results differ in the last bits. Which one it takes is settled when a process starts, and can be asked for.

The program (``python -m tests.leaderboards.verification.second_libm``) reads a pickled (benchmark, folders) and writes
the parts of a :class:`Report`, pickled.
"""

import math
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.verification.verification import Verification, verify

CHECKOUT = Path(__file__).parents[3]
#: Without fused multiply-add.
TUNABLES = "glibc.cpu.hwcaps=-FMA"


class Report(NamedTuple):
    """What came of it there.

    Attributes:
        sines: Bits of sines.
        found: For each folder, its verification, or the type and the words of the error.
    """

    sines: bytes
    found: list[Verification | tuple[str, str]]


def verified_there(benchmark: Benchmark, folders: Sequence[Path]) -> Report:
    """Verify submissions to a benchmark under the second library."""
    process = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((benchmark, folders)),
        env={**os.environ, "GLIBC_TUNABLES": TUNABLES},
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Report(*pickle.loads(process.stdout))


def sines() -> bytes:
    """Bits of the sines of a thousand numbers."""
    return struct.pack("1000d", *(math.sin(0.01 * number) for number in range(1000)))


def _found(folder: Path) -> Verification | tuple[str, str]:
    try:
        return verify(read_submission(folder))
    except ProcgenBenchError as error:
        return type(error).__name__, str(error)


if __name__ == "__main__":
    tried, places = pickle.load(sys.stdin.buffer)
    BENCHMARKS[tried.id] = tried
    sys.stdout.buffer.write(pickle.dumps((sines(), [_found(place) for place in places])))
