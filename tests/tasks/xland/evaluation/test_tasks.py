"""Tasks of the evaluation are valid with their numbers as they are kept."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.evaluation import tasks, worlds
from procgen_bench.tasks.xland.hold_out import no_fresh
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.worlds.things import draw_light


def test_light_from_straight_above_which_rounding_makes_more_than_a_right_angle_is_drawn_again(monkeypatch):
    angles = [np.pi / 2, np.pi / 2]

    def draw(rng):
        light = draw_light(rng)
        return np.array([light[0], angles.pop() if angles else light[1], *light[2:]])

    monkeypatch.setattr(worlds, "draw_light", draw)
    known = load_suite("test").tasks[0]
    new = tasks.task_like(known, np.random.default_rng(0), no_fresh())
    new.validate()
    assert not angles and new.co_players == known.co_players
    angles += [np.pi / 2] * 30
    monkeypatch.setattr(tasks, "is_valid", lambda task: True)
    with pytest.raises(InvalidTaskError, match=r"light\[1\] is 1.571"):
        tasks.task_like(known, np.random.default_rng(0), no_fresh()).validate()
