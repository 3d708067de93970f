"""ACCEL whose children are tried: which are kept, what is charged, and when kept levels are dropped."""

import numpy as np
import pytest

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.curricula.students import levels_of

LEVELS = levels_of("grid-world/graded", solvable=True)
TRIALS = 20
#: The buffer is half full when levels are first replayed.
SIZE, ROWS = 40, np.arange(20)


def wins(task) -> int:
    """How many of a task's trials succeed."""
    return (0, 1, TRIALS // 2 - 1, TRIALS // 2, TRIALS)[int(task.fingerprint()[:4], 16) % 5]


class Winner:
    """Wins as many of a task's trials as :func:`wins` says, and of its other episodes those that a test gives it."""

    def __init__(self):
        self.tried, self.steps_used = [], 0

    def evaluate(self, tasks, episodes, player="student"):
        self.tried += tasks
        self.steps_used += 10 * episodes * len(tasks)
        success = [number < wins(task) for task in tasks for number in range(episodes)]
        return finished(np.repeat(np.arange(len(tasks)), episodes), success, train=False, value_loss=np.nan)


def finished(numbers, success, train=True, value_loss=0.1) -> FinishedEpisodes:
    count = len(numbers)
    critic = np.full(count, value_loss, np.float32)
    return FinishedEpisodes(
        level=np.array(numbers, np.int64),
        player=np.zeros(count, np.int16),
        train=np.full(count, train),
        return_=np.array(success, np.float64),
        success=np.array(success, np.bool_),
        length=np.full(count, 10),
        start_value=critic,
        mean_value=critic,
        value_loss=critic,
    )


def make(options="", size=SIZE):
    """One that has kept twenty levels, of scores from 0.01 to 0.2."""
    text = f"trials={TRIALS},buffer_size={size},edits=1{options}"
    teacher = get_teacher("accel").make(text, LEVELS, np.random.default_rng(2))
    for score, proposal in enumerate(teacher.propose(ROWS, 0), start=1):
        teacher.observe(finished([proposal.level], [False], train=False, value_loss=score / 100))
    assert len(teacher.buffer) == len(ROWS)
    return teacher


def numbers(teacher) -> list[int]:
    return [teacher.buffer.level(slot)[0] for slot in range(len(teacher.buffer))]


def replay(teacher) -> None:
    """All twenty kept levels are replayed, once each."""
    teacher.observe(finished(numbers(teacher), [True] * len(ROWS)))


def tried(teacher) -> tuple[list, set]:
    """The children of the replayed levels, and which of them were kept."""
    before, student = set(teacher.buffer.tasks), Winner()
    teacher.learn(student)
    assert student.steps_used == 10 * TRIALS * len(student.tried)
    return student.tried, set(teacher.buffer.tasks) - before


def kept_exactly(teacher) -> bool:
    """Whether those and only those children are kept of which one trial at least succeeds, and fewer than half."""
    replay(teacher)
    children, kept = tried(teacher)
    assert {wins(child) for child in children} == {0, 1, 9, 10, 20}
    return kept == {child for child in children if 1 <= wins(child) <= 9}


def test_children_are_kept_that_succeed_sometimes():
    assert kept_exactly(make())


@pytest.mark.parametrize(
    "sabotage",
    [lambda success: True, lambda success: success < 0.5, lambda success: success > 0, lambda success: False],
)
def test_with_another_rule_others_are(sabotage):
    teacher = make()
    teacher.is_worth_it = sabotage
    assert not kept_exactly(teacher)


@pytest.mark.parametrize(("success", "is_kept"), [(0, False), (1, True), (9, True), (10, False), (20, False)])
def test_one_success_is_enough_and_half_are_too_many(success, is_kept):
    assert make().is_worth_it(success / TRIALS) == is_kept


def test_children_are_not_proposed():
    teacher = make()
    replay(teacher)
    proposals = teacher.propose(ROWS, 0)
    assert len(teacher._parents) == len(ROWS)
    assert all(proposal.train == (teacher.buffer.slot(proposal.level) is not None) for proposal in proposals)


def test_a_child_is_tried_once_and_only_if_it_is_new():
    teacher = make()
    replay(teacher)
    kept, child = teacher.buffer.tasks[0], LEVELS.draw(np.random.default_rng(1), 1)[0]
    children = iter([kept, None, *[child] * len(ROWS)])
    teacher._child = lambda parent: next(children)
    assert tried(teacher)[0] == [child]


def test_levels_are_drawn_until_children_were_tried_and_where_none_is_left():
    teacher = make()
    replay(teacher)

    def drawn():
        return sum(teacher.buffer.slot(proposal.level) is None for proposal in teacher.propose(np.arange(200), 0))

    assert 50 < drawn() < 150, "half of the buffer is filled"
    tried(teacher)
    assert drawn() == 0
    for slot in reversed(range(len(teacher.buffer))):
        teacher.buffer.remove(slot)
    assert drawn() == 200


def test_without_children_nothing_is_tried():
    teacher = make(",children=0.0")
    replay(teacher)
    assert tried(teacher) == ([], set())


def test_a_child_is_replayed_as_the_best_level_until_it_has_a_score_of_its_own():
    teacher = make()
    replay(teacher)
    teacher.buffer.rescore(7, 0.5, 1.0)
    kept = tried(teacher)[1]
    scores = dict(zip(teacher.buffer.tasks, teacher.buffer.scores))
    assert kept and {scores[child] for child in kept} == {0.5}


def test_where_there_is_no_room_the_least_likely_level_gives_way_to_a_child():
    teacher = make(",staleness=0.0", size=len(ROWS))
    replay(teacher)
    teacher.buffer.rescore(7, -1.0, 1.0)
    worst = numbers(teacher)[7]
    assert tried(teacher)[1] and len(teacher.buffer) == len(ROWS)
    assert teacher.buffer.slot(worst) is None


@pytest.mark.parametrize("missing", [0, 1])
def test_a_child_is_kept_only_if_all_of_its_trials_are_played(missing):
    teacher, student = make(), Winner()
    child = next(task for task in LEVELS.draw(np.random.default_rng(1), 200) if wins(task) == 1)
    every = student.evaluate
    student.evaluate = lambda tasks, episodes: every(tasks, episodes).of(np.arange(episodes - missing))
    teacher._child = lambda parent: child
    teacher._parents.append(teacher.buffer.tasks[0])
    teacher.learn(student)
    assert (child in teacher.buffer.tasks) == (not missing)


@pytest.mark.parametrize(
    ("success", "is_kept"), [(19 * [False] + [True], True), (20 * [False], False), (10 * [False, True], False)]
)
def test_a_kept_level_is_dropped_by_its_newest_episodes_of_training(success, is_kept):
    teacher = make()
    level, others = numbers(teacher)[3], len(ROWS) - 1
    teacher.observe(finished([level] * TRIALS, [False] * TRIALS, train=False))  # probes say nothing
    teacher.observe(finished([level] * (TRIALS - 1), success[:-1]))
    assert teacher.buffer.slot(level) is not None, "it has not been played often enough"
    teacher.observe(finished([level], success[-1:]))
    assert (teacher.buffer.slot(level) is not None) == is_kept
    assert len(teacher.buffer) == others + is_kept


def test_older_episodes_are_forgotten():
    teacher = make()
    level = numbers(teacher)[0]
    teacher.observe(finished([level] * TRIALS, [True] + [False] * (TRIALS - 1)))
    assert teacher.buffer.slot(level) is not None
    teacher.observe(finished([level], [False]))
    assert teacher.buffer.slot(level) is None


def test_a_dropped_level_has_no_child_and_nothing_of_it_is_remembered():
    teacher = make()
    level = numbers(teacher)[0]
    for _ in range(TRIALS):
        teacher._parents.clear()
        teacher.observe(finished([level], [True]))
    assert not teacher._parents and level not in teacher._successes


def test_levels_that_gave_way_are_not_remembered():
    teacher = make()
    every = numbers(teacher)
    teacher.observe(finished(every, [False] * len(every)))
    teacher.buffer.remove(teacher.buffer.slot(every[5]))
    teacher.observe(finished(every[:1], [False]))
    assert sorted(teacher._successes) == sorted({*every} - {every[5]})


@pytest.mark.parametrize("trials", [1, 2])
def test_trials_that_no_child_passes_are_refused(trials):
    with pytest.raises(TeacherOptionError, match=f"trials is {trials}, expected 0, or at least 3"):
        get_teacher("accel").configured(f"trials={trials}")


def test_levels_that_are_no_children_are_drawn_as_asked():
    levels = levels_of("xland/skills", solvable=True)
    options = f"trials={TRIALS},buffer_size={SIZE},levels=skill:see+sides:5+max_level:0+mutation:1"
    teacher = get_teacher("accel").make(options, levels, np.random.default_rng(2))
    drawn = [proposal.task for proposal in teacher.propose(np.arange(4), 0)]
    assert {task.world.shape for task in drawn} == {(5, 5)}
    assert not any(task.world.levels.any() for task in drawn), "they are open rooms"
    assert all("see" in str(task.game) for task in drawn)
    assert teacher.levels.task_space.draw_options.mutation == 1, "and mutated as asked"
    with pytest.raises(InvalidOptionError, match="levels has 'wall:3', which XLandSmall-v0 does not draw"):
        get_teacher("accel").make("levels=wall:3", levels, np.random.default_rng(2))
