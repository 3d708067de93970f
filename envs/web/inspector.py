"""The inspector's protocol, by which Chromium is steered: JSON over a socket of its own, without a driver between."""

import asyncio
import json
import socket
from collections.abc import Callable, Sequence
from typing import Any

#: What is heard: an answer or an event, as the protocol has it.
Message = dict[str, Any]
#: One call: its name and its parameters.
Call = tuple[str, dict[str, Any]]


class InspectorError(Exception):
    """Chromium refused a call, or is gone."""


class Inspector(asyncio.Protocol):
    """One end of the socket at whose other end Chromium listens. Its methods are called in its loop.

    Attributes:
        listeners: Who hears the events of a session, by the session's id; "" for those of the browser.
        num_heard: Number of messages heard so far, by which one sees that Chromium still runs.
    """

    def __init__(self):
        self.listeners: dict[str, Callable[[Message], None]] = {}
        self.num_heard = 0
        self.closed = asyncio.get_running_loop().create_future()
        self._answered: dict[int, Callable[[Message], None]] = {}
        self._num_calls = 0
        self._pieces: list[bytes] = []
        self._transport: asyncio.WriteTransport | None = None

    @classmethod
    async def at(cls, end: socket.socket) -> "Inspector":
        """The inspector at this end of a socket."""
        _, made = await asyncio.get_running_loop().create_connection(cls, sock=end)
        return made

    @property
    def alive(self) -> bool:
        """Whether the other end is still open, as far as is known by now."""
        return not self.closed.done()

    def post(self, name: str, parameters: dict[str, Any], session: str, answered: Callable[[Message], None]) -> None:
        """Send a call; ``answered`` is given the answer, in the order of all that is heard."""
        if self._transport is None or not self.alive:
            answered({"error": {"message": "the browser is gone"}})
            return
        self._num_calls += 1
        self._answered[self._num_calls] = answered
        message: Message = {"id": self._num_calls, "method": name, "params": parameters}
        if session:
            message["sessionId"] = session
        self._transport.write(json.dumps(message).encode() + b"\0")

    def call(self, name: str, parameters: dict[str, Any] | None = None, session: str = "") -> "asyncio.Future[Message]":
        """Send a call at once; awaited, what it returns.

        Raises:
            InspectorError: It was refused, or Chromium is gone.
        """
        result = asyncio.get_running_loop().create_future()
        self.post(name, parameters or {}, session, lambda message: _settle(result, message))
        return result

    async def call_all(self, calls: Sequence[Call], session: str) -> list[Message]:
        """Send calls one after the other, without waiting in between; what they return."""
        return await asyncio.gather(*[self.call(name, parameters, session) for name, parameters in calls])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Called by the loop with a piece of what Chromium says."""
        if b"\0" not in data:
            self._pieces.append(data)
            return
        *messages, rest = b"".join((*self._pieces, data)).split(b"\0")
        self._pieces = [rest]
        for message in messages:
            self._hear(json.loads(message))

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the loop when the other end is closed, or Chromium is given up."""
        if self.alive:
            self.closed.set_result(None)
        waiting, self._answered = self._answered, {}
        for answered in waiting.values():
            answered({"error": {"message": "the browser is gone"}})

    def close(self) -> None:
        """Close this end: Chromium ends by itself, if it can."""
        if self._transport is not None:
            self._transport.abort()
            self.connection_lost(None)  # the loop would say so a moment later

    def _hear(self, message: Message) -> None:
        self.num_heard += 1
        if "id" in message:
            answered = self._answered.pop(message["id"], None)
            if answered is not None:
                answered(message)
            return
        if message["method"] == "Target.detachedFromTarget" and "sessionId" not in message:
            message = _end_of_session(message["params"]["sessionId"])
        listener = self.listeners.get(message.get("sessionId", ""))
        if listener is not None:
            listener(message)


def _end_of_session(session: str) -> Message:
    """What a session says when its page is closed, in the whole browser; in the shell the browser alone says so."""
    return {"sessionId": session, "method": "Inspector.detached", "params": {"reason": "target_closed"}}


def _settle(result: asyncio.Future, message: Message) -> None:
    if result.done():  # nobody waits for it any more
        return
    if "error" in message:
        result.set_exception(InspectorError(message["error"].get("message", "refused")))
        result.exception()  # raised where it is awaited; without this line asyncio would log it, too
    else:
        result.set_result(message["result"])
