"""Generate XLand's data files from a fixed seed.

``python -m procgen_bench.tasks.xland.generate [FOLDER]``; without a folder, into the package's own. The hand-authored
tasks are files of their own; what they hold is held out of the other suites.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.suite_generation import run_generator
from procgen_bench.core.suites import Arrays
from procgen_bench.tasks.xland.drawing import draw_skill_task, draw_small_task
from procgen_bench.tasks.xland.evaluation.games import evaluation_games
from procgen_bench.tasks.xland.evaluation.packing import pack_games, pack_worlds, quantised, unpack_task
from procgen_bench.tasks.xland.evaluation.tasks import evaluation_task
from procgen_bench.tasks.xland.evaluation.worlds import evaluation_tiles
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.games.templates import SKILLS
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names
from procgen_bench.tasks.xland.hold_out import Taken, is_flat_task, short_hash, simplest_form
from procgen_bench.tasks.xland.pool import pool_arrays
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.suites import SUITES
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.validity import is_valid
from procgen_bench.tasks.xland.worlds.world import World

#: Number of tasks of each suite, and the seed of each.
COUNTS = {"test": 1_678, "validation": 2_900}
SMALL_COUNTS = {"small": 200, "small_validation": 300}
#: Tasks of every skill.
SKILL_COUNT = 50
SEEDS = {"test": 40_701, "validation": 40_702, "small": 40_703, "small_validation": 40_704, "skills": 40_705}


def suite_tasks(name: str, count: int, games: set[int], worlds: set[int]) -> list[XLandTask]:
    """The tasks of a suite in random order, none of whose games and worlds is in the sets of hashes; these grow."""
    rng = np.random.default_rng(SEEDS[name])
    drawn = list(Progress(evaluation_games(rng, count, games), desc=f"{name}: games", total=count))
    tiles = evaluation_tiles(rng)
    places = Progress(rng.permutation(count).tolist(), desc=f"{name}: worlds")
    return [_new_task(rng, drawn[place], tiles, worlds) for place in places]


def small_tasks(name: str, games: set[int], worlds: set[int]) -> Iterator[XLandTask]:
    """The tasks of a small suite, none of whose games and worlds is in the sets of hashes; these grow."""
    rng, taken = np.random.default_rng(SEEDS[name]), Taken(games, worlds)
    for _ in Progress(range(SMALL_COUNTS[name]), desc=name):
        task = _quantised_task(lambda: draw_small_task(rng, taken), taken)
        games.add(short_hash(canonical(task.game)))
        worlds.add(short_hash(canonical_world(task.world)))
        yield task


def skill_tasks(worlds: set[int]) -> Iterator[XLandTask]:
    """The tasks of the suite ``skills``, skill by skill, whose worlds are not in the set of hashes; it grows.

    Their games are few: what is held out of training is the worlds.
    """
    rng, taken = np.random.default_rng(SEEDS["skills"]), Taken((), worlds)
    for skill in Progress(SKILLS, desc="skills"):
        for _ in range(SKILL_COUNT):
            task = _quantised_task(lambda: draw_skill_task(rng, skill, taken), taken)  # noqa: B023 - called at once
            worlds.add(short_hash(canonical_world(task.world)))
            yield task


def generate(folder: Path) -> dict[str, str]:
    """Write the files of the suites, of what is held out and of the pool of games; returns their checksums.

    The pool holds none of what the package's own files hold out.
    """
    authored = [hand_authored_task(name).task for name in task_names()]
    games = {short_hash(canonical(task.game)) for task in authored}
    worlds = {short_hash(canonical_world(task.world)) for task in authored}
    suites = {}
    for name, count in COUNTS.items():
        tasks = suite_tasks(name, count, games, worlds)
        suites[name] = _packed(tasks)
    suites |= {name: _packed(list(small_tasks(name, games, worlds))) for name in SMALL_COUNTS}
    suites["skills"] = _packed(list(skill_tasks(worlds)))
    held_out = [*authored, *(task for name in suites for task in _unpacked(suites[name]))]
    suites["hold_out"] = {"games": _sorted(games), "worlds": _sorted(worlds), "tasks": simplest_forms(held_out)}
    suites["pool"] = pool_arrays()
    return {name: write_suite_file(folder, name, arrays) for name, arrays in suites.items()}


def _new_task(rng: np.random.Generator, game: Game, tiles: Iterator[World], taken: set[int]) -> XLandTask:
    """The game in the next world that is not taken and has room for it; from then on it is taken."""
    task = evaluation_task(rng, game, tiles, lambda world: short_hash(canonical_world(world)) in taken)
    taken.add(short_hash(canonical_world(task.world)))
    return task


def _quantised_task(draw: Callable[[], XLandTask], taken: Taken) -> XLandTask:
    """A drawn task that means something with its numbers as they are kept, too."""
    while True:
        drawn = draw()
        task = XLandTask(quantised(drawn.world), drawn.game)
        is_new = not (met_at_the_start(task.world, task.game).any() or taken.has_world(task.world))
        if is_new and is_valid(task.validate):
            return task


def _packed(tasks: Sequence[XLandTask]) -> dict[str, np.ndarray]:
    return pack_worlds([task.world for task in tasks]) | pack_games([task.game for task in tasks])


def _unpacked(arrays: Arrays) -> Iterator[XLandTask]:
    return (unpack_task(arrays, place) for place in range(len(arrays["extents"])))


def simplest_forms(tasks: Iterable[XLandTask]) -> np.ndarray:
    """The forms of the simplest tasks among those of all suites, uint64 (n,), sorted."""
    simplest = (task for task in tasks if is_flat_task(task.game, task.world))
    return _sorted({simplest_form(task.game, task.world) for task in simplest})


def _sorted(hashes: set[int]) -> np.ndarray:
    return np.array(sorted(hashes), np.uint64)


if __name__ == "__main__":
    run_generator(generate, SUITES.folder)
