"""Announces on stderr that kernels are being compiled, from two seconds on; silent where all are cached."""

import os
import sys
import time

from numba.core import event

#: Seconds of compiling after which it is announced.
PATIENCE = 2.0
#: The process that tells; those that it starts are its workers, and inherit this.
_TELLER = "PROCGEN_BENCH_COMPILING_TELLER"


class Announcer(event.Listener):
    """Listens to Numba, and announces that it compiles functions of this package.

    In a terminal one line counts the functions and goes away at the end; elsewhere, as in a log, one line is written
    once. Worker processes do not tell.

    Attributes:
        num_compiled: Functions compiled by this process so far, those of Numba's own that they need among them.
    """

    def __init__(self) -> None:
        self.num_compiled = 0
        self._depth = 0
        self._seconds, self._began = 0.0, 0.0
        self._announced = False
        is_announcing_process()  # from now on it is this one, or one before it

    def on_start(self, event: event.Event) -> None:
        """A function is being compiled, perhaps for another one that is."""
        module = event.data["dispatcher"].py_func.__module__
        if self._depth == 0 and module.partition(".")[0] != "procgen_bench":
            return  # another package's
        if self._depth == 0:
            self._began, self._module = time.perf_counter(), module
            self._cache = getattr(event.data["dispatcher"], "_cache", None)
        self._depth += 1
        self._tell()

    def on_end(self, event: event.Event) -> None:
        """It has been, or there is an error in it."""
        if self._depth == 0:
            return
        self._depth -= 1
        self.num_compiled += 1
        if self._depth == 0:
            self._seconds += time.perf_counter() - self._began
            if self._announced and sys.stderr is not None and sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _tell(self) -> None:
        seconds = self._seconds + time.perf_counter() - self._began
        if seconds < PATIENCE or sys.stderr is None or not is_announcing_process():
            return
        is_kept = getattr(self._cache, "is_kept", False)  # others of Numba's caches are none of ours
        subject = ".".join(self._module.split(".")[1:3])
        if sys.stderr.isatty():
            once = "; once, then they are kept on disk" if is_kept else ""
            progress = f"{self.num_compiled} functions in {seconds:.0f} s{once}"
            print(f"\r\x1b[Kcompiling {subject}: {progress}", end="", file=sys.stderr, flush=True)
        elif not self._announced:
            once = ", once: it is kept on disk; 'procgen-bench compile' does it beforehand" if is_kept else ""
            print(f"compiling {subject}{once}", file=sys.stderr, flush=True)
        self._announced = True


def is_announcing_process() -> bool:
    """Whether this process announces, and not the one that started it."""
    return os.environ.setdefault(_TELLER, str(os.getpid())) == str(os.getpid())


#: This process's announcer; :mod:`procgen_bench.core.compiled` has it listen.
ANNOUNCER = Announcer()
