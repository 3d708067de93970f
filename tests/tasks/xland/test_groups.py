"""Groups of tasks: what the easiest option speaks of, and how far the player is from what it names."""

import numpy as np
import pytest

from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.groups import KINDS, kind_of, task_groups
from procgen_bench.tasks.xland.ways import player_way


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("hold(me,black cube)", "oneself"),
        ("near(black cube,purple sphere)", "objects"),
        ("~on(black cube,white floor)", "objects"),
        ("see(me,opponent)", "opponent"),
        ("hold(me,black cube) & near(black cube,purple sphere)", "objects"),
        ("see(opponent,black cube) | near(black cube,purple sphere)", "objects"),
        ("see(opponent,black cube) & on(me,white floor) | on(me,brown floor)", "oneself"),
    ],
)
def test_a_goal_is_of_the_kind_of_its_easiest_option(goal, kind):
    assert kind_of(parse_goal(goal)) == kind


def test_every_task_is_in_one_kind_and_one_way():
    tasks = load_suite("small").tasks[::10]
    groups = task_groups(tasks)
    kinds = np.sum([groups[name] for name in groups if name in KINDS], axis=0)
    ways = np.sum([groups[name] for name in groups if name not in KINDS], axis=0)
    assert kinds.tolist() == ways.tolist() == [1] * len(tasks)
    for place in np.flatnonzero(groups["4 to 6 m"]).tolist():
        assert 4 <= player_way(tasks[place].world, tasks[place].game.goals[0]) < 6
    assert task_groups([]) == {}
