"""Interruption: Ctrl-C that waits until a call is over."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruption_deferred(insisting: bool = True) -> Iterator[None]:
    """Ctrl-C inside is answered at the end; a second one at once, where it may insist."""
    answer = signal.getsignal(signal.SIGINT)
    if not callable(answer) or threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted
        return
    noted: list[tuple] = []

    def note(*arguments) -> None:
        noted.append(arguments)
        if insisting:
            signal.signal(signal.SIGINT, answer)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
    if noted:
        answer(*noted[0])
