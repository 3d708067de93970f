"""BrowserGym's own loop on our tasks; ``make test-browsergym`` runs it, in an environment of its own."""

import re
from pathlib import Path

import gymnasium
import pytest

from procgen_bench.envs.web.chromium import find_chromium

pytest.importorskip("browsergym.core", reason="the extra browsergym is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What is registered. BrowserGym starts Playwright's own browser: here that is ours."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path_factory.mktemp("browsers")))
        from browsergym.core import _get_global_playwright

        from procgen_bench.envs.web.browsergym import NAMES

        playwright = _get_global_playwright()
        own = Path(playwright.chromium.executable_path)
        own.parent.mkdir(parents=True)
        own.symlink_to(find_chromium())
        yield NAMES
        playwright.stop()


def calls_of_login(observation: dict) -> list[str]:
    """A scripted agent over BrowserGym's accessibility tree: every value goes to the element of its key's name."""
    ids = {}
    for node in observation["axtree_object"]["nodes"]:
        name = node.get("name", {}).get("value", "").replace(" ", "").lower()
        ids[node["role"]["value"], name.removeprefix("enter")] = node.get("browsergym_id")
    calls = []
    for key, value in re.findall(r'(\w+) "([^"]*)"', observation["goal"]):
        if ("textbox", key) in ids:
            calls.append(f"fill('{ids['textbox', key]}', {value!r})")
        elif value == "true":
            calls.append(f"click('{ids['checkbox', key]}')")
    return [*calls, f"click('{ids['button', 'placeorder']}')"]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_scripted_agent_solves_a_login(names, seed):
    env = gymnasium.make("browsergym/procgen_bench.login-4", pre_observation_delay=0.1)
    observation, _ = env.reset(seed=seed)
    calls = calls_of_login(observation)
    steps = [env.step(call) for call in calls]
    assert all(not seen["last_action_error"] for seen, *_ in steps)
    assert [step[1:3] for step in steps] == [(0, False)] * (len(calls) - 1) + [(1, True)]
    assert steps[-1][4]["task_info"] == {"success": True, "is_success": True, "num_right": 5, "num_active": 5}
    env.close()


def test_a_distraction_ends_it_with_nothing(names):
    env = gymnasium.make("browsergym/procgen_bench.site", task_kwargs={"tasks": "login/4"}, pre_observation_delay=0.1)
    observation, _ = env.reset(seed=0)
    (link,) = (
        node["browsergym_id"]
        for node in observation["axtree_object"]["nodes"]
        if node["role"]["value"] == "link" and node["name"]["value"] == "Forgot password."
    )
    _, reward, terminated, _, info = env.step(f"click('{link}')")
    assert (reward, terminated, info["task_info"]["success"]) == (0, True, False)
    env.close()


def test_every_suite_has_its_names(names):
    assert len(names["procgen_bench.login-4"]) == 20 and len(names["procgen_bench.random"]) == 500
    assert names["procgen_bench.varied.shopping-1"][3] == "varied/shopping-1-3"
    assert all(f"browsergym/{name}" in gymnasium.registry for name in (*names, "procgen_bench.site"))
