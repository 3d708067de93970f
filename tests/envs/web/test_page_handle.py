"""Playwright's page on a page of ours: what it does is seen by the environment, and it is the one page."""

import asyncio
import pickle
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from playwright.sync_api import Error

from procgen_bench.core.errors import InvalidOptionError, PageError, ResetNeededError
from procgen_bench.envs.web.page_handle import PageHandle
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.processes import chromium, renderers

IDLE = (0, 0)


@pytest.fixture(scope="module")
def env():
    made = gymnasium.make("GMiniWoB-v0", backend="browser", tasks="test/login-4-0", deadline=30).unwrapped
    yield made
    made.close()


def values(env) -> list[str]:
    return [record.value for record in env.simulation.records(0) if record.value]


def test_what_is_done_through_it_is_observed(env):
    env.reset(seed=0)
    page = env.page
    page.locator("input[type=text]").first.fill("Ada")
    page.locator("input[type=checkbox]").first.click()
    assert values(env) == []
    env.step(IDLE)
    assert values(env) == ["Ada", "checked"]
    env.reset()
    assert env.page is page and page.title() == "GMiniWoB"
    assert page.locator("input[type=text]").first.input_value() == "" and values(env) == []
    assert page.evaluate("[innerWidth, matchMedia('(prefers-reduced-motion: reduce)').matches]") == [480, True]


def test_pictures_and_steps_are_as_without_it(env):
    env.reset(seed=0)
    twin = gymnasium.make("GMiniWoB-v0", backend="browser", tasks="test/login-4-0", deadline=30).unwrapped
    twin.reset(seed=0)
    env.page.mouse.move(1, 1)
    for action in solve(env.task)[:3]:
        for one in (env, twin):
            one.step(action)
    assert np.array_equal(env.simulation.screenshot(0), twin.simulation.screenshot(0))
    assert env.page.context.pages == [env.page]  # the twin's page is not seen
    assert twin.page is not env.page and twin.page.title() == env.page.title()
    twin.close()
    assert env.page.evaluate("1") == 1


def test_it_leads_to_no_other_page(env):
    env.reset(seed=0)
    context = env.page.context
    for call in (context.new_page, context.browser.new_context):
        with pytest.raises(Error, match="this address has one page"):
            call()


def test_a_lost_page_has_another_one_after_it(env):
    env.reset(seed=0)
    address, page = env.page_address, env.page
    chromium().kill()
    env.step(IDLE)
    with pytest.raises(ResetNeededError, match="the page is lost, since the browser died; call reset first"):
        _ = env.page
    env.reset(seed=0)
    assert env.page is not page and env.page_address != address
    assert env.page.title() == "GMiniWoB" and len(renderers()) > 0


def test_the_address_is_a_secret_and_not_for_pages_of_browsers(env):
    env.reset(seed=0)
    port, path = re.fullmatch(r"ws://127\.0\.0\.1:(\d+)(/[\w-]{43})", env.page_address).groups()
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
    from_a_page = "Origin: http://a\r\n"
    for target, more, code in ((path, "", 101), (path[:-1], "", 404), ("/", "", 404), (path, from_a_page, 404)):
        with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n{upgrade}{more}\r\n".encode())
            assert client.recv(1000).startswith(f"HTTP/1.1 {code} ".encode())


def test_where_there_is_no_page_it_is_said():
    env = gymnasium.make("GMiniWoB-v0").unwrapped
    with pytest.raises(InvalidOptionError, match="which has no page to steer; make it with backend="):
        _ = env.page


def test_under_a_running_loop_the_address_is_told_of(env):
    env.reset(seed=0)

    async def notebook_cell() -> None:
        with pytest.raises(PageError, match=r"connect_over_cdp\(env\.unwrapped\.page_address\)"):
            PageHandle().at(env.page_address)

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(asyncio.run, notebook_cell()).result()


def test_a_closed_environment_has_none():
    env = gymnasium.make("GMiniWoB-v0", backend="browser", tasks="test/login-4-0").unwrapped
    with pytest.raises(ResetNeededError, match="load a document"):
        _ = env.page
    env.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        _ = env.page


def test_copies_of_a_handle_find_their_own():
    assert pickle.loads(pickle.dumps(PageHandle()))._page is None
