"""XLand's suites: test, validation, small and hand-authored tasks, and test tasks with their co-players (4.2, 4.3)."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TasksOnDemand, TaskSuite, numbered
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS, TRAINING_CO_PLAYERS, evaluation_teams
from procgen_bench.tasks.xland.drawing import draw_skill_task, draw_small_task
from procgen_bench.tasks.xland.evaluation.mini import MINI_PLACES
from procgen_bench.tasks.xland.evaluation.packing import unpack_task
from procgen_bench.tasks.xland.evaluation.rates import best_returns, reward_rates
from procgen_bench.tasks.xland.evaluation.tasks import task_like
from procgen_bench.tasks.xland.games.templates import SKILLS
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names
from procgen_bench.tasks.xland.hold_out import Taken, no_fresh, no_training
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.variations import any_variation

#: The suites in which every task is another world and another game.
SOURCES = ("test", "validation", "small", "small_validation", "hand_authored")
#: The suites in which test tasks stand once for every team that they are played with.
EVALUATION_SUITES = ("evaluation", "evaluation_mini")


def drawn_suite(name: str, arrays: Arrays) -> TaskSuite[XLandTask]:
    """The packed tasks of ``arrays`` (:mod:`.packing`) by number, whose co-players are for the caller to choose."""
    count = len(arrays["extents"])
    return TaskSuite(name, TasksOnDemand(count, partial(unpack_task, arrays)), numbered(count), reward_rates(name))


def hand_authored_suite(name: str, _: Arrays) -> TaskSuite[XLandTask]:
    """The 42 of :mod:`procgen_bench.tasks.xland.hand_authored`, which name their co-players."""
    names = task_names()
    return TaskSuite(name, TasksOnDemand(len(names), lambda place: hand_authored_task(names[place]).task), names)


def suite_with_teams(name: str, _: Arrays) -> TaskSuite[XLandTask]:
    """The test tasks, each with every team that it is played with; those of ``evaluation_mini`` are some of them.
    Records are those of the test tasks, float64 (tasks,)."""
    arrays = SUITES.read("test")
    tasks = TasksOnDemand(len(arrays["extents"]), partial(unpack_task, arrays))
    places: Iterable[int] = MINI_PLACES if name == "evaluation_mini" else range(len(tasks))
    num_players = arrays["extents"][:, 3].tolist()
    meetings = [(place, team) for place in places for team in evaluation_teams(num_players[place])]

    def build(number: int) -> XLandTask:
        place, team = meetings[number]
        return replace(tasks[place], co_players=team)

    names = tuple("-".join((str(place), *team[:1])) for place, team in meetings)
    of_test = [place for place, _ in meetings]
    records = {rate: values[of_test] for rate, values in reward_rates("test").items()}
    return TaskSuite(name, TasksOnDemand(len(meetings), build), names, records)


def drawn_like(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> XLandTask:
    """A task of no suite, see :func:`~procgen_bench.tasks.xland.evaluation.tasks.task_like`; fresh, or to train on."""
    return task_like(suite.tasks[place], rng, _fresh_or_training(rng))


def _fresh_or_training(rng: np.random.Generator) -> Taken:
    """What either the fresh tasks or those to train on leave out: a draw is wholly of one of the two, and nothing mixed
    is drawn, whose game is fresh and whose world is not."""
    return no_fresh() if rng.random() < 0.5 else no_training()


def small_suite(name: str, arrays: Arrays) -> TaskSuite[XLandTask]:
    """The packed tasks of ``arrays`` (:mod:`.packing`) by number, each with one of the seven co-players of the
    evaluation, who take turns."""
    count = len(arrays["extents"])

    def build(place: int) -> XLandTask:
        return replace(unpack_task(arrays, place), co_players=(TEST_CO_PLAYERS[place % len(TEST_CO_PLAYERS)],))

    return TaskSuite(name, TasksOnDemand(count, build), numbered(count), reward_rates(name))


def validation_co_players(place: int) -> tuple[str, ...]:
    """With whom the task of a place of ``small_validation`` is played: those of training take turns."""
    return (TRAINING_CO_PLAYERS[place % len(TRAINING_CO_PLAYERS)],)


def small_validation_suite(name: str, arrays: Arrays) -> TaskSuite[XLandTask]:
    """The packed tasks of ``arrays`` (:mod:`.packing`) by number, with co-players of training, and the record
    ``best_return`` (float64 (tasks,)): how much the best of some fixed players earns in them."""
    count = len(arrays["extents"])
    tasks = TasksOnDemand(
        count, lambda place: replace(unpack_task(arrays, place), co_players=validation_co_players(place))
    )
    return TaskSuite(name, tasks, numbered(count), {"best_return": best_returns()})


def skills_suite(name: str, arrays: Arrays) -> TaskSuite[XLandTask]:
    """The packed tasks of ``arrays`` (:mod:`.packing`), named ``"hold-17"`` by their skill and number, with a co-player
    who does nothing."""
    count = len(arrays["extents"])
    each = count // len(SKILLS)
    names = tuple(f"{skill}-{number}" for skill in SKILLS for number in range(each))
    tasks = TasksOnDemand(count, lambda place: replace(unpack_task(arrays, place), co_players=("noop",)))
    return TaskSuite(name, tasks, names)


def drawn_small(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> XLandTask:
    """A small task of no suite, fresh or to train on, with the co-player of that place."""
    return replace(draw_small_task(rng, _fresh_or_training(rng)), co_players=suite.tasks[place].co_players)


def drawn_skill(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> XLandTask:
    """A task of the same skill in a world of no suite, fresh or to train on."""
    skill = suite.task_names[place].partition("-")[0]
    return replace(draw_skill_task(rng, skill, _fresh_or_training(rng)), co_players=suite.tasks[place].co_players)


def varied(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> XLandTask:
    """The task in other colours, turned and mirrored: people's worlds and games have no generator."""
    return any_variation(suite.tasks[place], rng)


#: ``python -m procgen_bench.tasks.xland.generate`` writes the files and prints their checksums: what one suite holds is
#: held out of the next.
SUITES = FamilySuites[XLandTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            drawn_suite,
            "cca41f8a0a6c5da1f6bef11128df6f48e75aa28b9591f4b4cd7a6d05a2b4b486",
            draw_like=drawn_like,
        ),
        SuiteDescriptor(
            "validation",
            drawn_suite,
            "fe9a81810e2601a27667a4eab2cef08311fc2c7c057e8c6111277ad6917e8e9b",
            draw_like=drawn_like,
        ),
        SuiteDescriptor(
            "small",
            small_suite,
            "924ad3b5bf425de55da2d494149b759492a070c54980bb3398ee96c0ac8270b7",
            draw_like=drawn_small,
        ),
        SuiteDescriptor(
            "small_validation",
            small_validation_suite,
            "cfa229c43bf39ead634684964b56bc4cf26ece7f8f92454ca4d0780475cdc411",
            draw_like=drawn_small,
        ),
        SuiteDescriptor(
            "skills",
            skills_suite,
            "0180e23a9ceb57f91319579e80f2506a149a5135340d08dd62b70661f3e51382",
            draw_like=drawn_skill,
        ),
        SuiteDescriptor("hand_authored", hand_authored_suite, draw_like=varied, repeats_marks=True),
        *(SuiteDescriptor(name, suite_with_teams, draw_like=drawn_like) for name in EVALUATION_SUITES),
    ),
)
#: Those of the family to learn in the small.
SMALL_SUITES = FamilySuites[XLandTask](
    SUITES.folder, tuple(SUITES[name] for name in ("small", "small_validation", "skills", "hand_authored"))
)


def load_suite(name: str) -> TaskSuite[XLandTask]:
    """The suite ``name``; its tasks are built when they are asked for.

    Tasks of ``test`` (1,678) and ``validation`` (2,900) are named by their place ("0", "1", ...), and their co-players
    are for the caller to choose. The 42 of ``hand_authored`` have names like ``"find_cube"`` and name their co-players;
    what else is known of them is in :mod:`procgen_bench.tasks.xland.hand_authored`.

    ``small`` (200) holds tasks for two players as :data:`~procgen_bench.tasks.xland.drawing.SMALL` says, named by their
    place; they name their co-players. ``small_validation`` (300) holds others, for looking at agents in training:
    their co-players are those of training.

    ``skills`` (350) holds fifty small tasks for each of seven skills, whose goals are one literal
    (:mod:`~procgen_bench.tasks.xland.games.templates`): ``"see-0"`` to ``"clear-49"``.

    ``evaluation`` (11,746) holds every test task with each of the seven co-players of the evaluation
    (:func:`~procgen_bench.tasks.xland.co_players.evaluation_teams`), named ``"17-hunter"``; a task of one player would
    stand there once, as ``"17"``. ``evaluation_mini`` (700) does the same of the 100 test tasks of
    :data:`~procgen_bench.tasks.xland.evaluation.mini.MINI_PLACES`.

    ``small_validation`` has the record ``best_return``
    (:func:`~procgen_bench.tasks.xland.evaluation.rates.best_returns`). Records of the others but ``skills`` and the
    hand-authored: ``noop_rate`` and ``random_rate``
    (:func:`~procgen_bench.tasks.xland.evaluation.rates.reward_rates`; with co-players who do as player 1 does).

    Raises:
        UnknownNameError: There is no such suite.
        CorruptSuiteError: The suite's file does not hold what was published.
    """
    return SUITES.load(name)
