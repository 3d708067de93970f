"""Texts and calls: agents of words see and do the same in both backends; what is no call is named in one line."""

import json
import re
from functools import partial

import gymnasium
import pytest
from gymnasium.vector import AsyncVectorEnv

from procgen_bench.core.errors import InvalidActionError, InvalidOptionError
from procgen_bench.envs.web.text_observations import LONGEST_TEXT, TextView, shown_page
from procgen_bench.envs.web.word_rows import WITHOUT_EFFECT
from procgen_bench.tasks.sites import SiteTask
from procgen_bench.tasks.sites.elements import Behaviour

_LINE = re.compile(r"\[(\d+)\] (?:textbox|checkbox) '([^']*)'")


def made(backend="dom", **options):
    return gymnasium.make("GMiniWoB-v0", backend=backend, observation="text", **options).unwrapped


def calls_of_login(observation: dict) -> list[str]:
    """What a rule makes of a login's texts: every value goes to the element whose name is its key's."""
    ids = {name.replace(" ", "").lower(): bid for bid, name in _LINE.findall(observation["axtree"])}
    pairs = re.findall(r'(\w+) ("(?:[^"\\]|\\.)*")', observation["instruction"])
    fills = [f"fill('{ids[key]}', {json.loads(value)!r})" for key, value in pairs]
    (button,) = re.findall(r"\[(\d+)\] button 'Place Order'", observation["axtree"])
    return [*fills, f"click('{button}')"]


@pytest.fixture(params=["dom", "browser"])
def env(request, running):
    env = made(request.param)
    yield env
    env.close()


def test_a_rule_over_texts_solves_a_login(env):
    observation, _ = env.reset(options={"task": "test/login-1-0"})
    assert observation in env.observation_space
    for call in calls_of_login(observation):
        observation, _, terminated, _, info = env.step(call)
        assert observation in env.observation_space and observation["last_action_error"] == ""
    assert terminated and info["success"]


#: Calls on the page of ``test/login-4-0``: menu 10, lines 24, 26 and 35, boxes 28 and 31 (with labels), links 37.
_CALLS = [
    "fill('24', 'no field\\'s value <b>')",
    "click('26')",
    "keyboard_type('typed')",
    "fill('34', 'by its label')",
    "clear('24')",
    "click('29')",
    "check('28')",
    "uncheck('28')",
    "click('11')",
    "mouse_click(30, 100)",
    "noop()",
    "click('0')",
    "click('37')",
]


def test_calls_come_to_the_same_in_both_backends(running):
    """Texts, rewards and ends are equal, of values that are no field's, too."""
    envs = [made(backend) for backend in ("dom", "browser")]
    task = {"task": "test/login-4-0"}
    first, second = (env.reset(options=task)[0] for env in envs)
    assert first == second
    for call in _CALLS:
        first, second = (env.step(call)[:4] for env in envs)
        assert first == second, call
    assert first[1:3] == (-1.0, True)
    for env in envs:
        env.close()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("__import__('os')", "there is no action '__import__', expected one of click, fill"),
        ("fill('24', 'a' * 9)", "the action is \"fill('24', 'a' * 9)\", expected one call with literals"),
        ("click('24') click('24')", "expected one call with literals"),
        ("click('999')", "no element has the id '999', expected '0' to '41'"),
        ("click(24)", "click's bid is 24, expected a text in quotes"),
        ("fill('24')", "fill takes bid, value, enable_autocomplete_menu=False: missing a required argument: 'value'"),
        ("fill('28', 'x')", "element '28', <input>, takes no text"),
        ("fill('24', 'a\\nb')", "character 1 of fill's value is '\\n', expected no control or line break"),
        ("click('14')", "element '14' is not shown"),
        ("select_option('24', 'CA')", "element '24', <input>, has no options to select"),
        ("(" * 3000, "expected one call with literals"),
        (f"fill('24', '{'x' * 5000}')", "the action has 5,014 characters, expected at most 4,000"),
        ("\ud800", "expected one call with literals"),
        ("goto('http://example.org')", "goto's url is 'http://example.org', expected no other site"),
        ("press('28', 'Enter')", "press's key_comb is 'Enter', which does nothing here to <input> '28'"),
        ("press('24', 'Control+a')", "press's key_comb is 'Control+a', which does nothing here to <input> '24'"),
        ("click('0')", "a click on <main> '0' does nothing, expected a button, a link, a box, an option or a line"),
        ("mouse_click(1, 1)", "a click on <form> '4' does nothing, expected a button"),
        ("hover('14')", "element '14' is not shown"),
        ("scroll(0)", "scroll takes delta_x, delta_y: missing a required argument: 'delta_y'"),
    ],
)
def test_what_is_no_call_is_named_and_costs_a_step(call, error):
    env = made()
    before, _ = env.reset(options={"task": "test/login-4-0"})
    after, reward, terminated, _, info = env.step(call)
    assert error in after["last_action_error"] == info["last_action_error"] and "\n" not in info["last_action_error"]
    assert reward == -0.55 and not terminated and after["html"] == before["html"]


@pytest.mark.parametrize("call", ["hover('24')", "scroll(0, 200)", "send_msg_to_user('Done.')", "noop()"])
def test_what_changes_nothing_costs_a_step_and_is_told(call):
    env = made()
    before, _ = env.reset(options={"task": "test/login-4-0"})
    after, reward, terminated, _, info = env.step(call)
    assert (after, reward, terminated) == ({**before, "last_action_error": WITHOUT_EFFECT}, -0.55, False)
    assert info["last_action_error"] == WITHOUT_EFFECT


@pytest.mark.parametrize("backend", ["dom", "browser"])
def test_every_call_without_effect_is_told_in_both_backends(backend, running):
    """Also one that repeats another; not one that changes the focus alone, or leads to a page that looks the same."""
    env = made(backend=backend)
    task = SiteTask.from_text("next_checkout\nnext_checkout\ncity submit\n\ncity = Oslo")
    env.reset(options={"task": task})
    told = [env.step(call)[0]["last_action_error"] for call in ("click('6')", "noop()", "click('6')")]
    assert told == ["", WITHOUT_EFFECT, ""] and env.simulation.page_number(0) == 2
    line = next(index for index, record in enumerate(env.simulation.records(0)) if record.tag == "input")
    calls = [f"fill('{line}', 'Oslo')", f"fill('{line}', 'Oslo')", f"fill('{line}', 'Bern')", f"click('{line}')"]
    told = [env.step(call)[0]["last_action_error"] for call in calls]
    assert told == ["", WITHOUT_EFFECT, "", WITHOUT_EFFECT]
    env.close()


def test_marks_are_drawn_where_calls_can_be_made(running):
    plain, marks = (
        gymnasium.make("GMiniWoB-v0", backend="browser", observation="pixels", marks=marks).unwrapped
        for marks in (False, True)
    )
    (without, _), (with_marks, _) = (env.reset(options={"task": "test/login-1-0"}) for env in (plain, marks))
    assert with_marks in marks.observation_space
    differs = (with_marks["screenshot"] != without["screenshot"]).any(axis=2)
    for index, record in enumerate(plain.simulation.records(0)):
        left, top, width, height = record.box
        usable = record.visible and shown_page(plain.simulation).element(index).behaviour != Behaviour.NONE
        if usable:
            assert differs[top : top + 2, left : left + width].any() and differs[top : top + height, left].all()
        differs[top : top + height, left : left + width] &= not usable
    assert not differs.any()
    plain.close(), marks.close()
    with pytest.raises(InvalidOptionError, match="marks is True, which needs observation 'pixels', and observation is"):
        gymnasium.make("GMiniWoB-v0", observation="text", marks=True)


def test_what_is_no_text_and_rows_of_pictures_are_refused():
    env = made()
    env.reset(seed=0)
    with pytest.raises(InvalidActionError, match="expected a call in writing"):
        env.step(7)
    with pytest.raises(InvalidOptionError, match=r"observation 'pixels' is of single .* mode 'sync' has rows"):
        gymnasium.make_vec("GMiniWoB-v0", vectorization_mode="vector_entry_point", observation="pixels")
    with pytest.raises(InvalidOptionError, match="'pixels' needs backend 'browser'"):
        gymnasium.make("GMiniWoB-v0", observation="pixels")


def test_a_screenshot_is_observed_and_clicked(running):
    env = gymnasium.make("GMiniWoB-v0", backend="browser", observation="pixels").unwrapped
    observation, _ = env.reset(options={"task": "test/login-1-0"})
    assert observation in env.observation_space
    box = next(record.box for record in env.simulation.records(0) if record.tag == "input")
    env.step(f"mouse_click({box.left + 5}, {box.top + 5})")
    after, *_ = env.step("keyboard_type('seen')")
    assert (after["screenshot"] != observation["screenshot"]).any() and "'seen'" in env.dom_text()
    env.close()


def test_a_saved_state_keeps_texts_that_are_no_fields():
    one, other = made(), made()
    one.reset(options={"task": "test/login-4-0"})
    one.step("fill('24', 'only here')")
    other.reset(seed=1)
    other.step("fill('24', 'another text')")
    assert other.reset(options={"state": one.save_state()})[0]["html"] == one.step("noop()")[0]["html"]


def test_words_of_any_writing_go_through_shared_memory():
    """Fields and values in other writings, in an instruction, on a page and in a call, from other processes."""
    task = SiteTask.from_text('username password submit\n\npassword = пароль\nusername = Zoë "日本" 😀')
    calls = ("noop()", "fill('6', 'ü世界')")
    env = AsyncVectorEnv([partial(made, tasks=[task])] * 2, shared_memory=True)
    env.reset(seed=0)
    observed = env.step(calls)[0]
    env.close()
    assert env.observation_space.contains(observed)
    for row, call in enumerate(calls):
        alone = made(tasks=[task])
        alone.reset(seed=0)
        assert {name: texts[row] for name, texts in observed.items()} == alone.step(call)[0]
    assert "日本" in observed["instruction"][0] and "ü世界" in observed["html"][1]


def test_text_that_is_too_long_is_cut():
    view, page = TextView(), made()
    page.reset(options={"task": "test/login-1-0"})
    seen = view.observe(page.simulation, ["do"], ["x" * (LONGEST_TEXT + 1)])
    assert seen["last_action_error"] == ("x" * (LONGEST_TEXT - 1) + "\u2026",)
    assert view.space.contains({name: texts[0] for name, texts in seen.items()})
    assert view.observe(page.simulation, ["x" * LONGEST_TEXT], [""])["instruction"] == ("x" * LONGEST_TEXT,)
