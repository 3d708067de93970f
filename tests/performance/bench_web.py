"""GMiniWoB-v0 beside MiniWoB++, which Selenium steers by chromedriver, in one run and with one Chromium.

Both do the same: a user name and a password are typed in and a button is pressed, by three actions of an element and a
field each. Ours is the site ``login-1`` (9 elements), MiniWoB++'s is login-user (11 elements); after every action the
page's elements are observed. MiniWoB++ types key by key, and observes nothing after the last action; ours acts by mouse
and keyboard of the browser ("input events") or by events of the page's script. "Pictures": every
observation is accompanied by a screenshot, as it is in MiniWoB++ unless one tells it not to.

Steps of such logins are timed alone, without the resets between them, unless the label has it otherwise; steps with
random actions are those of the whole task space and hold their resets. Browsers are other processes, so wall seconds
are timed, in which neighbours on a shared machine show; all else in processor seconds. No time is asserted:
``make bench``.
"""

import os
import shutil
from functools import partial

import gymnasium
import numpy as np
import pytest

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.core.extras import import_extra
from procgen_bench.envs.web.chromium import find_chromium
from procgen_bench.envs.web.environment import EVENTS
from procgen_bench.tasks.sites import SiteTaskSpace
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.processes import descendants, wait_until
from tests.performance.stepping import (
    BATCHES,
    ROWS,
    in_processor_seconds,
    in_wall_seconds,
    single_stepper,
    time_resets,
    time_steps,
    vector_stepper,
)

ID, LOGIN = "GMiniWoB-v0", "test/login-1-0"
#: The expert's actions (K, 2): user name, password, button.
ACTIONS = solve(SiteTaskSpace().resolve(LOGIN))
#: Episodes or resets of one round of a single environment without a browser.
EPISODES = 500
#: Rows of texts, and steps of one round of a single environment.
TEXT_ROWS = 256


def make_vec(num_envs: int, **options):
    """Our environment with this many rows."""
    return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


@in_processor_seconds
@pytest.mark.parametrize("copy", [False, True])
def test_dom_random(benchmark, copy):
    label = f"GMiniWoB dom, {ROWS} rows, random actions, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, vector_stepper(make_vec(ROWS, copy=copy)))


@in_processor_seconds
def test_dom_random_in_one_row(benchmark):
    time_steps(benchmark, "GMiniWoB dom, 1 row, random actions", "ours", BATCHES, vector_stepper(make_vec(1)))


@in_processor_seconds
def test_dom_random_single(benchmark):
    stepper = single_stepper(gymnasium.make(ID), 5_000)
    time_steps(benchmark, "GMiniWoB dom, single, random actions", "ours", 5_000, stepper)


@in_processor_seconds
@pytest.mark.parametrize("actions", ["fields", "calls"])
def test_texts_in_rows(benchmark, actions):
    env, rng = make_vec(TEXT_ROWS, observation="text", actions=actions), np.random.default_rng(0)
    infos = [env.reset(seed=0)[1]]

    def advance() -> None:
        infos[0] = env.step(useful_actions(infos[0], actions, rng))[-1]

    time_steps(benchmark, f"GMiniWoB texts, {TEXT_ROWS} rows, {actions}", "ours", TEXT_ROWS, advance)


@in_processor_seconds
@pytest.mark.parametrize("actions", ["fields", "calls"])
def test_texts_single(benchmark, actions):
    env, rng = gymnasium.make(ID, observation="text", actions=actions), np.random.default_rng(0)
    infos = [env.reset(seed=0)[1]]

    def advance() -> None:
        for _ in range(TEXT_ROWS):
            in_row = {name: np.asarray(infos[0][name])[None] for name in ("element_mask", "field_mask")}
            *_, terminated, truncated, infos[0] = env.step(useful_actions(in_row, actions, rng)[0])
            if terminated or truncated:
                infos[0] = env.reset()[1]

    time_steps(benchmark, f"GMiniWoB texts, single, {actions}", "ours", TEXT_ROWS, advance)


@in_processor_seconds
@pytest.mark.parametrize("copy", [False, True])
def test_dom_logins(benchmark, copy):
    env = make_vec(ROWS, tasks=LOGIN, copy=copy)
    label = f"GMiniWoB dom, {ROWS} rows, logins, copy={copy}"
    time_steps(benchmark, label, "ours", ROWS * len(ACTIONS), partial(log_in, env), before=resetter(env))


@in_processor_seconds
def test_dom_logins_single(benchmark):
    env = gymnasium.make(ID, tasks=LOGIN)

    def advance() -> None:
        for _ in range(EPISODES):
            env.reset()
            for action in ACTIONS:
                *_, info = env.step(action)
            assert info["success"]

    label = "GMiniWoB dom, single, logins with their resets"
    time_steps(benchmark, label, "ours", EPISODES * len(ACTIONS), advance)


@in_wall_seconds
@pytest.mark.parametrize("events", EVENTS)
@pytest.mark.parametrize("pages", [1, 2, 8])
def test_browser_logins(benchmark, browser_env, pages, events):
    env = browser_env(pages, events)
    label = f"GMiniWoB browser, {of_pages(pages)}, logins by {events} events, wall"
    time_steps(benchmark, label, "ours", pages * len(ACTIONS), partial(log_in, env), before=resetter(env))


@in_wall_seconds
def test_browser_logins_with_pictures(benchmark, browser_env):
    env = browser_env(1, "input")
    log_in_seen = partial(log_in, env, look=lambda: env.simulation.screenshot(0))
    label = "GMiniWoB browser, 1 page, logins by input events, pictures, wall"
    time_steps(benchmark, label, "ours", len(ACTIONS), log_in_seen, before=resetter(env))


@in_wall_seconds
@pytest.mark.parametrize("pictures", [False, True])
def test_miniwob_logins(benchmark, miniwob_login, pictures):
    env = miniwob_login
    actions = []

    def reset() -> None:
        observation = reset_miniwob(env, pictures)
        actions[:] = miniwob_actions(env.unwrapped, observation)

    def advance() -> None:
        for action in actions:
            _, reward, terminated, *_ = env.step(action)
        assert terminated and reward > 0

    time_steps(benchmark, miniwob_label(pictures), "peer", len(ACTIONS), advance, before=reset)


@in_processor_seconds
@pytest.mark.parametrize("tasks", [LOGIN, None])
def test_dom_resets(benchmark, tasks):
    env = make_vec(ROWS, tasks=tasks, copy=False)
    time_resets(benchmark, f"GMiniWoB dom, {ROWS} rows, tasks={tasks!r}", "ours", ROWS, env.reset)


@in_processor_seconds
@pytest.mark.parametrize("tasks", [LOGIN, None])
def test_dom_resets_single(benchmark, tasks):
    env = gymnasium.make(ID, tasks=tasks)

    def reset() -> None:
        for _ in range(EPISODES):
            env.reset()

    time_resets(benchmark, f"GMiniWoB dom, single, tasks={tasks!r}", "ours", EPISODES, reset)


@in_wall_seconds
@pytest.mark.parametrize("pages", [1, 2, 8])
def test_browser_resets(benchmark, browser_env, pages):
    label = f"GMiniWoB browser, {of_pages(pages)}, tasks={LOGIN!r}, wall"
    time_resets(benchmark, label, "ours", pages, browser_env(pages, "script").reset)


@in_wall_seconds
@pytest.mark.parametrize("pictures", [False, True])
def test_miniwob_resets(benchmark, miniwob_login, pictures):
    time_resets(benchmark, miniwob_label(pictures), "peer", 1, partial(reset_miniwob, miniwob_login, pictures))


def useful_actions(infos: dict, actions: str, rng: np.random.Generator):
    """Of every row a random element that can be used, with a random field, or by a call."""
    elements, fields = (
        (infos[name] * rng.random(infos[name].shape)).argmax(axis=1) for name in ("element_mask", "field_mask")
    )
    if actions == "fields":
        return np.stack([elements, fields], axis=1)
    typed = rng.random(len(elements)) < 0.5
    return [f"fill('{at}', 'Ada')" if types else f"click('{at}')" for at, types in zip(elements, typed)]


def log_in(env, look=None) -> None:
    """Have every row of a vector environment log in; ``look`` is called after every step."""
    for action in ACTIONS:
        *_, infos = env.step(np.tile(action, (env.num_envs, 1)))
        if look:
            look()
    assert infos["success"].all()


def resetter(env):
    """What resets ``env`` and, as the benchmark wants it, returns nothing."""

    def reset() -> None:
        env.reset()

    return reset


def of_pages(number: int) -> str:
    return f"{number} page{'s' if number > 1 else ''}"


def miniwob_label(pictures: bool) -> str:
    return f"MiniWoB++, {'' if pictures else 'no '}pictures, wall"


def reset_miniwob(env, pictures: bool):
    """Always the same user; the observation."""
    return env.reset(seed=0, options={"record_screenshots": pictures})[0]


def miniwob_actions(env, observation) -> list:
    """The expert's actions in login-user."""
    places = {element["id"]: element["ref"] for element in observation["dom_elements"]}
    numbers = {key: number for number, (key, _) in enumerate(observation["fields"])}
    typed = [
        env.create_action("FOCUS_ELEMENT_AND_TYPE_FIELD", ref=places[key], field=numbers[key])
        for key in ("username", "password")
    ]
    return [*typed, env.create_action("CLICK_ELEMENT", ref=places["subbtn"])]


@pytest.fixture
def browser_env():
    """browser_env(pages, events) -> a vector environment of logins in as many pages."""
    envs = []

    def made(pages: int, events: str):
        envs.append(make_vec(pages, tasks=LOGIN, backend="browser", events=events))
        return envs[-1]

    yield made
    for env in envs:
        env.close()


@pytest.fixture
def miniwob_login(monkeypatch):
    """MiniWoB++'s login-user in our Chromium. Nothing that it starts outlives it."""
    monkeypatch.setenv("MINIWOB_CHROMEDRIVER", find_chromedriver())
    monkeypatch.setenv("MINIWOB_CHROME_BINARY", find_chromium(""))
    gymnasium.register_envs(import_extra("miniwob", "peers"))
    env, before, started = None, descendants(), set()
    try:
        env = gymnasium.make("miniwob/login-user-v1", disable_env_checker=True)
        started = descendants() - before  # without their driver they would not be descendants any more
        yield env
    finally:
        started |= descendants() - before
        if env is not None:
            env.close()
        if not wait_until(lambda: not any(process.running for process in started)):
            for process in started:
                if process.running:
                    process.kill()


def find_chromedriver() -> str:
    found = os.environ.get("MINIWOB_CHROMEDRIVER") or shutil.which("chromedriver")
    if found is None:
        pytest.fail(
            "no chromedriver found, which MiniWoB++ needs; install Debian's package (apt install chromium-driver), "
            "or set MINIWOB_CHROMEDRIVER to the path of one that fits the Chromium",
            pytrace=False,
        )
    return found
