"""Guard: who may talk to a server of sessions, about what, in how many bytes, and how long it may be silent."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

#: Bytes of a message: a task's raw parameters take far less.
MAX_MESSAGE_BYTES = 2**20
#: How this machine is called by what runs on it.
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
#: Codes with which a websocket is closed: the other side is gone, or not welcome.
_GONE, _REFUSED = 1001, 1008

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class Guard:
    """An ASGI application around another one, which hears only what it should.

    With a token, addresses begin with it, and all else is refused: a client is given ``http://host:port/TOKEN``.
    Without, only this machine's own programs are heard: requests that name another host are a browser's, on behalf of
    a page from elsewhere, and so are those that come from a page.

    Args:
        application: What is guarded.
        paths: What can be asked for; its websocket is among them.
        token: The secret that addresses begin with; ``None``: none.
        idle_seconds: Seconds after which a websocket that says nothing is closed, with an error.
        most_websockets: Websockets that may be open at once, those included that are told that there is no room.
        hung_up: What the application raises when the other side has hung up.
    """

    def __init__(
        self,
        application: Application,
        paths: tuple[str, ...],
        token: str | None,
        idle_seconds: float,
        most_websockets: int,
        hung_up: type[Exception],
    ):
        self._application, self._paths, self._idle_seconds = application, paths, idle_seconds
        self._root = "" if token is None else f"/{token}"
        self._most, self._open, self._hung_up = most_websockets, 0, hung_up

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, refuse it, or carry a websocket's messages."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, send, *refusal)
            return
        scope = {**scope, "path": scope["path"].removeprefix(self._root)}
        if scope["type"] == "http":
            await self._application(scope, receive, send)
            return
        self._open += 1
        try:
            await self._application(scope, self._until_idle(receive, send), send)
        except self._hung_up:
            pass  # while it was being answered; its session has ended
        finally:
            self._open -= 1

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """Status and words with which a request is refused; ``None``: it is not."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        root, path = scope["path"][: len(self._root)], scope["path"][len(self._root) :]
        if not secrets.compare_digest(root.encode(), self._root.encode()):
            return 404, "there is nothing at this address; it is the one that the server printed, with its secret"
        named = [f"//{headers.get('host', '')}", *filter(None, [headers.get("origin")])]
        if not self._root and any(_host(one) not in LOOPBACK_NAMES for one in named):
            return 403, f"only programs of this machine are served, and this request names {headers.get('host')!r:.60}"
        if path not in self._paths:
            return 404, f"the path is {path!r:.60}, expected one of {', '.join(self._paths)}"
        if scope["type"] == "websocket":
            most = f"there are {self._most:,} websockets, and no more are served"
            return (503, most) if self._open >= self._most else None
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
            return 411, "a request says how long it is, by Content-Length"
        if int(length) > MAX_MESSAGE_BYTES:
            return 413, f"the request has {int(length):,} bytes, expected at most {MAX_MESSAGE_BYTES:,}"
        return None

    def _until_idle(self, receive: Receive, send: Send) -> Receive:
        """``receive``; where nothing comes for too long, the other side is told so, and counts as gone."""

        async def received() -> Message:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    return await receive()
            except TimeoutError:
                said = f"this session was idle for {self._idle_seconds:g} seconds and has ended; connect again"
                error = {"type": "error", "data": {"message": said, "code": "SESSION_ERROR"}}
                await send({"type": "websocket.send", "text": json.dumps(error)})
                await send({"type": "websocket.close", "code": _GONE, "reason": said})
                return {"type": "websocket.disconnect", "code": _GONE, "reason": said}

        return received


async def _refuse(scope: Message, send: Send, status: int, words: str) -> None:
    """Answer that it cannot be; a websocket is not opened."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _REFUSED, "reason": words})
        return
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"detail": words}).encode()})


def _host(address: str) -> str | None:
    """The host of an address, without its port; ``None``: it has none."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
