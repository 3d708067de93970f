"""Whatever a page tries, nothing reaches a server that listens and would answer."""

import re
import socketserver
import threading
import time

import pytest

from procgen_bench.envs.web.tab import PAGE_LEFT
from tests.chromium import started_chromium
from tests.envs.web.processes import wait_until

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nhi"

#: What no server hears of by name: they connect only, or need more than a page from a file has.
NAMELESS = {"preconnect", "reload", "worker", "service worker", "peer", "close", "dialogs"}

#: By name, what a page does; ``address`` is the server's, without its scheme, and a path that names the attempt.
ATTEMPTS = {
    "fetch": "fetch('http://' + address).catch(() => {})",
    "request": "try { const r = new XMLHttpRequest(); r.open('GET', 'http://' + address, false); r.send(); } catch {}",
    "image": "add('img').src = 'http://' + address",
    "script": "add('script').src = 'http://' + address",
    "style": "Object.assign(add('link'), {rel: 'stylesheet', href: 'http://' + address})",
    "prefetch": "Object.assign(add('link'), {rel: 'prefetch', href: 'http://' + address})",
    "preconnect": "Object.assign(add('link'), {rel: 'preconnect', href: 'http://' + address})",
    "frame": "add('iframe').src = 'http://' + address",
    "object": "add('object').data = 'http://' + address",
    "media": "add('video').src = 'http://' + address",
    "link": "Object.assign(add('a'), {href: 'http://' + address}).click()",
    "link to a window": "Object.assign(add('a'), {href: 'http://' + address, target: '_blank'}).click()",
    "download": "Object.assign(add('a'), {href: 'http://' + address, download: 'file'}).click()",
    "ping": "Object.assign(add('a'), {href: '#', ping: 'http://' + address}).click()",
    "form": "Object.assign(add('form'), {action: 'http://' + address}).requestSubmit()",
    "window": "window.opened = window.open('http://' + address)",
    "location": "location.href = 'http://' + address",
    "replace": "location.replace('http://' + address)",
    "reload": "location.reload()",
    "refresh": "Object.assign(add('meta'), {httpEquiv: 'refresh', content: '0; url=http://' + address})",
    "socket": "new WebSocket('ws://' + address)",
    "events": "new EventSource('http://' + address)",
    "beacon": "navigator.sendBeacon('http://' + address)",
    "worker": "try { new Worker('http://' + address) } catch {}",
    "service worker": "try { navigator.serviceWorker.register('http://' + address).catch(() => {}) } catch {}",
    "peer": "try { const p = new RTCPeerConnection({iceServers: [{urls: 'stun:' + address}]});"
    " p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)) } catch {}",
    "close": "window.close()",
    "dialogs": "alert('x'); confirm('x'); prompt('x'); print()",
}

PAGE = """<!doctype html><body><p id="text">text</p><script>
window.submitted = 0;
addEventListener("submit", () => { window.submitted += 1; });
function add(tag) { return document.body.appendChild(document.createElement(tag)); }
</script></body>"""


class Server(socketserver.ThreadingTCPServer):
    """Answers everything; notes every connection, and the name in the path that is asked for."""

    daemon_threads = True

    def __init__(self):
        self.connections, self.names = 0, set()
        super().__init__(("127.0.0.1", 0), _Answer)

    def get_request(self):
        self.connections += 1
        return super().get_request()

    def address(self, name: str) -> str:
        return "{}:{}/".format(*self.server_address) + name.replace(" ", "-")


class _Answer(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.names.update(re.findall(r"/([a-z-]+)\??\s", self.rfile.readline().decode()))
        self.wfile.write(ANSWER)


@pytest.fixture
def server():
    with Server() as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield listening
        listening.shutdown()
        thread.join()


def attempt(name: str) -> str:
    """The function of an address that makes an attempt."""
    return "address => { " + ATTEMPTS[name] + "; }"


def test_nothing_leaves_the_page(running, server):
    for name in ATTEMPTS:
        assert running.load(PAGE) is None
        running.evaluate(attempt(name), server.address(name))
        running.evaluate("() => new Promise(done => setTimeout(done, 20))")
        assert running.evaluate("document.getElementById('text').textContent") == "text", name
        assert running.evaluate("!window.opened"), name
        assert running.evaluate("window.submitted") == (name == "form")
    time.sleep(0.5)
    assert (server.connections, server.names) == (0, set())


@pytest.mark.slow
def test_the_attempts_reach_a_server_from_a_page_that_may(server, tmp_path):
    """The check above can fail: a browser without our options lets all of them out."""
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    expected = {name.replace(" ", "-") for name in ATTEMPTS.keys() - NAMELESS}
    with started_chromium(keep=lambda flag: False) as browser:
        context = browser.new_context()
        for name in ATTEMPTS.keys() - NAMELESS:
            page = context.new_page()
            page.goto(path.as_uri())
            page.evaluate(attempt(name), server.address(name))
        wait_until(lambda: page.wait_for_timeout(20) or server.names >= expected)
    assert server.names >= expected, expected - server.names


@pytest.mark.parametrize("address", ["'about:blank'", "URL.createObjectURL(new Blob(['x']))"])
def test_a_page_that_leaves_its_document_is_lost(address, open_page):
    page = open_page()
    page.load(PAGE)
    page.evaluate("() => { setTimeout(() => { location.href = " + address + "; }, 0); }")
    assert wait_until(lambda: page.failure == PAGE_LEFT)
    assert page.evaluate("1") == page.screenshot() == PAGE_LEFT
    assert page.load(PAGE) is None and page.evaluate("document.getElementById('text').textContent") == "text"


def test_a_page_may_move_within_its_document(open_page):
    page = open_page()
    page.load(PAGE)
    page.evaluate("() => { location.hash = 'text'; }")
    assert page.evaluate("location.hash") == "#text" and page.failure is None


def test_a_script_that_leaves_while_it_loads_is_a_failure(open_page):
    page = open_page(deadline=3)
    failure = page.load(f"{PAGE}<script>location.href = 'http://elsewhere.invalid/'</script>")
    assert failure.kind in ("hang", "left")
    assert page.evaluate("1") == failure
    assert page.load(PAGE) is None


def test_a_page_that_asks_to_stay_is_replaced(open_page):
    page = open_page()
    page.load(f"{PAGE}<script>onbeforeunload = event => {{ event.preventDefault(); return 'stay'; }};</script>")
    assert page.load(PAGE) is None and page.evaluate("onbeforeunload") is None
