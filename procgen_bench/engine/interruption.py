"""Interruption: Ctrl-C that waits until a call is over."""

import signal
import threading

# Up to Python 3.11 the public module takes 20 microseconds a call to find that a function is none of its constants.
from _signal import getsignal  # type: ignore[import-not-found]
from _signal import signal as answer_by
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruption_deferred(insisting: bool = True) -> Iterator[None]:
    """Ctrl-C inside is answered at the end; a second one at once, where it may insist."""
    answer = getsignal(signal.SIGINT)
    if not callable(answer) or threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    noted: list[tuple] = []

    def note(*arguments) -> None:
        noted.append(arguments)
        if insisting:
            answer_by(signal.SIGINT, answer)

    answer_by(signal.SIGINT, note)
    try:
        yield
    finally:
        answer_by(signal.SIGINT, answer)
    if noted:
        answer(*noted[0])
