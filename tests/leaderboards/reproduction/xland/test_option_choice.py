"""Figure 19: what is said of values and rewards, and that the film is of the episode that was played."""

import numpy as np
import pytest

from procgen_bench.leaderboards.reproduction.xland.option_choice import (
    LEAD,
    FilmedEpisode,
    OptionChoice,
    film,
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


def episode(task, first, best, later=None):
    """An episode of 40 steps whose third option is met from ``first`` on, and whose option ``best`` is worth most.

    From a few steps before that on ``later`` is.
    """
    met, options = np.zeros((40, 3), np.bool_), np.zeros((40, 3))
    options[:, best] = 1.0
    values = np.full(40, 1.0)
    if first >= 0:
        met[first:, 2] = True
        values[first:] = 3.0
        if later is not None:
            options[first - LEAD + 1 :, later] = 2.0
    return FilmedEpisode(task, 0, np.zeros((40, 6), np.int64), values, options, met)


def test_options_that_are_foreseen_are_counted(task):
    """Of two episodes that are rewarded late, the option that is met had the greatest value before in one."""
    foreseen, not_foreseen = episode(task, 20, 2), episode(task, 20, 0, later=2)
    never, soon = episode(task, -1, 1), episode(task, 3, 2)
    found = OptionChoice.of([foreseen, not_foreseen, never, soon])
    numbers = [row.ours for row in found.key_numbers()]
    assert found.first_rewards.tolist() == [20, 20, -1, 3] and found.foreseen.tolist() == [True, False]
    assert found.changes.tolist() == [0, 1, 0, 0]
    assert numbers[:3] == ["3 of 4", "0.50 of 2", "2.00"]
    # In the second episode the goal is worth less than its best option from that one's rise to the reward.
    assert found.consistent.tolist() == [1.0, (40 - LEAD + 1) / 40, 1.0, 1.0]
    assert found.filmed is not_foreseen


@pytest.mark.slow
def test_the_film_is_of_the_episode_that_was_played(task):
    found = watch(load_reader("trained"), [task, task])
    shown = found.filmed
    assert shown.values.shape == (300,) and shown.option_values.shape == shown.met.shape == (300, 3)
    assert shown.met.any() and shown.first_reward in found.first_rewards
    frames = film(task, shown.seed, shown.actions[:30], [0, 10, 20])
    again = film(task, shown.seed, shown.actions[:30], [20])
    still = film(task, shown.seed, np.ones_like(shown.actions[:30]), [20])
    assert len(frames) == 3 and np.array_equal(frames[2], again[0]) and not np.array_equal(frames[2], frames[0])
    assert not np.array_equal(frames[2], still[0])
    assert len(found.draw().subfigs) == 2
