from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.controls import XLandControls
from procgen_bench.envs.xland.frames import FIRST_PERSON, MAP, THIRD_PERSON, VIEWS, draw_view
from tests.envs.xland.scenes import FLAT, player, simulate

CONTROLS = XLandControls()


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        ("", NOOP),
        ("w", (2, 2, 3, 2, 0, 0)),
        ("s d", (0, 4, 3, 2, 0, 0)),
        ("w s a", (1, 0, 3, 2, 0, 0)),
        ("left", (1, 2, 5, 2, 0, 0)),
        ("right up left shift", (1, 2, 0, 4, 0, 0)),
        ("right down a right ctrl", (1, 1, 2, 1, 0, 0)),
        ("space e", (1, 2, 3, 2, 1, 1)),
        ("left mouse right mouse", (1, 2, 3, 2, 1, 1)),
        ("x tab f1", NOOP),
    ],
)
def test_keys_mean_what_they_say(keys, action):
    held = keys
    for name in ("left shift", "right ctrl", "left mouse", "right mouse"):
        held = held.replace(name, name.replace(" ", "_"))
    found = CONTROLS.action(frozenset(key.replace("_", " ") for key in held.split()))
    assert found.tolist() == list(action)


def test_every_choice_of_every_part_has_its_keys():
    """Fast and slow keys hold for all parts of a step; other joint actions take two steps."""
    keys = (("", "w", "s"), ("", "a", "d"), ("", "left", "right"), ("", "up", "down"), ("", "space"), ("", "e"))
    speeds = ("", "left shift", "left ctrl")
    found = {tuple(CONTROLS.action(frozenset({*held})).tolist()) for held in product(*keys, speeds)}
    for part, choices in enumerate(ACTION_CHOICES):
        assert {action[part] for action in found} == set(range(choices))
    assert len(found) > 800


def test_help_names_every_key():
    text = " ".join(CONTROLS.help)
    assert all(
        word in text for word in ("w a s d", "arrows", "shift", "ctrl", "space", "left mouse", "e or right mouse")
    )
    assert abs(CONTROLS.fps - 7.5) < 1e-12


def test_what_is_shown_is_the_players_view_with_a_cross_in_its_middle():
    simulation = simulate(FLAT, player("red", 2.5, 2.5), "purple cube 0.8 m at 2.5 3.5 facing 0.3")
    env = SimpleNamespace(unwrapped=SimpleNamespace(simulation=simulation))
    shown = {view: CONTROLS.draw(env, view) for view in VIEWS}
    assert {picture.shape for picture in shown.values()} == {(480, 640, 3)}
    for view in (THIRD_PERSON, MAP):
        np.testing.assert_array_equal(shown[view], draw_view(simulation, view, (480, 640)))
    changed = (shown[FIRST_PERSON] != draw_view(simulation, FIRST_PERSON, (480, 640))).any(axis=-1)
    rows, columns = np.nonzero(changed)
    assert abs(rows.mean() - 239.5) < 0.01 and abs(columns.mean() - 319.5) < 0.01 and len(rows) < 50
    assert CONTROLS.caption(env)[0] == "you are player 1 (red): on(me,brown floor)"
