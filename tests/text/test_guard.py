"""Who is heard by a server, and for how long; the guarded application is an echo."""

import asyncio
import json

import pytest

from procgen_bench.text.guard import MAX_MESSAGE_BYTES, Guard

OWN = {"host": "127.0.0.1:8000"}


class HungUpError(Exception):
    pass


async def echo(scope, receive, send):
    """Answers with the path; over a websocket with what it hears, until the other side is gone."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})
        return
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] != "websocket.disconnect":
        if message["text"] == "hang up":
            raise HungUpError
        await send({"type": "websocket.send", "text": message["text"]})


def guard(token=None, idle_seconds=5.0, most=4):
    return Guard(echo, ("/ws", "/reset"), token, idle_seconds, most, HungUpError)


def answers(guarded, kind, path, headers=OWN, heard=()):
    """What is sent when a request comes, with these messages of a websocket's; then nothing more comes."""
    sent, left = [], list(heard)

    async def receive():
        return {"type": "websocket.receive", "text": left.pop(0)} if left else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": path, "headers": [(a.encode(), b.encode()) for a, b in headers.items()]}
    asyncio.run(guarded(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    ("token", "path", "headers", "status"),
    [
        (None, "/reset", {}, 200),
        (None, "/reset", {"host": "localhost:9"}, 200),
        (None, "/reset", {"host": "[::1]:9"}, 200),
        (None, "/reset", {"host": "evil.example"}, 403),
        (None, "/reset", {"host": "[oops"}, 403),
        (None, "/reset", {"origin": "http://evil.example"}, 403),
        (None, "/reset", {"origin": "null"}, 403),
        (None, "/mcp", {}, 404),
        (None, "/reset", {"content-length": str(MAX_MESSAGE_BYTES)}, 200),
        (None, "/reset", {"content-length": str(MAX_MESSAGE_BYTES + 1)}, 413),
        (None, "/reset", {"content-length": "-1"}, 411),
        (None, "/reset", {"transfer-encoding": "chunked"}, 411),
        ("secret", "/secret/reset", {"host": "a.b"}, 200),
        ("secret", "/reset", {}, 404),
        ("secret", "/secreT/reset", {}, 404),
        ("secret", "/\u00e9", {}, 404),
    ],
)
def test_requests_are_heard_or_refused(token, path, headers, status):
    start, body = answers(guard(token), "http", path, OWN | headers)
    assert start["status"] == status
    assert body["body"] == b"/reset" if status == 200 else json.loads(body["body"])["detail"]
    if status in (403, 404):
        (closed,) = answers(
            guard(token), "websocket", path.replace("reset", "ws") + "/" * (path == "/mcp"), OWN | headers
        )
        assert closed["type"] == "websocket.close"


def test_a_silent_websocket_is_told_and_counts_as_gone():
    accepted, first, error, closed = answers(guard(idle_seconds=0.05), "websocket", "/ws", heard=["a"])
    assert accepted["type"] == "websocket.accept" and first["text"] == "a"
    assert json.loads(error["text"])["data"] == {"message": closed["reason"], "code": "SESSION_ERROR"}
    assert closed["reason"] == "this session was idle for 0.05 seconds and has ended; connect again"


def test_a_websocket_whose_other_side_hangs_up_is_no_error():
    guarded = guard(most=1)
    assert len(answers(guarded, "websocket", "/ws", heard=["hang up"])) == 1
    assert len(answers(guarded, "websocket", "/ws", heard=["a", "hang up"])) == 2, "its place is free again"


def test_no_more_websockets_than_said_are_open():
    guarded = guard(most=1, idle_seconds=0.2)

    async def two():
        sent: list[list] = [[], []]

        async def silence():
            await asyncio.Event().wait()

        async def one(which):
            async def send(message):
                sent[which].append(message)

            scope = {"type": "websocket", "path": "/ws", "headers": [(b"host", b"localhost")]}
            await guarded(scope, silence, send)

        await asyncio.gather(one(0), one(1))
        return sent

    first, second = asyncio.run(two())
    assert first[0]["type"] == "websocket.accept" and second[0]["reason"].startswith("there are 1 websockets")
