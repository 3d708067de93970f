"""Figure 19: what is said of values and rewards, and that the film is of the episode that was played."""

import numpy as np
import pytest

from procgen_bench.leaderboards.reproduction.xland.option_choice import (
    LEAD,
    OptionChoice,
    film,
    first_rewards,
    watch,
)
from procgen_bench.leaderboards.reproduction.xland.reading import load_reader
from procgen_bench.tasks.xland.task import XLandTask

WORLD = """
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 1. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
floors 0 brown 1 olive
black cube 0.8 m at 3.5 1.5
yellow sphere 0.8 m at 0.5 0.5
blue player at 2.5 3.5 facing 1.5
red player at 4.5 4.5
"""
GOAL = "near(black cube,me) | hold(me,yellow sphere) | on(me,olive floor)"


@pytest.fixture(scope="module")
def task():
    return XLandTask.from_text(f"{GOAL}\n{GOAL}\n{WORLD}")


def test_the_first_rewards_of_episodes():
    met = np.zeros((3, 9, 2), np.bool_)
    met[0, 4:, 1] = met[0, 6:, 0] = met[2, 0, 0] = True
    assert first_rewards(met).tolist() == [4, -1, 0]


def test_options_that_are_foreseen_are_counted(task):
    """Of two episodes that are rewarded, the option that is met had the greatest value before in one."""
    met, options = np.zeros((3, 40, 3), np.bool_), np.zeros((3, 40, 3))
    met[:2, 20:, 2] = True
    options[0, :, 2], options[1, :, 0], options[2, :, 1] = 1.0, 1.0, 1.0
    options[1, 20 - LEAD + 1 :, 2] = 2.0  # too late
    values = np.full((3, 40), 1.0)
    values[:2, 20:] = 3.0
    values[2] = 0.5  # less than its best option
    found = OptionChoice([task] * 3, [0, 1, 2], values, options, met, 0, np.zeros((40, 6), np.int64))
    numbers = [row.ours for row in found.key_numbers()]
    assert numbers[:3] == ["2 of 3", "0.50 of 2", "2.00"]
    below = 40 + (20 - (20 - LEAD + 1))  # the last episode, and the second from its change to its reward
    assert numbers[3] == f"{1 - below / 120:.2f}"


@pytest.mark.slow
def test_the_film_is_of_the_episode_that_was_played(task):
    found = watch(load_reader("trained"), [task, task])
    assert found.values.shape == (2, 300) and found.option_values.shape == found.met.shape == (2, 300, 3)
    assert found.met.any()
    frames = film(task, found.seeds[found.filmed], found.actions[:30], [0, 10, 20])
    again = film(task, found.seeds[found.filmed], found.actions[:30], [20])
    still = film(task, found.seeds[found.filmed], np.ones_like(found.actions[:30]), [20])
    assert len(frames) == 3 and np.array_equal(frames[2], again[0]) and not np.array_equal(frames[2], frames[0])
    assert not np.array_equal(frames[2], still[0])
    assert len(found.draw().subfigs) == 2
