"""What the environment alone decides: options, masks, texts, frames, and what is not installed."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError, UnknownNameError
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace, Variation
from procgen_bench.tasks.sites.vocabulary import token

_WITHOUT_PLAYWRIGHT = """
import sys
sys.modules["playwright"] = None
import gymnasium, procgen_bench
from procgen_bench.core.errors import MissingChromiumError
env = gymnasium.make("GMiniWoB-v0")
env.reset(seed=0)
env.step(env.action_space.sample())
try:
    gymnasium.make("GMiniWoB-v0", backend="browser").reset(seed=0)
except MissingChromiumError as error:
    print(error)
"""


SPACE = SiteTaskSpace()


def made(**options):
    return gymnasium.make("GMiniWoB-v0", **options).unwrapped


def test_the_native_twin_needs_no_browser():
    missing = {name: value for name, value in os.environ.items() if name != "PROCGEN_BENCH_CHROMIUM"} | {"PATH": ""}
    command = [sys.executable, "-c", _WITHOUT_PLAYWRIGHT]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=missing)
    assert run.stdout == (
        "no Chromium found; install Debian's package (apt install chromium), "
        "or set PROCGEN_BENCH_CHROMIUM to the path of a Chromium\n"
    )


def test_a_missing_chromium_names_the_package_and_the_variable(monkeypatch):
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(Exception, match=r"PROCGEN_BENCH_CHROMIUM is '/nowhere/chromium'.*") as caught:
        made(backend="browser").reset(seed=0)
    assert "chromium" in str(caught.value) and type(caught.value).__name__ == "MissingChromiumError"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "firefox"}, "backend is 'firefox', expected one of \\['dom', 'browser'\\]"),
        ({"step_penalty": -1}, "step_penalty is -1, expected a number of at least 0"),
        ({"idle_penalty": float("nan")}, "idle_penalty is nan, expected a number of at least 0"),
        ({"success_reward": "1"}, "success_reward is '1', expected a number of at least 0"),
        (
            {"observation": "words"},
            "observation is 'words', expected one of \\['arrays', 'masked', 'text', 'pixels'\\]",
        ),
        ({"backend": "browser", "deadline": 0}, "deadline is 0, expected a number above 0"),
        ({"events": "hands"}, "events is 'hands', expected one of \\['input', 'script'\\]"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        made(**options)


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        ("login/5", UnknownNameError, "unknown task 'login/5'"),
        ("test/login-4-20", UnknownNameError, "unknown task in suite 'test' 'login-4-20'"),
        (SiteTask(SiteDesign((("navbar", "submit"),)), ()), InvalidTaskError, "active primitives is 0"),
        (SiteTask(SiteDesign((("username", "buy"),)), ()), InvalidTaskError, "primitive 1 of page 0 is 'buy'"),
        (SiteTask(SiteDesign((("username", "submit"),)), (("username", "a\nb"),)), InvalidTaskError, "character 1 of"),
    ],
)
def test_impossible_tasks_leave_the_episode_as_it_was(task, error, message):
    env = made()
    env.reset(seed=1)
    before, text = env.task, env.dom_text()
    with pytest.raises(error, match=message):
        env.reset(options={"task": task})
    assert env.task == before and env.dom_text() == text


def test_masks_are_what_an_action_can_be_made_of():
    env = made()
    observation, info = env.reset(seed=2, options={"task": "login/4"})
    tags = observation["tags"][np.flatnonzero(info["element_mask"])]
    assert len(tags) == 5 + 1 + 2 + 1 and info["field_mask"].sum() == 5  # fields, the menu, two links, the button
    env.action_space.seed(3)
    for _ in range(20):
        element, field = env.action_space.sample(mask=(info["element_mask"], info["field_mask"]))
        assert info["element_mask"][element] and info["field_mask"][field]


@pytest.mark.parametrize("action", [(200, 0), (4, 24), (0, 0), (1, 0)])
def test_what_is_not_there_costs_a_step_and_nothing_else(action):
    env = made(step_penalty=0.25, idle_penalty=0.125)
    before, _ = env.reset(seed=4, options={"task": "login/1"})
    after, reward, terminated, truncated, info = env.step(np.array(action))
    assert reward == -0.375 and not terminated and not truncated and not info["success"]
    assert after.pop("time_step") == [1] and before.pop("time_step") == [0]
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_texts_and_frames_show_instruction_and_page():
    env = made(render_mode="ansi")
    with pytest.raises(ResetNeededError, match="dom_text was called before reset"):
        env.dom_text()
    env.reset(seed=5, options={"task": "flight/4"})
    text = env.render()
    assert text.startswith("cabin: ") and text.endswith(env.dom_text()) and "[0] main.page" in text
    env = made(render_mode="rgb_array")
    env.reset(seed=5, options={"task": "flight/4"})
    first = env.render()
    env.step(env.task_space.solve(env.task)[0])
    assert first.shape == (560, 768, 3) and (env.render() != first).any()


@pytest.mark.parametrize(("part", "amount"), [("progress_reward", 0.25), ("success_reward", 3.0)])
def test_each_part_of_the_reward_is_a_keyword(part, amount):
    env = made(**{part: amount})
    env.reset(seed=7, options={"task": "login/1"})
    rewards = [env.step(action)[1] for action in env.task_space.solve(env.task)]
    share = (amount if part == "progress_reward" else 1) / 2
    assert rewards == [share - 0.05, share - 0.05, amount if part == "success_reward" else 1]


@pytest.mark.parametrize("penalty", [1.0, 0.5])
def test_a_distraction_ends_the_episode(penalty):
    env = made(failure_penalty=penalty)
    env.reset(seed=8, options={"task": "login/4"})
    (link,) = [i for i, record in enumerate(env.simulation.records(0)) if record.text == "Forgot password."]
    *_, info = (_, reward, terminated, truncated, _) = env.step(np.array([link, 0]))
    assert (reward, terminated, truncated, info["success"]) == (-penalty, True, False, False)


def test_a_varied_task_is_observed_in_its_words():
    env = made()
    env.reset(options={"task": "test/address-4-0"})
    plain = env.task
    for parts, word in (({"labels": "held-out"}, "Municipality"), ({"decoys": "after"}, "Billing city")):
        env.reset(options={"task": replace(plain, variation=Variation(**parts))})
        assert word in env.dom_text() and env.task.variation == Variation(**parts)
    with pytest.raises(InvalidTaskError, match="variation naming is 'shouted', expected one of published, label"):
        env.reset(options={"task": replace(plain, variation=Variation(naming="shouted"))})


@pytest.mark.parametrize(
    ("observation", "share"), [("arrays", 0.5), ("masked", 0.5), ("text", 0.0)], ids=["arrays", "masked", "text"]
)
def test_progress_pays_nothing_to_who_reads_texts_unless_it_is_asked_for(observation, share):
    for options, expected in (({}, share), ({"progress_reward": 1.0}, 0.5)):
        env = made(observation=observation, actions="fields", **options)
        env.reset(seed=7, options={"task": "login/1"})
        assert env.step(env.task_space.solve(env.task)[0])[1] == expected - 0.05


@pytest.mark.parametrize("backend", ["dom", "browser"])
def test_a_success_in_the_last_step_is_truncated_too(backend):
    """As Gymnasium's TimeLimit says of the single environment."""
    options = {"num_envs": 1, "vectorization_mode": "vector_entry_point", "backend": backend, "events": "script"}
    envs, plan = gymnasium.make_vec("GMiniWoB-v0", **options), SPACE.solve(SPACE.resolve("login/1"))
    envs.reset(seed=6, options={"task": "login/1"})
    for action in [(249, 24)] * (25 - len(plan)) + plan.tolist():
        _, rewards, terminations, truncations, infos = envs.step(np.array([action]))
    assert (rewards[0], terminations[0], truncations[0], infos["success"][0]) == (1.0, True, True, True)
    envs.close()


def test_the_25th_step_fails():
    env = gymnasium.make("GMiniWoB-v0", step_penalty=0, idle_penalty=0)
    env.reset(seed=6)
    rewards = [env.step(np.array((249, 24)))[1:4] for _ in range(25)]
    assert rewards == [(0.0, False, False)] * 24 + [(-1.0, False, True)]


@pytest.mark.parametrize("copy", [True, False])
def test_masks_are_observed_on_request(copy):
    options = {"num_envs": 4, "vectorization_mode": "vector_entry_point", "copy": copy, "tasks": "test"}
    masked = gymnasium.make_vec("GMiniWoB-v0", observation="masked", **options)
    plain = gymnasium.make_vec("GMiniWoB-v0", **options)
    single = made(observation="masked", tasks="test")
    masked.action_space.seed(0)
    observations, infos = masked.reset(seed=[0, 1, 2, 3])
    alone, alone_info = single.reset(seed=0)
    plain.reset(seed=[0, 1, 2, 3])
    for _ in range(20):  # a time limit ends the rows' episodes, not the single one
        for name in ("element_mask", "field_mask"):
            assert np.array_equal(observations[name], infos[name])
            assert np.array_equal(alone[name], alone_info[name]) and np.array_equal(alone[name], observations[name][0])
            assert observations[name] in masked.observation_space[name]
        before, kept = observations["element_mask"], observations["element_mask"].copy()
        actions = masked.action_space.sample()
        observations, _, terminations, _, infos = masked.step(actions)
        assert np.array_equal(before, kept) or not copy
        shown = plain.step(actions)[0]
        assert all(np.array_equal(array, observations[name]) for name, array in shown.items())
        if terminations[0]:
            break
        alone, *_, alone_info = single.step(actions[0])
    assert set(observations) - set(shown) == {"element_mask", "field_mask"}
    for env in (masked, plain, single):
        env.close()


def test_a_saved_state_goes_on_with_masks_and_without():
    with_masks, without = made(observation="masked", tasks="test"), made(tasks="test")
    without.reset(seed=3)
    without.step(np.array([1, 0]))
    observation, info = with_masks.reset(options={"state": without.save_state()})
    assert np.array_equal(observation["element_mask"], info["element_mask"]) and info["element_mask"].any()
    assert np.array_equal(
        pickle.loads(pickle.dumps(with_masks.simulation)).observations["element_mask"][0], info["element_mask"]
    )


def test_the_mask_of_what_is_present_is_of_all_that_is_drawn():
    env, usable = (gymnasium.make("GMiniWoB-v0", mask=mask, widgets="literal") for mask in ("present", "usable"))
    for task in ("test/shopping-4-0", "test/flight-4-3"):
        (observation, info), (_, other) = (one.reset(seed=0, options={"task": task}) for one in (env, usable))
        for action in ((5, 0), (7, 1), (12, 2)):
            assert np.array_equal(info["element_mask"], observation["boxes"].any(axis=1))
            assert (info["element_mask"] >= other["element_mask"]).all() and info["element_mask"][0] == 1
            observation, *_, info = env.step(action)
            *_, other = usable.step(action)


def test_boxes_and_options_are_used_by_the_value_of_a_field_or_as_they_are():
    """Rewards of a radio that points at another value, a box that is to stay, and a list that does, each used twice."""
    space = gymnasium.make("GMiniWoB-v0").unwrapped.task_space
    flight = next(
        name
        for name in (f"test/flight-4-{k}" for k in range(20))
        if dict(space.resolve(name).profile)["cabin"] == "First"
    )
    login = next(
        name
        for name in (f"test/login-4-{k}" for k in range(20))
        if dict(space.resolve(name).profile)["rememberme"] == "false"
    )
    address = next(
        name
        for name in (f"test/address-4-{k}" for k in range(20))
        if dict(space.resolve(name).profile)["state"] == "CA"
    )
    rewards = {}
    for widgets in ("published", "literal"):
        env = gymnasium.make("GMiniWoB-v0", widgets=widgets)
        for task, field, word in (
            (flight, "cabin", "Economy"),
            (login, "rememberme", "checkbox"),
            (address, "state", ""),
        ):
            env.reset(seed=0, options={"task": task})
            fields = [label for label, _ in env.unwrapped.task.instruction]
            records = env.unwrapped.simulation.records(0)
            element = next(
                i
                for i, one in enumerate(records)
                if (one.tag == "input" and word in one.attributes if word else one.tag == "select")
            )
            rewards[widgets, field] = [env.step((element, fields.index(field)))[1] for _ in range(2)]
    share = 1 / 7
    assert rewards["published", "cabin"] == pytest.approx([share - 0.05, -0.55])
    assert rewards["literal", "cabin"] == pytest.approx([-0.55, -0.55])
    assert rewards["published", "rememberme"] == pytest.approx([-0.05, -0.55])
    assert rewards["literal", "rememberme"] == pytest.approx([-0.2 - 0.05, 0.2 - 0.05])
    assert rewards["published", "state"] == pytest.approx([-0.05, -0.55])
    assert rewards["literal", "state"] == pytest.approx([-0.55, -0.55])


@pytest.mark.parametrize("mask", ["usable", "present"])
@pytest.mark.parametrize("widgets", ["published", "literal"])
def test_options_of_a_group_are_one_target_unless_they_are_used_literally(widgets, mask):
    """Of each group the first is in the mask, and all of it is filled by whichever is used; a list shows its first."""
    task = SiteTask(
        SiteDesign.from_text("cc state cabin submit"), (("cabin", "First"), ("cc", "Debit Card"), ("state", "CA"))
    )
    env = gymnasium.make("GMiniWoB-v0", widgets=widgets, observation="masked", mask=mask)
    observation, _ = env.reset(options={"task": task})
    records = env.unwrapped.simulation.records(0)
    radios = np.array([i for i, one in enumerate(records) if "radio" in one.attributes])
    (shown,) = (i for i, one in enumerate(records) if one.tag == "select")
    assert observation["element_values"][shown, 0] == token("ca")
    expected = [1, 0, 1, 0] if widgets == "published" else [1, 1, 1, 1]
    assert observation["element_mask"][radios].tolist() == expected
    for element in radios[:2].tolist() if widgets == "published" else radios[1:2].tolist():
        env.reset(options={"task": task})
        observation, *_ = env.step((element, 1))
        assert (
            records[radios[0]].attributes[-1] == "Credit Card" and env.unwrapped.simulation.records(0)[radios[1]].value
        )
        assert observation["filled"][radios].tolist() == ([1, 1, 0, 0] if widgets == "published" else [0, 1, 0, 0])
        assert observation["element_mask"][radios].tolist() == expected
