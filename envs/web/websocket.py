"""The server's end of a websocket (RFC 6455), as far as the inspector's protocol needs one: texts, to and fro."""

import asyncio
import base64
import hashlib
import secrets
import struct

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, _TEXT, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x8, 0x9, 0xA
#: Seconds that a client has for its first words.
_GREETING_DEADLINE = 10.0


class WebSocket:
    """A websocket that a client has opened."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer

    @classmethod
    async def opened(cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> "WebSocket | None":
        """The websocket, if the client asks for this path, which is a secret, and is no page of a browser."""
        try:
            async with asyncio.timeout(_GREETING_DEADLINE):
                greeting = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return None
        request, *lines = greeting.split("\r\n")
        said = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        key, asked = said.get("sec-websocket-key"), request.split(" ")
        known = len(asked) == 3 and secrets.compare_digest(asked[1].encode(), path.encode())
        if not known or key is None or "origin" in said:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return None
        accepted = base64.b64encode(hashlib.sha1(key.encode() + _MAGIC).digest())
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n"
        )
        return cls(reader, writer)

    def send(self, text: str) -> None:
        """Send a text."""
        self._send(_TEXT, text.encode())

    async def receive(self) -> str | None:
        """The next text; ``None``: the client has gone."""
        pieces: list[bytes] = []
        try:
            while True:
                last, kind, data = await self._frame()
                if kind == _CLOSE:
                    self._send(_CLOSE, data[:2])
                    return None
                if kind == _PING:
                    self._send(_PONG, data)
                elif kind in (_TEXT, _CONTINUED):
                    pieces.append(data)
                    if last:
                        return b"".join(pieces).decode()
        except (asyncio.IncompleteReadError, OSError, UnicodeDecodeError):
            return None

    async def _frame(self) -> tuple[bool, int, bytes]:
        """Whether a frame ends its message, its kind, and what it holds."""
        first, second = await self._reader.readexactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", await self._reader.readexactly(8))
        mask = await self._reader.readexactly(4) if second & 0x80 else b""
        data = await self._reader.readexactly(length)
        return bool(first & 0x80), first & 0x0F, _masked(data, mask) if mask else data

    def _send(self, kind: int, data: bytes) -> None:
        length = len(data)
        if length < 126:
            size = struct.pack(">B", length)
        elif length < 1 << 16:
            size = struct.pack(">BH", 126, length)
        else:
            size = struct.pack(">BQ", 127, length)
        self._writer.write(bytes([0x80 | kind]) + size + data)


def _masked(data: bytes, mask: bytes) -> bytes:
    """Data with every byte but for those of the mask, four by four."""
    repeated = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")
