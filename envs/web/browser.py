"""One running Chromium, steered through the inspector's protocol."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from importlib.util import find_spec
from typing import IO

from procgen_bench.core.errors import BrowserStartError, MissingChromiumError
from procgen_bench.envs.web.background_loop import BackgroundLoop
from procgen_bench.envs.web.chromium import find_chromium, start_command
from procgen_bench.envs.web.inspector import Inspector, InspectorError, Message

#: Seconds that starting may take, and that a page may take to close.
START_DEADLINE, END_DEADLINE = 60.0, 5.0

#: Starts the browser with the socket, which comes as its input, where it expects it. It outlives this process if that
#: is killed: the browser ends when nobody holds the other end of the socket, and its folder goes with it.
_SWEEPER = """
folder="$1"; shift
exec 5<&0 0</dev/null
"$@" 3<&5 4>&5 5<&- &
exec 5<&-
wait $!
rm -rf "$folder"
"""


class Browser:
    """A running Chromium. Its methods are called in the background loop.

    Attributes:
        inspector: What it is steered by.
    """

    def __init__(self, inspector: Inspector, process: subprocess.Popen, folder: str, said: IO[bytes]):
        self.inspector, self._process, self._folder, self._said = inspector, process, folder, said
        self._pulse: asyncio.Future[Message] | None = None

    @classmethod
    async def start(cls, loop: BackgroundLoop) -> "Browser":
        """Start it, within a minute.

        Raises:
            MissingChromiumError: There is no Chromium to start.
            BrowserStartError: It does not start; holds what it said.
        """
        executable = await _executable()
        # Chromium keeps a socket in it, and a socket's path has 108 bytes at most.
        short = len(tempfile.gettempdir()) <= 32
        folder = tempfile.mkdtemp(prefix="chromium-", dir=None if short else "/tmp")
        ours, theirs = socket.socketpair()
        loop.holds(ours)
        # Not in the folder, which may be swept before it is read.
        said = tempfile.TemporaryFile()  # noqa: SIM115 - closed where the browser ends
        with theirs:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _SWEEPER, "sweeper", folder, *start_command(executable, folder)],
                stdin=theirs.fileno(),
                stdout=said,
                stderr=said,
                env={**os.environ, "TMPDIR": folder, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
                # What a terminal sends to its group, as by Ctrl-C, misses it: who started it ends it, in order.
                start_new_session=True,
            )
        started = cls(await Inspector.at(ours), process, folder, said)
        try:
            async with asyncio.timeout(START_DEADLINE):
                await started.inspector.call("Browser.getVersion")
        except BaseException as error:
            words = started.end()
            if isinstance(error, TimeoutError):
                raise BrowserStartError(f"the browser did not start within {START_DEADLINE:g} s") from None
            if isinstance(error, InspectorError):
                raise BrowserStartError(f"the browser did not start: {executable}: {words}") from None
            raise
        return started

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as is known by now."""
        return self.inspector.alive

    def feel_pulse(self) -> None:
        """Ask it for a sign of life, unless that was asked and not answered yet."""
        if not self.stands_still:
            self._pulse = self.inspector.call("Browser.getVersion")

    @property
    def stands_still(self) -> bool:
        """Whether it has not answered :meth:`feel_pulse`, with which it takes no more than a moment."""
        return self._pulse is not None and not self._pulse.done()

    def end(self) -> str:
        """End it, whatever state it is in, and remove its folder; what it has said, in a few lines."""
        self.inspector.close()
        # The whole group: where its sweeper was killed, the browser is still there, and writes into the folder.
        deadline = time.monotonic() + END_DEADLINE
        while self._signalled() and time.monotonic() < deadline:
            self._process.poll()
            time.sleep(0.01)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        words = "" if self._said.closed else _last_lines(self._said)
        self._said.close()
        return words

    def _signalled(self) -> bool:
        """Kill what is left of the browser's processes; whether there was any."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True


async def _executable() -> str:
    try:
        return find_chromium()
    except MissingChromiumError:
        if find_spec("playwright") is None:
            raise
    from playwright.async_api import async_playwright

    async with async_playwright() as started:  # which alone knows where its own browser lies
        return find_chromium(started.chromium.executable_path)


def _last_lines(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")[-1000:].strip()
