"""Memory: how much there is for the rows of a vector environment."""

from contextlib import suppress
from pathlib import Path

from procgen_bench.core.errors import InvalidOptionError

_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes that this machine, or the container that this process is in, still has; ``None``: it does not say."""
    found = []
    if _MEMORY.exists():
        lines = (line.split() for line in _MEMORY.read_text("utf-8").splitlines())
        found += [1024 * int(line[1]) for line in lines if line[0] == "MemAvailable:"]
    with suppress(OSError, ValueError, KeyError):  # there is no group, or it has no limit
        kept = dict(line.split() for line in (_GROUP / "memory.stat").read_text("utf-8").splitlines())
        files = int(kept["inactive_file"])  # which can be read again
        used = int((_GROUP / "memory.current").read_text("utf-8")) - files
        found.append(int((_GROUP / "memory.max").read_text("utf-8")) - used)
    return max(0, min(found)) if found else None


def check_memory(num_envs: int, row_bytes: int) -> None:
    """Refuse rows that take more memory than there is, before a worker is killed for it.

    Raises:
        InvalidOptionError: They do.
    """
    available = available_memory()
    if row_bytes and available is not None and num_envs * row_bytes > available:
        raise InvalidOptionError(
            f"num_envs is {num_envs}, whose rows take {num_envs * row_bytes / 1e9:.1f} GB of memory, "
            f"expected at most {available // row_bytes}: {available / 1e9:.1f} GB are free"
        )
