"""A server in a process of its own, and a model that speaks OpenAI's protocol."""

import json
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


def fill_in(instruction: str, page: str, before: set[str]) -> str:
    """The next call of a scripted agent that fills in sites: each value goes to the text box named by its key."""
    for key, value in re.findall(r'(\w+) "([^"]*)"', instruction):
        for bid, name in re.findall(r"\[(\d+)\] textbox '([^']*)'", page):
            call = f"fill('{bid}', {value!r})"
            if name.replace(" ", "").lower().endswith(key) and call not in before:
                return call
    buttons = re.findall(r"\[(\d+)\] button '(?:Login|Login and Checkout|Checkout|Place Order)'", page)
    return f"click('{buttons[-1]}')" if buttons else "noop()"


@pytest.fixture
def scripted_agent():
    return fill_in


@contextmanager
def started(*options: str):
    words = [sys.executable, "-m", "procgen_bench.cli", "serve", "--port", "0", *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        served, place = process.stdout.readline(), process.stdout.readline()
        try:
            yield process, served.strip(), place.partition(" ")[0]
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def serve():
    """Starts a server with these options, and ends it: the process, what it says it serves, and its address."""
    return started


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, asked["messages"]))
        said = self.server.model(asked["messages"])
        message = {"role": "assistant", "content": said}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": choices}
        content = json.dumps(answer | {"usage": usage}).encode() if isinstance(said, str) else b"{}"
        self.send_response(200 if isinstance(said, str) else said)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """A client that has given up is no error of the server's, to be printed among another test's output."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@pytest.fixture
def model_server():
    """Serves a model, a function of messages that returns text or an HTTP status: ``model_server(model)``."""
    server = _Server(("127.0.0.1", 0), _Handler)

    def with_model(model):
        server.model, server.asked = model, []
        return server, f"http://127.0.0.1:{server.server_port}/v1"

    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield with_model
    server.shutdown()
    server.server_close()
