"""An address at which others, as Playwright, find one page of the browser, and no other."""

import asyncio
import json
import secrets
from typing import Any

from procgen_bench.envs.web.inspector import Inspector, InspectorError, Message
from procgen_bench.envs.web.websocket import WebSocket

#: What would make, end or list other pages: a client of the address gets one.
_REFUSED = frozenset(
    f"{kind}.{name}"
    for kind, names in {
        "Browser": ("close", "crash", "crashGpuProcess"),
        "Target": (
            "attachToBrowserTarget",
            "attachToTarget",
            "closeTarget",
            "createBrowserContext",
            "createTarget",
            "disposeBrowserContext",
            "setDiscoverTargets",
        ),
    }.items()
    for name in names
)


class Relay:
    """The inspector of a browser at an address of this machine, as if the browser had a single page.

    Its methods are called in the background loop.

    Args:
        inspector: What the browser is steered by.
        target: The page's id.

    Attributes:
        address: A websocket's, which is a secret: a program that knows it can steer the page.
    """

    def __init__(self, inspector: Inspector, target: str):
        self._inspector, self._target = inspector, target
        self._path, self.address = f"/{secrets.token_urlsafe(32)}", ""
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task] = set()

    @classmethod
    async def at(cls, inspector: Inspector, target: str) -> "Relay":
        """An open one, at a free port."""
        made = cls(inspector, target)
        made._server = await asyncio.start_server(made._welcome, "127.0.0.1", 0)
        port = made._server.sockets[0].getsockname()[1]
        made.address = f"ws://127.0.0.1:{port}{made._path}"
        return made

    def close(self) -> None:
        """Close it, and send everybody away."""
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.cancel()

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.ensure_future(self._serve(reader, writer))
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            socket = await WebSocket.opened(reader, writer, self._path)
            if socket is not None:
                attached = await self._inspector.call("Target.attachToBrowserTarget")
                visit = _Visit(self._inspector, attached["sessionId"], self._target, socket)
                try:
                    while (said := await socket.receive()) is not None:
                        visit.ask(json.loads(said))
                finally:
                    visit.end()
        except (InspectorError, ValueError, LookupError):
            pass  # the browser is gone, or this is nobody who knows the protocol
        finally:
            writer.close()


class _Visit:
    """One client with a session of its own in the browser; ``inside`` are those that it has below that."""

    def __init__(self, inspector: Inspector, session: str, target: str, socket: WebSocket):
        self._inspector, self._session, self._target, self._socket = inspector, session, target, socket
        self._inside: set[str] = set()
        inspector.listeners[session] = self._hear

    def ask(self, message: Message) -> None:
        """Pass on what the client asks."""
        number, name, session = message["id"], message["method"], message.get("sessionId", "")
        reply: Message = {"id": number, "sessionId": session} if session else {"id": number}
        if session and session not in self._inside:
            self._tell({**reply, "error": {"code": -32001, "message": "there is no such session"}})
        elif name in _REFUSED:
            self._tell({**reply, "error": {"code": -32000, "message": f"{name}: this address has one page"}})
        elif name == "Target.setAutoAttach" and not session:
            self._tell({**reply, "result": {}})
            if not self._inside:  # a client that asks for all pages gets the one
                self._post("Target.attachToTarget", {"targetId": self._target, "flatten": True}, self._session)
        else:
            self._post(name, message.get("params", {}), session or self._session, reply)

    def end(self) -> None:
        """The client is gone, and what its sessions set goes with them."""
        for session in (self._session, *self._inside):
            self._inspector.listeners.pop(session, None)
        self._inspector.call("Target.detachFromTarget", {"sessionId": self._session})

    def _post(self, name: str, parameters: dict[str, Any], session: str, reply: Message | None = None) -> None:
        def answered(message: Message) -> None:
            if reply is not None:
                kind = "error" if "error" in message else "result"
                self._tell({**reply, kind: message.get(kind, {})})

        self._inspector.post(name, parameters, session, answered)

    def _hear(self, message: Message) -> None:
        params = message.get("params", {})
        if message["method"] == "Target.attachedToTarget":
            self._inside.add(params["sessionId"])
            self._inspector.listeners[params["sessionId"]] = self._hear
        elif message["method"] == "Target.detachedFromTarget":
            self._inside.discard(params["sessionId"])
            self._inspector.listeners.pop(params["sessionId"], None)
        if message["sessionId"] == self._session:
            message = {name: part for name, part in message.items() if name != "sessionId"}
        self._tell(message)

    def _tell(self, message: Message) -> None:
        self._socket.send(json.dumps(message))
