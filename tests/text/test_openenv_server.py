"""OpenEnv's own client against ``procgen-bench serve``; ``make test-text`` runs it, in an environment of its own."""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("openenv.core", reason="the extra serve is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

#: Connects, resets, says so, and waits to be killed.
VANISHING = """
import sys
from openenv.core import GenericEnvClient
client = GenericEnvClient(sys.argv[1]).sync()
client.connect()
client.reset(task="test/login-1-0")
print("reset", flush=True)
input()
"""


@pytest.fixture(scope="module")
def server(serve):
    with serve("GMiniWoB-v0", "--tasks", "test", "--sessions", "2") as (_, served, address):
        assert served == "GMiniWoB-v0, tasks: test; 2 sessions"
        yield address


@pytest.fixture
def connect():
    from openenv.core import GenericEnvClient

    clients = []

    def connected(address):
        clients.append(GenericEnvClient(address, message_timeout_s=30).sync())
        return clients[-1].connect()

    yield connected
    for client in clients:
        client.close()


def get(address: str, body: bytes | None = None, **headers: str) -> tuple[int, dict]:
    request = urllib.request.Request(address, body, headers | {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_it_says_what_it_serves(server):
    described = get(f"{server}/metadata")[1]
    assert described["name"] == "GMiniWoB-v0" and "fill(bid, value" in described["description"]
    assert get(f"{server}/schema")[1]["action"]["required"] == ["call"]
    assert get(f"{server}/health")[0] == 200


def test_a_session_plays_and_is_told_its_errors(server, connect, scripted_agent):
    client = connect(server)
    assert client.state()["step_count"] == 0
    with pytest.raises(RuntimeError, match=r"a call was made before reset.*EXECUTION_ERROR"):
        client.step({"call": "noop()"})
    for given, error in {
        "task": ("test/nothing", "unknown"),
        "seed": (-1, "seed is -1, expected an integer"),
        "speed": (3, "reset was given 'speed', expected seed, task and episode_id alone"),
        "episode_id": (3, "episode_id is 3, expected at most 255 characters"),
    }.items():
        with pytest.raises(RuntimeError, match=error[1]):
            client.reset(**{given: error[0]})
    result = client.reset(seed=1, task="test/login-1-0", episode_id="first")
    with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
        client.step({"say": "noop()"})
    with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
        client.step({"call": 3})
    result = client.step({"call": "I do not know"})
    assert result.observation["error"].startswith("the action is 'I do not know', expected one call")
    calls: set[str] = set()
    while not result.done:
        call = scripted_agent(result.observation["instruction"], result.observation["text"], calls)
        calls.add(call)
        result = client.step({"call": call})
    assert result.observation["success"]
    state = client.state()
    assert {name: state[name] for name in ("episode_id", "step_count", "task", "seed", "call_errors", "success")} == {
        "episode_id": "first",
        "step_count": 4,
        "task": "test/login-1-0",
        "seed": 1,
        "call_errors": 1,
        "success": True,
    }
    with pytest.raises(RuntimeError, match="after the end of the episode"):
        client.step({"call": "noop()"})


def test_whatever_comes_over_the_websocket_is_answered_once(server):
    from websockets.sync.client import connect as websocket

    with websocket(server.replace("http", "ws") + "/ws", open_timeout=30) as raw:
        raw.send('{"type": "reset", "data": {"task": "test/login-1-0"}}')
        assert json.loads(raw.recv(30))["type"] == "observation"
        for sent in ("no JSON", '{"type": "dance"}', '{"type": "step"}', '{"type": "reset", "data": {"self": 1}}'):
            raw.send(sent)
            assert json.loads(raw.recv(30))["type"] == "error", sent
        raw.send('{"type": "state"}')
        assert json.loads(raw.recv(30))["data"]["task"] == "test/login-1-0", "the session goes on"
    for last in ("[" * 100_000, b"\x00", '{"type": "step", "data": {"call": "\\ud800"}}'):
        with websocket(server.replace("http", "ws") + "/ws", open_timeout=30) as raw:
            raw.send(last)
            assert json.loads(raw.recv(30))["type"] == "error"
    with websocket(server.replace("http", "ws") + "/ws", open_timeout=30) as raw:
        raw.send("x" * (2**20 + 1))
        with pytest.raises(Exception, match="1009"):
            raw.recv(30)


def test_over_http_bad_input_is_refused_in_words(server):
    assert get(f"{server}/reset", b'{"seed": 3}')[1]["observation"]["instruction"]
    assert get(f"{server}/reset", b'{"task": "test/nothing"}')[0] == 422
    assert "before reset" in get(f"{server}/step", b'{"action": {"call": "noop()"}}')[1]["detail"]
    assert get(f"{server}/mcp", b"{}")[0] == 404
    assert get(f"{server}/reset", b"{}", Origin="http://evil.example")[0] == 403


def test_a_session_that_vanishes_frees_its_row(server, connect):
    from websockets.exceptions import ConnectionClosed

    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    killed = [subprocess.Popen([sys.executable, "-c", VANISHING, server], **options) for _ in range(2)]
    try:
        assert [process.stdout.readline() for process in killed] == [b"reset\n"] * 2
        refused = connect(server)  # the server says so by itself, and hangs up
        assert refused._run(refused.async_client._receive())["data"]["code"] == "CAPACITY_REACHED"
    finally:
        for process in killed:
            process.kill()
            process.communicate()
    free, until = 0, time.monotonic() + 60
    while free < 2 and time.monotonic() < until:
        try:
            connect(server).reset(seed=0)
            free += 1
        except (RuntimeError, ConnectionClosed):
            time.sleep(0.1)
    assert free == 2


def test_an_idle_session_is_told_and_ends(serve, connect):
    with serve("GMiniWoB-v0", "--sessions", "1", "--idle", "1") as (_, _, address):
        client = connect(address)
        client.reset(seed=0)
        told = client._run(client.async_client._receive())
        assert told["type"] == "error" and told["data"]["code"] == "SESSION_ERROR"
        assert told["data"]["message"].startswith("this session was idle for 1 seconds and has ended")
        with pytest.raises(Exception, match="idle for 1 seconds"):
            client.step({"call": "noop()"})
        assert connect(address).reset(seed=0).observation["instruction"]


def test_ctrl_c_ends_it_and_a_taken_port_is_refused(serve):
    with serve("GridWorld-v0", "--sessions", "1") as (process, _, address):
        port = address.rpartition(":")[2]
        words = [sys.executable, "-m", "procgen_bench.cli", "serve", "GridWorld-v0", "--port", port]
        refused = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert refused.returncode == 2 and refused.stderr.startswith(f"error: cannot serve at 127.0.0.1, port {port}:")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, "as every command that Ctrl-C ends"


def test_other_machines_need_the_secret(serve, connect):
    with serve("GridWorld-v0", "--sessions", "1", "--host", "0.0.0.0") as (_, _, address):
        root, _, secret = address.replace("0.0.0.0", "127.0.0.1").rpartition("/")
        assert len(secret) == 32
        assert get(f"{root}/metadata")[0] == 404 and get(f"{root}/{secret}/metadata")[0] == 200
        assert connect(f"{root}/{secret}").reset(task="targets/A").observation["instruction"] == "Reach the goal."
