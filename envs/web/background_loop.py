"""An event loop in a thread of its own: asynchronous calls from programs that may run a loop themselves."""

import asyncio
import logging
import os
import socket
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class BackgroundLoop:
    """An asyncio event loop in a daemon thread. Its coroutines are awaited from any other thread."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._held: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._loop.set_exception_handler(_log)
        self._thread = threading.Thread(target=self._loop.run_forever, name="browser", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """What ``coroutine`` returns or raises. An exception in the waiting thread, as by Ctrl-C, cancels it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def call_soon(self, function, *arguments) -> None:
        """Let the loop's thread call a function, without waiting; from any thread, at any time, finalizers too."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def end(self) -> None:
        """Stop the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def holds(self, end: socket.socket) -> None:
        """Note a socket whose other end waits for this one to be closed."""
        self._held.add(end)

    def forget_in_child(self) -> None:
        """In a child process after fork: let go of the parent's sockets, so that their ends are the parent's alone."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for end in self._held:
            if end.fileno() >= 0:
                os.dup2(nowhere, end.fileno(), inheritable=False)
        os.close(nowhere)


def _log(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Note what nobody awaited any more: when a browser dies, the calls report it."""
    logging.getLogger(__name__).debug("%s", context["message"], exc_info=context.get("exception"))
