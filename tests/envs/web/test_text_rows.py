"""Rows of texts are, row by row, what single environments observe, and what is written of a page at once."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidActionError, ResetNeededError
from procgen_bench.envs.web.page_texts import PageWriter
from procgen_bench.envs.web.text_observations import shown_page
from tests.envs.web.play import HOSTILE

ROWS = 6
#: What else is written into lines: the same text in two of them, and texts that are none of a form.
TYPED = (*HOSTILE, "Ada", "Ada", "2027-01-31", "09:30", "7", "ada@example.org")


def rows_of(num_envs: int = ROWS, **options):
    options = {"observation": "text", "autoreset_mode": "Disabled", **options}
    return gymnasium.make_vec("GMiniWoB-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def random_call(usable: np.ndarray, rng: np.random.Generator) -> str:
    """Mostly one that changes something."""
    element = int(rng.choice(usable)) if rng.random() < 0.9 else int(rng.integers(70))
    match rng.integers(6):
        case 0:
            return f"hover('{element}')"
        case 1 | 2:
            return f"fill('{element}', {TYPED[rng.integers(len(TYPED))]!r})"
        case 3:
            return f"press('{element}', 'ArrowDown')"
        case 4:
            return "click("
    return f"click('{element}')"


def random_fields(infos: dict, row: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(infos[name][row])) for name in ("element_mask", "field_mask")])


@pytest.mark.parametrize("actions", ["calls", "fields"])
@pytest.mark.parametrize("tasks", [None, "varied", "invented"])
def test_rows_are_single_environments(actions, tasks):
    rng, lengths = np.random.default_rng(0), set()
    rows = rows_of(actions=actions, tasks=tasks)
    singles = [gymnasium.make("GMiniWoB-v0", observation="text", actions=actions, tasks=tasks) for _ in range(ROWS)]
    observed, infos = rows.reset(seed=3)
    alone = [env.reset(seed=3 + row)[0] for row, env in enumerate(singles)]
    for _ in range(60):
        assert observed in rows.observation_space
        assert alone == [{name: texts[row] for name, texts in observed.items()} for row in range(ROWS)]
        if actions == "calls":
            taken = [random_call(np.flatnonzero(infos["element_mask"][row]), rng) for row in range(ROWS)]
        else:
            taken = np.stack([random_fields(infos, row, rng) for row in range(ROWS)])
        observed, rewards, terminations, truncations, infos = rows.step(taken)
        for row, env in enumerate(singles):
            alone[row], *outcome, info = env.step(taken[row])
            assert outcome == [rewards[row], terminations[row], truncations[row]]
            assert info.get("last_action_error") == (infos["last_action_error"][row] if actions == "calls" else None)
        assert alone == [{name: texts[row] for name, texts in observed.items()} for row in range(ROWS)]
        lengths |= set(map(len, observed["html"]))
        ended = terminations | truncations
        if ended.any():
            observed, infos = rows.reset(options={"reset_mask": ended})
            for row in np.flatnonzero(ended):
                alone[row], _ = singles[row].reset()
    assert len(lengths) > 60


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_rows_that_begin_again_show_their_new_pages(mode):
    rng, rows, ends = np.random.default_rng(1), rows_of(actions="calls", autoreset_mode=mode), 0
    _, infos = rows.reset(seed=5)
    for _ in range(80):
        calls = [random_call(np.flatnonzero(infos["element_mask"][row]), rng) for row in range(ROWS)]
        observed, _, terminations, truncations, infos = rows.step(calls)
        for row in range(ROWS):
            fresh = PageWriter().write(shown_page(rows.simulation, row))
            assert (observed["html"][row], observed["axtree"][row]) == fresh
        ended = terminations | truncations
        ends += ended.sum()
        if mode == "SameStep" and ended.any():
            assert [final is not None for final in infos["final_obs"]] == ended.tolist()
            for row in np.flatnonzero(ended):
                assert infos["final_obs"][row]["html"].startswith("<main") and observed["last_action_error"][row] == ""
    assert ends > 20


def test_saved_rows_go_on_in_single_environments_and_in_rows_that_have_other_texts():
    rows, others = rows_of(2, tasks="test"), rows_of(2, tasks="invented")
    single = gymnasium.make("GMiniWoB-v0", observation="text")
    _, infos = rows.reset(seed=1)
    others.reset(seed=2)
    others.step([f"fill('{index}', 'taken')" for index in (7, 8)])
    lines = [int(np.flatnonzero(infos["element_mask"][row])[0]) for row in range(2)]
    expected, *_ = rows.step([f"fill('{line}', 'brought along <{line}>')" for line in lines])
    states = rows.save_states()
    observed, _ = others.reset(options={"state": states})
    assert [observed[name] for name in ("instruction", "html", "axtree")] == [
        expected[name] for name in ("instruction", "html", "axtree")
    ]
    assert single.reset(options={"state": states[1]})[0]["html"] == expected["html"][1]


def test_actions_that_are_no_calls_are_refused_and_change_nothing():
    rows = rows_of(2)
    with pytest.raises(ResetNeededError, match=r"step was called before reset in rows \[0, 1\]"):
        rows.step(["noop()"] * 2)
    before, _ = rows.reset(seed=0)
    for actions, message in (
        (["noop()"], r"actions are \['noop\(\)'\], expected a list of 2 calls"),
        ("noop()", "actions are 'noop\\(\\)', expected a list of 2 calls"),
        (["noop()", 7], "action of row 1 is 7, expected a call in writing"),
    ):
        with pytest.raises(InvalidActionError, match=message):
            rows.step(actions)
    assert rows.observe() == before


def test_a_page_that_stays_is_the_same_object():
    rows = rows_of(2, tasks="test/login-1-0")
    before, _ = rows.reset(seed=0)
    after, *_ = rows.step(["noop()", "click('6')"])
    assert after["html"][0] is before["html"][0] and after["axtree"][0] is before["axtree"][0]
    assert after["axtree"][1] != before["axtree"][1]


def test_rows_in_a_browser_show_the_same_texts(running):
    rng, dom = np.random.default_rng(2), rows_of(2, tasks="test")
    browser = rows_of(2, tasks="test", backend="browser", events="script")
    (expected, infos), (observed, _) = dom.reset(seed=4), browser.reset(seed=4)
    for _ in range(8):
        assert observed == expected
        lines = [int(rng.choice(np.flatnonzero(infos["element_mask"][row])[:-2])) for row in range(2)]
        calls = [f"fill('{line}', 'Ada')" if rng.random() < 0.7 else f"hover('{line}')" for line in lines]
        (expected, *_, infos), (observed, *_, others) = dom.step(calls), browser.step(calls)
        assert infos["last_action_error"].tolist() == others["last_action_error"].tolist()
    browser.close()
