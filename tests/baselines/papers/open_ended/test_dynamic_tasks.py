"""Dynamic task generation, on levels whose returns are thrown with known coins: what it keeps, drops and charges."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.training.contracts import CONTROL, FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from procgen_bench.core.task import Task

#: Of the conditions, so that all three refuse some levels.
CONDITIONS = "most_control=0.3,too_easy=0.5,most_too_easy=0.8,least_above=0.2"


@dataclass(frozen=True)
class Coin(Task):
    """A level, and the chances of the student's and of the control policy's return to be 1, and not 0."""

    number: int
    student: float
    control: float


class CoinLevels:
    """Coins whose chances are drawn; ``fixed`` sets them."""

    benchmark = SimpleNamespace(maximum=1.0)

    def __init__(self, fixed=None):
        self.fixed, self.drawn = fixed, []

    def draw_plain(self, rng, count):
        coins = [Coin(len(self.drawn) + i, *(self.fixed or (rng.random(), rng.random() / 2))) for i in range(count)]
        self.drawn += coins
        return coins


class Thrower:
    """Student and control policy."""

    def __init__(self):
        self.rng, self.steps_used = np.random.default_rng(0), 0

    def play(self, tasks, numbers, control=False):
        chances = [task.control if control else task.student for task in tasks]
        returns = (self.rng.random(len(tasks)) < chances).astype(np.float64)
        self.steps_used += len(tasks)
        nothing = np.full(len(tasks), np.nan, np.float32)
        return FinishedEpisodes(
            level=np.array(numbers, np.int64),
            player=np.full(len(tasks), int(control), np.int16),
            train=np.full(len(tasks), not control),
            return_=returns,
            success=returns > 0,
            length=np.ones(len(tasks), np.int64),
            start_value=nothing,
            mean_value=nothing,
            value_loss=nothing,
            players=("student", CONTROL),
        )

    def play_proposals(self, proposals):
        return self.play([one.task for one in proposals], [one.level for one in proposals])

    def evaluate(self, tasks, episodes, player):
        assert player == CONTROL
        numbers = np.repeat(np.arange(len(tasks)), episodes)
        return self.play([tasks[number] for number in numbers], numbers, control=True)


def make(options, fixed=None):
    entry = get_teacher("dynamic-tasks")
    return entry.make(options, CoinLevels(fixed), np.random.default_rng(0))


def lessons(teacher, thrower, rounds, rows=40):
    """All that was ever kept."""
    kept = set()
    for _ in range(rounds):
        teacher.observe(thrower.play_proposals(teacher.propose(np.arange(rows), 0)))
        kept.update(level.task for level in teacher._kept.values())
        teacher.learn(thrower)
    return kept


def agreement(sabotage=None):
    """Precision and recall of what is kept at some time, against the exact conditions."""
    teacher = make(f"{CONDITIONS},trials=40,window=40,control_episodes=40,candidates=40,lives=1000,fresh_share=1.0")
    if sabotage is not None:
        teacher.is_worth_it = sabotage
    kept = lessons(teacher, Thrower(), 300)
    exact = {task for task in teacher.levels.drawn if 0.2 < task.student < 0.8 and task.control < 0.3}
    waiting = {level.task for level in [*teacher._stock, *teacher._tried.values()]}
    return len(kept & exact) / len(kept), len(kept & exact) / len(exact - waiting)


def test_what_is_kept_is_what_the_exact_conditions_keep():
    precision, recall = agreement()
    assert precision > 0.75 and recall > 0.65


@pytest.mark.parametrize("least", [0.0, 0.2])
def test_without_one_of_the_conditions_on_returns_it_is_not(least):
    """Too easy ones are kept, or too hard ones."""

    def sabotaged(returns, control):
        share = np.mean(np.array(returns) > 0.5)
        return bool(share > 0.2 if least else share < 0.8)

    assert agreement(sabotaged)[0] < 0.75


def test_the_control_policy_plays_each_level_once_and_is_charged():
    teacher, thrower = make("candidates=10,control_episodes=3,most_control=0.0"), Thrower()
    for number in range(1, 4):
        teacher.learn(thrower)
        assert thrower.steps_used == 30 * number and not teacher._stock, "nothing is below 0"


def test_levels_that_chance_solves_are_not_tried():
    teacher, thrower = make(f"{CONDITIONS},control_episodes=20,candidates=200"), Thrower()
    teacher.learn(thrower)
    passed = {level.task for level in teacher._stock}
    assert np.mean([task.control < 0.3 for task in passed]) > 0.85
    assert np.mean([task in passed for task in teacher.levels.drawn if task.control < 0.25]) > 0.85


def test_levels_are_dropped_when_they_have_been_played_often():
    teacher = make("candidates=20,trials=2,window=2,lives=5,fresh_share=0.3", fixed=(0.5, 0.0))
    lessons(teacher, Thrower(), 40)
    assert teacher._kept and all(level.episodes < 5 for level in teacher._kept.values())


def test_levels_are_dropped_when_they_have_become_easy():
    options = "candidates=20,trials=2,window=3,lives=1000,fresh_share=0.0"
    teacher, thrower = make(options, fixed=(0.6, 0.0)), Thrower()
    lessons(teacher, thrower, 4)
    before = set(teacher._kept)
    thrower.rng = SimpleNamespace(random=np.zeros)
    for _ in range(3):
        every = [*before & set(teacher._kept)]
        teacher.observe(thrower.play([teacher._kept[number].task for number in every], every))
    assert before and not before & set(teacher._kept)


def test_a_kept_level_is_proposed_as_often_as_asked():
    teacher, thrower = make("candidates=60,trials=2,lives=1000,fresh_share=0.25", fixed=(0.5, 0.0)), Thrower()
    lessons(teacher, thrower, 20)
    kept = set(teacher._kept)
    shares = [np.mean([one.level in kept for one in teacher.propose(np.arange(100), 0)]) for _ in range(20)]
    assert np.mean(shares) == pytest.approx(0.75, abs=0.04)


def test_thresholds_out_of_range_are_refused():
    with pytest.raises(TeacherOptionError, match=r"most_control is 7\.5"):
        make("most_control=7.5")
