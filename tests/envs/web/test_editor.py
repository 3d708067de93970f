"""Putting sites together."""

import json

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_files import read_task, write_task
from procgen_bench.envs.web.editor import SiteEditor
from procgen_bench.tasks.sites import SiteTaskSpace

EDITOR, SPACE = SiteEditor(), SiteTaskSpace()


def drawn(*pages: tuple[str, ...], **settings: str):
    task = EDITOR.arranged(EDITOR.blank(), pages)
    for name, value in settings.items():
        task = EDITOR.with_setting(task, name, value)
    return task


def test_the_blank_site_asks_for_nothing():
    assert EDITOR.why_unsolvable(EDITOR.blank()) == "no primitive on its pages asks for a value"
    assert EDITOR.note(EDITOR.blank()) == "1 of 25 steps"


def test_values_stay_with_their_fields_when_pages_change():
    task = drawn(("username", "password", "submit"), username="ada")
    task = EDITOR.arranged(task, [["password", "username", "next_login"], ["state", "submit"]])
    task.validate()
    assert EDITOR.pages(task) == (("password", "username", "next_login"), ("state", "submit"))
    assert dict(task.profile)["username"] == "ada" and dict(task.profile)["state"] == "CA"
    assert EDITOR.note(task) == "5 of 25 steps"


def test_settings_are_values_and_the_look():
    task = drawn(("cabin", "username", "submit"), cabin="First", labels="held-out", decoys="after")
    task.validate()
    assert (dict(task.profile)["cabin"], task.variation.labels, task.variation.decoys) == ("First", "held-out", "after")
    values = {setting.name: (setting.value, setting.choices) for setting in EDITOR.settings(task)}
    assert values["cabin"] == ("First", ("Economy", "First")) and values["username"][1] == ()
    for name, value in (("cabin", "Second"), ("theme", "pink"), ("zipcode", "12345")):
        with pytest.raises(InvalidTaskError, match=f"setting {name}"):
            EDITOR.with_setting(task, name, value)


def test_the_preview_is_the_site_also_of_an_unfinished_design():
    html = EDITOR.preview(drawn(("firstname",), ()))
    assert html.count("<main") == 2 and "First Name" in html


@pytest.mark.parametrize("settings", [{}, {"username": "ada", "labels": "familiar", "instruction": "sentences"}])
def test_a_site_is_saved_and_what_json_loads_of_it_is_a_task(tmp_path, settings):
    task = drawn(("navbar", "username", "rememberme", "next_login_page"), ("city", "submit"), **settings)
    write_task(SPACE, task, tmp_path / "site.json")
    assert read_task(SPACE, tmp_path / "site.json") == task
    env = gymnasium.make("GMiniWoB-v0")
    env.reset(seed=0, options={"task": json.loads((tmp_path / "site.json").read_text())})
    assert env.unwrapped.task == task
    for action in SPACE.solve(task):
        *_, terminated, _, info = env.step(action)
    assert terminated and info["success"]


def test_every_arrangement_is_kept_by_its_parameters():
    rng, names = np.random.default_rng(0), [piece.name for piece in EDITOR.pieces]
    kept = 0
    for _ in range(60):
        pages = [[*map(str, rng.permutation(names)[: rng.integers(1, 8)])] for _ in range(rng.integers(1, 4))]
        for page, button in zip(pages, [*["next_login"] * (len(pages) - 1), "submit"]):
            if button not in page and rng.random() < 0.9:
                page.append(button)
        task = EDITOR.arranged(EDITOR.blank(), pages)
        try:
            task.validate()
        except InvalidTaskError:
            assert EDITOR.why_unsolvable(task)
        else:
            kept += 1
            assert SPACE.decode(SPACE.encode(task)) == task
    assert 10 < kept < 60
    full = EDITOR.arranged(EDITOR.blank(), [names])
    assert SPACE.decode(SPACE.encode(full)) == full
