"""What the server of a person's page answers, and whom."""

import http.client
import json
import re
import socket

import pytest

from procgen_bench.apps.page_server import MAX_REPORT_BYTES, InvalidReportError, PageServer

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def server():
    """A server that sends reports back, takes no lists, and ends by "end"."""
    reports = []

    def answer(report):
        if isinstance(report, list):
            raise InvalidReportError(report)
        if report == "fail":
            raise LookupError("failed")
        reports.append(report)
        return report

    with PageServer(
        0, {"": lambda: "<p>é", "site": lambda: "site"}, {"report": answer}, lambda: reports[-1:] == ["end"]
    ) as server:
        yield server


def ask(server, method: str, path: str, body: str | bytes | None = None, **headers: str) -> tuple[int, str]:
    """Status and text of a request; names of headers with _ for -."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    body = body.encode() if isinstance(body, str) else body
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def report(server, body: str | bytes, **headers: str) -> tuple[int, str]:
    return ask(server, "POST", server.root + "report", body, **{"Content_Type": "application/json", **headers})


def test_documents_and_answers(server):
    assert ask(server, "GET", server.root) == (200, "<p>é")
    assert ask(server, "GET", server.root + "site") == (200, "site")
    assert report(server, '{"a": ["é", null]}') == (200, '{"a": ["\\u00e9", null]}')
    assert report(server, "1", Host=f"localhost:{server.server_port}") == (200, "1")
    assert re.fullmatch(rf"http://127\.0\.0\.1:{server.server_port}/[\w-]{{32}}/", server.address)
    assert server.socket.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]", "", "127.0.0.1.evil.example"])
def test_foreign_hosts_get_nothing(server, host):
    assert ask(server, "GET", server.root, Host=host)[0] == 403
    assert report(server, "1", Host=host)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
def test_pages_from_elsewhere_get_nothing(server, origin):
    assert report(server, "1", Origin=origin)[0] == 403
    assert ask(server, "GET", server.root, Origin=origin)[0] == 403
    assert report(server, "1", Origin=f"http://127.0.0.1:{server.server_port}")[0] == 200


def test_without_the_secret_there_is_nothing(server):
    wrong = server.root[:-2] + ("a" if server.root[-2] != "a" else "b") + "/"
    for path in ("/", "/site", "/report", "//", wrong, wrong + "site"):
        assert ask(server, "GET", path)[0] == 404
        assert ask(server, "POST", path + "report", "1", Content_Type="application/json")[0] == 404


@pytest.mark.parametrize("path", ["other", "report", "../", "site/", "site?x", "..%2fsite", "page/play.js"])
def test_there_are_no_other_documents(server, path):
    assert ask(server, "GET", server.root + path)[0] == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
def test_there_are_no_other_methods(server, method):
    assert ask(server, method, server.root)[0] == 501


def test_reports_that_are_none(server):
    assert report(server, "1", Content_Type="text/plain")[0] == 415
    assert report(server, "[]")[0] == 400
    assert report(server, b"\xff")[0] == 400
    assert report(server, "{")[0] == 400
    assert report(server, "[" * 100_000)[0] == 400
    assert report(server, "1", Content_Length="-1")[0] == 411
    assert report(server, "1", Content_Length=str(MAX_REPORT_BYTES + 1))[0] == 413
    assert report(server, "1", Content_Length="9" * 5000)[0] == 413
    assert ask(server, "POST", server.root + "site", "1", Content_Type="application/json")[0] == 404
    longest = json.dumps("x" * (MAX_REPORT_BYTES - 2))
    assert report(server, longest) == (200, longest)


def test_who_hangs_up_does_no_harm_and_nothing_is_logged(server, capfd):
    for sent in (
        b"",
        b"GET",
        b"\x00\xff\r\n\r\n",
        b"GET /\xe9/ HTTP/1.1\r\n\r\n",
        b"POST " + server.root.encode() + b"report HTTP/1.1\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
            connection.sendall(sent)
    assert ask(server, "GET", server.root)[0] == 200
    assert not server.ended.is_set()
    assert capfd.readouterr() == ("", "")


def test_it_ends_after_the_last_answer(server):
    assert report(server, "1")[0] == 200
    assert not server.ended.wait(0.05)
    assert report(server, '"end"') == (200, '"end"')
    assert server.ended.wait(5)
    assert server.failure is None


def test_it_ends_by_errors_of_its_own(server):
    with pytest.raises(http.client.RemoteDisconnected):
        report(server, '"fail"')
    assert server.ended.wait(5)
    assert isinstance(server.failure, LookupError)


def test_a_busy_port_is_one_line_that_says_how_to_go_on(run):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, out, err = run("play", "GMiniWoB-v0", "--task", "flight/4", "--port", port, "--no-open")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: cannot serve at port {port}: address already in use; ")
    assert "--port" in err
