"""An event loop in a thread of its own: asynchronous calls from programs that may run a loop themselves."""

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class BackgroundLoop:
    """An asyncio event loop in a daemon thread. Its coroutines are awaited from any other thread."""

    def __init__(self):
        self._loop = _Loop()
        self._loop.set_exception_handler(_log)
        self._thread = threading.Thread(target=self._loop.run_forever, name="browser", daemon=True)
        self._thread.start()

    @property
    def process(self) -> asyncio.SubprocessTransport | None:
        """The process that a coroutine started last in the loop; ``None``: none yet."""
        return self._loop.process

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

    def forget_in_child(self) -> None:
        """In a child process after fork: let go of the parent's pipes, so that their ends are the parent's alone."""
        if self._loop.process is None:
            return
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            pipe = self._loop.process.get_pipe_transport(number)
            descriptor = pipe and pipe.get_extra_info("pipe")
            if descriptor is not None and not descriptor.closed:
                os.dup2(nowhere, descriptor.fileno(), inheritable=False)
        os.close(nowhere)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose subprocesses lead sessions of their own: what a terminal sends its group misses them."""

    process: asyncio.SubprocessTransport | None = None

    async def subprocess_exec(self, protocol_factory, program, *arguments, **options):
        options["start_new_session"] = True
        transport, protocol = await super().subprocess_exec(protocol_factory, program, *arguments, **options)
        self.process = transport
        return transport, protocol


def _log(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Note what nobody awaited any more: when a driver dies, the calls report it, and Playwright leaves loose ends."""
    logging.getLogger(__name__).debug("%s", context["message"], exc_info=context.get("exception"))
