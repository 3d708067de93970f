"""The browser ends with the last page, with the program however that ends, and leaves nothing behind."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial

import pytest

from procgen_bench.envs.web.browser_pages import BrowserPage, load_pages
from tests.envs.web.processes import chromium, descendants, wait_until

#: A program with two loaded pages, one of them hanging in script, which says so and goes on to END.
PROGRAM = """
import os, signal, sys, threading, time
from procgen_bench.envs.web.browser_pages import BrowserPage, load_pages
pages = [BrowserPage(deadline=30) for _ in range(2)]
assert load_pages([(page, "<p>text</p>") for page in pages]) == [None, None]
pages[1].evaluate("() => { setTimeout(() => { while (true) {} }, 0); }")
print("ready", flush=True)
sys.stdin.readline()
END
"""

#: By name: how the program goes on, what is sent to it (with its process group) or ``None``, and its exit code.
ENDS = {
    "return": ("", None, 0),
    "exception": ("raise RuntimeError('trainer')", None, 1),
    "exit": ("sys.exit(3)", None, 3),
    "exit at once": ("os._exit(3)", None, 3),
    "Ctrl-C in a call": ("pages[0].evaluate('() => new Promise(() => {})')", signal.SIGINT, -signal.SIGINT),
    "Ctrl-C outside of calls": ("time.sleep(60)", signal.SIGINT, -signal.SIGINT),
    "terminated": ("time.sleep(60)", signal.SIGTERM, -signal.SIGTERM),
    "hung up": ("time.sleep(60)", signal.SIGHUP, -signal.SIGHUP),
    "killed": ("time.sleep(60)", signal.SIGKILL, -signal.SIGKILL),
    "child that lives on": ("os.fork() or (os.closerange(0, 3), time.sleep(60)); os._exit(0)", None, 0),
}
#: What every run of the tests tries.
QUICK = ("Ctrl-C in a call",)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ENDS]
)
def test_no_process_survives_the_program(name):
    end, sent, code = ENDS[name]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("END", end)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),  # also where tests run ignore it
    )
    with program:
        assert program.stdout.readline() == "ready\n"
        below = descendants(program.pid)
        assert len([process for process in below if "chromium" in process.command]) > 3
        program.stdin.write("\n")
        program.stdin.flush()
        if sent is not None:
            time.sleep(0.3)
            os.killpg(program.pid, sent)
        assert program.wait(60) == code, program.stderr.read()
        assert wait_until(lambda: not any(process.running for process in below)), [
            process.command for process in below if process.running
        ]
        errors = program.stderr.read()
    if name == "child that lives on":
        os.killpg(program.pid, signal.SIGKILL)  # fails if it does not
    assert "never retrieved" not in errors and "Exception ignored" not in errors and "unclosed" not in errors
    assert errors.count("Traceback") == (name.startswith("Ctrl-C") or name == "exception"), errors


@pytest.mark.slow
def test_the_last_page_ends_the_browser():
    others = descendants()
    pages = [BrowserPage() for _ in range(3)]
    load_pages([(page, "text") for page in pages[:2]])  # the third was never used
    running = descendants() - others
    for page in pages[:2]:
        page.close()
        assert chromium().running
    pages[2].close()
    assert wait_until(lambda: not descendants() - others)
    assert wait_until(lambda: not any(process.running for process in running))


@pytest.fixture
def short_folder():
    """A temporary folder whose path is short enough for a browser's socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield folder


def num_contexts(page: BrowserPage) -> int:
    """How many contexts the browser of a page has."""

    async def counted() -> int:
        return len((await page._tab._browser.inspector.call("Target.getBrowserContexts"))["browserContextIds"])

    return page._service.run(counted())


@pytest.mark.parametrize("times", [1, pytest.param(500, marks=pytest.mark.slow)])
def test_killed_browsers_leave_nothing_in_the_temporary_folder(times, short_folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", short_folder)
    page = BrowserPage(deadline=30)
    for _ in range(times):
        assert page.load("text") is None
        assert len(os.listdir(short_folder)) == 1
        chromium().kill()
    page.close()
    assert os.listdir(short_folder) == []


def test_a_killed_watcher_leaves_neither_processes_nor_a_folder(short_folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", short_folder)
    others = descendants()
    page = BrowserPage(deadline=30)
    assert page.load("text") is None
    below = descendants() - others
    os.kill(page._tab._browser._process.pid, signal.SIGKILL)
    page.close()
    assert wait_until(lambda: not any(process.running for process in below))
    assert wait_until(lambda: not os.listdir(short_folder))


def test_a_page_that_is_let_go_of_is_closed():
    others = descendants()
    pages = [BrowserPage(), BrowserPage()]
    load_pages([(page, "text") for page in pages])
    assert num_contexts(pages[0]) == 2
    del pages[1]
    gc.collect()
    assert wait_until(lambda: num_contexts(pages[0]) == 1)
    assert pages[0].evaluate("1") == 1
    del pages[0]
    gc.collect()
    assert wait_until(lambda: not descendants() - others)


def test_a_child_after_fork_has_a_browser_of_its_own():
    page = BrowserPage()
    page.load("<p id='text'>parent</p>")
    parents = {chromium()}
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs ends too
        code = 1
        try:
            page.load("<p id='text'>child</p>")
            own = {chromium()}
            code = 0 if page.evaluate("document.getElementById('text').textContent") == "child" else 2
            code = 3 if own & parents else code
            page.close()
            code = code if wait_until(lambda: not descendants()) else 4
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert {chromium()} == parents
    assert page.evaluate("document.getElementById('text').textContent") == "parent"
    page.close()


@pytest.mark.parametrize("loads", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_loads_leave_processes_and_descriptors_as_they_are(loads, open_page, document):
    page = open_page()

    def counts() -> tuple[int, int]:
        browsers = len(os.listdir(f"/proc/{chromium().pid}/fd"))
        return len(descendants()), len(os.listdir("/proc/self/fd")) + browsers

    def load(times: int) -> tuple[int, int]:
        """The counts before."""
        before = counts()
        for _ in range(times):
            assert page.load(document()) is None
            assert page.evaluate("window.runs") == 1
        return before

    def still(before: tuple[int, int]) -> bool:
        """Whether they are what they were; a renderer that is held in reserve comes and goes."""
        processes, descriptors = counts()
        return processes <= before[0] + 1 and descriptors <= before[1] + 20

    page.load(document())
    # What a browser starts in its first moments comes late where much else runs; loads go on leaving what they leave.
    assert still(load(loads)) or still(load(loads)) or wait_until(partial(still, load(loads))), counts()
