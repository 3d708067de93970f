"""A server for one person's browser on the same machine: a few documents, and answers to what their script reports."""

import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from procgen_bench.core.errors import ProcgenBenchError

_HOST = "127.0.0.1"
#: Bytes of a report; a site of 250 elements tells itself in far less.
MAX_REPORT_BYTES = 2**20
#: Seconds that a connection may say nothing.
_PATIENCE = 60
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'self'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PortError(ProcgenBenchError):
    """The port cannot be served at."""

    def __init__(self, port: int, problem: str):
        super().__init__(f"cannot serve at port {port}: {problem}; name another one by --port, or leave it out")


class InvalidReportError(ValueError):
    """A report is not one that the documents' script makes."""


#: Kinds of reports, and the types of what each holds beside its kind.
ReportKinds = Mapping[str, Mapping[str, tuple[type, ...]]]


def check_report(report: Any, kinds: ReportKinds) -> dict[str, Any]:
    """What a report holds beside its kind.

    Raises:
        InvalidReportError: It is not of one of the kinds, or holds something else.
    """
    if not isinstance(report, dict) or not isinstance(report.get("kind"), str) or report["kind"] not in kinds:
        raise InvalidReportError(report)
    types = kinds[report["kind"]]
    held = {name: value for name, value in report.items() if name != "kind"}
    if held.keys() != types.keys() or any(type(held[name]) not in types[name] for name in types):
        raise InvalidReportError(report)
    return held


def check_key_changes(changes: list[Any]) -> list[tuple[str, bool]]:
    """Keys that a report says have gone down (``True``) or up.

    Raises:
        InvalidReportError: It says something else.
    """
    if not all(isinstance(one, list) and [type(part) for part in one] == [str, bool] for one in changes):
        raise InvalidReportError(changes)
    return [(key, goes_down) for key, goes_down in changes]


class PageServer(ThreadingHTTPServer):
    """Serves documents at an address that only their reader knows, and answers reports, one at a time.

    It listens to this machine alone. A page from elsewhere that reaches it, by a name that points here or by guessing,
    gets nothing: requests must name this host, and hold the address's secret.

    Attributes:
        address: Where the document ``""`` is.
        ended: Set when nothing more is to come: after the answer that ended it, or with ``failure``.
        failure: The error that it ended by; ``None``: by none.
        turn: Held while a document or an answer is made; an answer that waits in it lets others come first.

    Args:
        port: Where to listen; 0: at any port that is free.
        documents: The documents by name; each is asked for its HTML when it is read.
        answers: By the name that reports are sent to (``"report"``) what takes one, plain values as they come out of
            JSON, and gives plain values; it raises :class:`InvalidReportError`.
        over: Whether the answer given last is the last one.

    Raises:
        PortError: The port is not free, or not allowed.
    """

    daemon_threads = True

    def __init__(
        self,
        port: int,
        documents: Mapping[str, Callable[[], str]],
        answers: Mapping[str, Callable[[Any], Any]],
        over: Callable[[], bool],
    ):
        try:
            super().__init__((_HOST, port), _Handler)
        except OSError as error:
            raise PortError(port, (error.strerror or str(error)).lower()) from None
        self.documents, self.answers, self.over = documents, answers, over
        self.hosts = tuple(f"{name}:{self.server_port}" for name in (_HOST, "localhost"))
        self.root = f"/{secrets.token_urlsafe(24)}/"
        self.address = f"http://{_HOST}:{self.server_port}{self.root}"
        self.turn = threading.Condition()
        self.ended = threading.Event()
        self.failure: BaseException | None = None

    def __enter__(self) -> "PageServer":
        """Begin to serve."""
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        """Serve no more."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """A browser may hang up at any time; any other error ends the server."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            self.failure = error
            self.ended.set()


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "procgen-bench", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Give a document."""
        name = self._name()
        if name is None:
            return
        document = self.server.documents.get(name)
        if document is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        with self.server.turn:
            html = document()
        self._send(html, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Answer a report."""
        name = self._name()
        if name is None:
            return
        report = self._report() if name in self.server.answers else self._refused(HTTPStatus.NOT_FOUND)
        if report is None:
            return
        with self.server.turn:
            try:
                answer, over = self.server.answers[name](report), self.server.over()
            except InvalidReportError:
                self.send_error(HTTPStatus.BAD_REQUEST)
                return
        self._send(json.dumps(answer), "application/json")
        if over:
            self.server.ended.set()

    def log_message(self, *_) -> None:
        """Nothing is logged: what comes in is of no interest to the terminal."""

    def _name(self) -> str | None:
        """What is asked for under the address; ``None``, and the request is refused, if it may not be."""
        origins = [f"http://{host}" for host in self.server.hosts]
        if self.headers.get("Host") not in self.server.hosts or self.headers.get("Origin", origins[0]) not in origins:
            self.send_error(HTTPStatus.FORBIDDEN)
            return None
        root, slash, name = self.path[1:].partition("/")
        if not secrets.compare_digest(f"/{root}{slash}".encode(), self.server.root.encode()):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return name

    def _report(self) -> Any | None:
        """The report that the request holds; ``None``, and the request is refused, if it holds none."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json":
            return self._refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if not (length.isascii() and length.isdigit()):
            return self._refused(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > len(str(MAX_REPORT_BYTES)) or int(length) > MAX_REPORT_BYTES:
            return self._refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            return self._refused(HTTPStatus.BAD_REQUEST)

    def _refused(self, status: HTTPStatus) -> Any | None:
        """``None``: the request is answered by this error."""
        self.send_error(status)
        return None

    def _send(self, text: str, content_type: str) -> None:
        content = text.encode()
        self.send_response(HTTPStatus.OK)
        for name, value in {"Content-Type": content_type, "Content-Length": len(content), **_HEADERS}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)
