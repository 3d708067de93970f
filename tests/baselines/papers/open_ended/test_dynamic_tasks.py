"""Dynamic task generation, on levels whose returns are thrown with known coins: what it keeps, drops and charges."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.player_names import CONTROL
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


def episodes_of(numbers, returns, control=False, **columns):
    """Episodes of one step on the levels of these numbers, with these returns."""
    nothing = np.full(len(returns), np.nan, np.float32)
    played = FinishedEpisodes(
        level=np.array(numbers, np.int64),
        player=np.full(len(returns), int(control), np.int16),
        train=np.full(len(returns), not control),
        return_=np.array(returns, np.float64),
        success=np.array(returns) > 0,
        length=np.ones(len(returns), np.int64),
        start_value=nothing,
        mean_value=nothing,
        value_loss=nothing,
        players=("student", CONTROL),
    )
    return replace(played, **columns)


class Thrower:
    """Student and control policy."""

    def __init__(self):
        self.rng, self.steps_used = np.random.default_rng(0), 0

    def play(self, tasks, numbers, control=False):
        chances = [task.control if control else task.student for task in tasks]
        self.steps_used += len(tasks)
        return episodes_of(numbers, (self.rng.random(len(tasks)) < chances).astype(np.float64), control)

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


class Scripted:
    """A control policy that earns what is given, by level and episode; levels without returns are not played."""

    def __init__(self, returns):
        self.returns = returns

    def evaluate(self, tasks, episodes, player):
        assert player == CONTROL and episodes == 2
        numbers = [number for number, own in enumerate(self.returns) for _ in own]
        return episodes_of(numbers, np.concatenate(self.returns), control=True)


@pytest.mark.parametrize("who", ["the learner", "a co-player"])
def test_a_level_is_judged_by_the_first_seat(who):
    """Worlds have two players, whose goals differ; the second one's is not what the control policy has played.

    The trainer tells a teacher of the first seats alone, unless it observes all; what a co-player does is marked as not
    learned from.
    """
    teacher = make("candidates=2,trials=2,window=2,control_episodes=2,too_easy=0.5", fixed=(0.5, 0.0))
    teacher.learn(Thrower())
    first, second = (one.level for one in teacher.propose(np.arange(4), 0)[::2])

    def hear(levels, returns):
        seats = np.arange(len(returns), dtype=np.int16) % 2
        train = np.ones(len(returns), bool) if who == "the learner" else seats == 0
        played = episodes_of(np.repeat(levels, 2), returns, seat=seats, train=train)
        heard = played.of(played.seat == 0) if who == "the learner" and not teacher.observes_all_seats else played
        teacher.observe(heard)
        return list(teacher._kept)

    # By their second seats, the first is too easy, and the second neither too easy nor too hard.
    assert hear([first, second, first, second], [1, 1, 0, 1, 0, 1, 0, 0]) == [first]
    assert hear([first, first], [0, 1, 0, 0]) == [], "it is too hard now"


def test_levels_that_the_control_policy_has_not_played_to_the_end_are_not_tried():
    """At the end of a run it plays few of them."""
    teacher = make("candidates=4,control_episodes=2,most_control=0.5")
    measures = teacher.learn(Scripted([[0.0, 0.4], [0.4, 0.8], [0.0], []]))
    assert [(level.task, level.control) for level in teacher._stock] == [(teacher.levels.drawn[0], 0.2)]
    assert measures["control_passed"] == 0.5


def test_the_control_policys_returns_go_on_to_count():
    """A level is to be surpassed by more than the margin, and is dropped where chance does too well by now."""
    teacher = make("candidates=3,trials=2,window=2,control_episodes=2,most_control=0.5,margin=0.1,too_easy=0.9")
    teacher.learn(Scripted([[0.0, 0.2], [0.2, 0.4], [0.0, 0.0]]))
    control = {one.level: teacher._tried[one.level].control for one in teacher.propose(np.arange(6), 0)}
    by_control = sorted(control, key=control.get)
    teacher.observe(episodes_of(by_control * 2, [0.25] * 6))
    assert set(teacher._kept) == set(by_control[:2]), "0.25 is more than 0 and 0.1 by the margin, but not than 0.3"
    teacher.rates["most_control"] = 0.05
    teacher.observe(episodes_of(by_control, [0.25] * 3))
    assert set(teacher._kept) == {by_control[0]}


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
