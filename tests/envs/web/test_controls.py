"""Which actions stand for what a person does at a site, and what a page must show."""

import json

import gymnasium
import pytest

from procgen_bench.envs.web.controls import SiteControls
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.task import SiteTask

CONTROLS = SiteControls()
DESIGN = SiteDesign((("navbar", "username", "password", "verifypassword", "cabin", "rememberme", "submit"),))
PROFILE = {"cabin": "First", "password": "same", "rememberme": "true", "username": "same"}


@pytest.fixture
def env():
    env = gymnasium.make("GMiniWoB-v0", tasks=[SiteTask(DESIGN, tuple(PROFILE.items()))], widgets="literal")
    env.reset(seed=0)
    return env


def index(env, *words: str) -> int:
    """The element that has these words among its text and attributes."""
    records = env.unwrapped.simulation.records(0)
    (found,) = [i for i, r in enumerate(records) if all(word in (r.text, *r.attributes) for word in words)]
    return found


def use(env, element: int, text: str | None = None):
    """The action and the order of what a person does."""
    action = CONTROLS.action(env, element, text)
    env.step(action)
    return action, CONTROLS.order(env, action)


def shown(env, **changes) -> str:
    """What the site tells of itself in the environment's state; ``changes``: (element's place, entry) -> value."""
    simulation = env.unwrapped.simulation
    reported = [
        [r.tag, r.classes, r.text, r.attributes, r.value, r.depth, r.parent, r.box, False]
        for r in simulation.records(0)
    ]
    for element, entry, value in changes.get("entries", ()):
        reported[element][entry] = value
    steps, page = changes.get("steps", int(simulation.elapsed[0])), changes.get("page", 0)
    return json.dumps([steps, page, changes.get("end", ""), reported])


def test_an_option_is_the_field_of_its_value(env):
    first, economy = index(env, "radio", "First"), index(env, "radio", "Economy")
    assert use(env, economy) == ((economy, 24), (economy, None, "")), "nobody wants it"
    assert use(env, first) == ((first, 0), (first, "First", "checked"))


def test_a_value_is_the_first_field_that_has_it(env):
    username = index(env, "Username")
    assert use(env, username, "First") == ((username, 0), (username, "First", "First"))
    assert use(env, username, "same") == ((username, 1), (username, "same", "same"))
    assert use(env, username, "First")[0] == (username, 0)


def test_any_other_text_is_a_field_that_is_not_there(env):
    username = index(env, "Username")
    assert use(env, username, "same ") == ((username, 24), (username, None, ""))
    assert use(env, username, "Same") == ((username, 24), (username, None, ""))
    use(env, username, "same")
    assert use(env, username, "") == ((username, 24), (username, None, "same"))


def test_clicks_go_with_the_first_field(env):
    menu = index(env, "Menu")
    assert [use(env, menu)[0] for _ in range(3)] == [(menu, 0)] * 3
    tick = index(env, "checkbox")
    assert use(env, tick) == ((tick, 0), (tick, "First", "checked"))
    assert use(env, tick) == ((tick, 0), (tick, "First", ""))


def test_what_is_so_already_is_no_action(env):
    first, username = index(env, "radio", "First"), index(env, "Username")
    assert CONTROLS.action(env, username, "") is None
    use(env, first)
    assert CONTROLS.action(env, first, None) is None
    use(env, username, "same")
    assert CONTROLS.action(env, username, "same") is None


def test_what_cannot_be_done_is_refused(env):
    for element, text in (
        (-1, None),
        (200, None),
        (0, "same"),
        (index(env, "Username"), None),
        (index(env, "Menu"), ""),
    ):
        with pytest.raises(ValueError, match="element"):
            CONTROLS.action(env, element, text)


def test_the_page_must_be_in_the_environments_state(env):
    username, menu = index(env, "Username"), index(env, "Menu")
    use(env, username, "same")
    left, top, width, height = env.unwrapped.simulation.records(0)[username].box
    assert CONTROLS.difference(env, shown(env), []) is None
    enlarged = [username, 7, [left + 0.2, top - 0.2, width, height + 0.1]]
    assert CONTROLS.difference(env, shown(env, entries=[enlarged]), []) is None
    assert CONTROLS.difference(env, shown(env, entries=[[username, 4, "sa"]]), [username]) is None
    wrong = [
        {"entries": [[username, 4, "sa"]]},
        {"entries": [[username, 7, [left + 1, top, width, height]]]},
        {"entries": [[username, 7, [1e999, 0, 0, 0]]]},
        {"entries": [[menu, 1, ["fold", "visited"]]]},
        {"entries": [[menu, 2, "Menu"]]},
        {"steps": 2},
        {"end": "sent"},
        {"page": 1},
    ]
    for changes in wrong:
        assert CONTROLS.difference(env, shown(env, **changes), [menu]), changes
    for text in ("", "[]", "1", "null", "[1,0,false,[]]", "[1,0,false,[[]]]", '{"a": 1}', "[" * 100_000):
        assert CONTROLS.difference(env, text, []), text


def test_how_it_went(env):
    assert CONTROLS.account(env) == "0 of 5 fields right"
    use(env, index(env, "Username"), "same")
    use(env, index(env, "radio", "First"))
    assert CONTROLS.account(env) == "2 of 5 fields right"
