"""PLR, ACCEL and SFL over designs: what is drawn and mutated, what they keep, and what is refused."""

import numpy as np
import pytest

from procgen_bench.baselines.curricula.design_levels import DesignLevels, DesignLevelsConfiguration, level_source
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from tests.baselines.curricula.students import LogisticStudent, SecretHoldOut

NAMES = ("plr", "accel", "learnability")
ROWS = np.arange(50)


def source(benchmark="gminiwob/test", **options) -> LevelSource:
    levels = LevelSource(get_benchmark(benchmark), solvable=True)
    return level_source(levels, DesignLevelsConfiguration(**options))


def make(name, options, benchmark="gminiwob/test"):
    levels = LevelSource(get_benchmark(benchmark), solvable=True)
    return get_teacher(name).make(options, levels, np.random.default_rng(0))


def size(task) -> int:
    return task.design.num_active


def student(skill, width=0.5) -> LogisticStudent:
    """One that does not learn, to whom sites are as difficult as they have fields to fill in."""
    return LogisticStudent(size, 0, skill=skill, width=width, rate=0.0)


def test_levels_are_designs_of_so_many_choices_and_pages():
    sites = source(slots=3, pages=2).draw(np.random.default_rng(0), 200)
    gates = {"next_checkout", "submit"}
    numbers = [sum(name not in gates for page in site.design.pages for name in page) for site in sites]
    assert max(numbers) == 3 and {len(site.design.pages) for site in sites} == {1, 2}
    rooms = source("cminigrid/sparse", slots=2).draw(np.random.default_rng(0), 60)
    assert {int(room.subtasks.sum()) for room in rooms} == {0, 1, 2}
    assert max(room.subtasks.sum() for room in source("cminigrid/sparse").draw(np.random.default_rng(0), 60)) > 2


def test_from_the_empty_design_levels_have_next_to_nothing_and_mutants_grow():
    levels, rng = source(slots=12, from_empty=True), np.random.default_rng(0)
    drawn = levels.draw(rng, 100)
    assert {size(one) for one in drawn} == {1} and max(len(one.design.pages) for one in drawn) > 1
    grown = drawn[0]
    for _ in range(60):
        grown = levels.mutate(grown, rng, 5) or grown
    assert size(grown) > 2
    rooms = source("cminigrid/sparse", slots=5, from_empty=True).draw(rng, 5)
    assert not any(room.subtasks.any() for room in rooms)


def test_what_has_nothing_to_do_is_no_level():
    levels, rng = source(slots=1), np.random.default_rng(0)
    (one,) = levels.draw(rng, 1)
    mutants = [levels.mutate(one, rng, 1) for _ in range(60)]
    assert None in mutants and all(size(mutant) == 1 for mutant in mutants if mutant)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_held_out_is_not_proposed(name):
    benchmark = SecretHoldOut("GMiniWoB-v0")
    options = "slots=3," + ("candidates=20,buffer_size=8,mutants=0.5" if name == "learnability" else "buffer_size=20")
    teacher = get_teacher(name).make(options, LevelSource(benchmark, True), np.random.default_rng(0))
    learner = student(skill=2)
    for _ in range(6):
        proposals = teacher.propose(ROWS, 0)
        assert not any(benchmark.holds_out(one.task) for one in proposals)
        teacher.observe(learner.play_proposals(proposals))
        teacher.learn(learner)


def prefer_easy(teacher):
    teacher.learnability = lambda trial: trial.success


@pytest.mark.parametrize("sabotage", [None, prefer_easy])
def test_sfl_keeps_designs_that_are_solved_half_the_time(sabotage):
    teacher = make("learnability", "slots=12,candidates=400,episodes=8,buffer_size=30")
    if sabotage:
        sabotage(teacher)
    teacher.learn(student(skill=5))
    assert (4.5 < np.mean([*map(size, teacher._tasks)]) < 5.5) == (sabotage is None)


def negate_scores(teacher):
    score = teacher._score
    teacher._score = lambda max_return, critic: -score(max_return, critic)


@pytest.mark.parametrize("sabotage", [None, negate_scores])
def test_plr_keeps_the_designs_of_the_greatest_score(sabotage):
    """The value loss is p (1 - p), which is the greatest where as many fields are asked for as the skill is."""
    teacher, learner = make("plr", "slots=12,buffer_size=30,staleness=0"), student(skill=5)
    if sabotage:
        sabotage(teacher)
    for _ in range(16):
        teacher.observe(learner.play_proposals(teacher.propose(ROWS, 0)))
    kept = [size(teacher.buffer.level(slot)[1]) for slot in range(30)]
    assert (set(kept) == {5}) == (sabotage is None)


@pytest.mark.parametrize("children", [1.0, 0.0])
def test_accel_grows_what_it_begins_with(children):
    """From designs of one field to those that the student solves half the time; without children there are none."""
    teacher = make("accel", f"slots=12,from_empty=true,buffer_size=60,edits=3,children={children}")
    learner = student(skill=4)
    for _ in range(20):
        teacher.observe(learner.play_proposals(teacher.propose(ROWS, 0)))
    kept = np.mean([size(teacher.buffer.level(slot)[1]) for slot in range(len(teacher.buffer))])
    assert (kept > 2.5) == (children == 1.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("slots=-1", "slots is -1, expected an integer of at least 0"),
        ("slots=3,pages=0", "pages is 0, expected an integer of at least 1"),
        ("pages=3", "pages is 3, expected slots beside it: it is of designs alone"),
        ("from_empty=true", "from_empty is True, expected slots beside it: it is of designs alone"),
        ("from_empty=maybe", "from_empty is 'maybe', expected true or false"),
    ],
)
def test_bad_options_are_one_line(name, options, message):
    with pytest.raises(TeacherOptionError, match=message) as error:
        make(name, options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_family_does_not_take_is_refused(name):
    for benchmark, options, message in (
        ("gminiwob/test", "slots=41", "slots is 41, expected at most 40 in GMiniWoB-v0"),
        ("gminiwob/test", "slots=4,pages=11", "pages is 11, expected at most 10"),
        ("cminigrid/sparse", "slots=6", "slots is 6, expected at most 5 in CompositionalMiniGridSparse-v0"),
        ("cminigrid/sparse", "slots=4,pages=3", "designs of CompositionalMiniGridSparse-v0 have no pages"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            make(name, options, benchmark)
    with pytest.raises(UnsupportedEnvironmentError, match="a generator of designs does not"):
        make(name, "slots=4", "bit-grid/test")


def test_where_nothing_may_be_proposed_that_is_said():
    levels = source(slots=2)
    assert isinstance(levels, DesignLevels)
    levels.admits = lambda task: False
    with pytest.raises(InvalidOptionError, match=r"none of 1000 designs may be proposed; give more slots"):
        levels.draw(np.random.default_rng(0), 1)
