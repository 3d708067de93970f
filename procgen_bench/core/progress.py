"""Progress: a bar in a terminal, elsewhere (a log, a pipe) a line a minute."""

import re
import sys
import time
from typing import Any, TextIO

from tqdm import tqdm

#: Seconds between two lines where there is no terminal.
LINE_INTERVAL = 60
_LINE = "{desc}: {n_fmt}/{total_fmt} {unit}, {elapsed}, {remaining} left{postfix}"
#: What moves a terminal's cursor.
_MOVES = re.compile(r"\x1b\[A|[\r\n]")


class Progress(tqdm):
    """A ``tqdm`` on standard error, with its arguments.

    Where standard error is no terminal, it writes a line at the beginning (none if there is a ``delay``), then one a
    minute, and one at the end unless ``leave`` is false.
    """

    def __init__(self, *args: Any, **options: Any):
        self._has_terminal = sys.stderr.isatty()
        self._next_line = time.monotonic() + (LINE_INTERVAL if options.get("delay") else 0)
        if not self._has_terminal:
            options |= {"file": _Lines(sys.stderr), "bar_format": _LINE}
        super().__init__(*args, **options)

    def refresh(self, *args: Any, **options: Any) -> None:
        """Show how far it is, without a terminal only if a line is due."""
        now = time.monotonic()
        if self._has_terminal or now >= self._next_line:
            self._next_line = now + LINE_INTERVAL
            super().refresh(*args, **options)


class _Lines:
    """A file that makes a line of its own of whatever ``tqdm`` writes over its last one, unless it says the same."""

    def __init__(self, file: TextIO):
        self._file, self._last = file, ""

    def write(self, text: str) -> None:
        """Write what is to be read of it."""
        line = _MOVES.sub("", text).rstrip()
        if line and line != self._last:
            self._file.write(f"{line}\n")
            self._file.flush()
            self._last = line

    def flush(self) -> None:
        """Nothing is held back."""
