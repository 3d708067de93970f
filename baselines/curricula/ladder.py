"""Ladder: levels sorted by the length of their solutions, in rungs; each rung's levels grow from those below.

Ours. Uniform levels often have only short solutions (in GridWorld 99 % have at most 10 steps), so longer ones are grown
by mutation: each from a uniform level where mutation is quick, as in GridWorld's own graded suite, otherwise from the
longest level so far.
"""

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.registrations import solver_of
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace

#: FinishedEpisodes on a rung before its success counts; until then it is taken to be solved half the time.
_FEWEST_EPISODES = 50
#: Mutations between two episodes on a level, and patience in growing one, where mutants are solved in microseconds: by
#: a hundred a third of a GridWorld is another.
_QUICK = (100, 1_000)
#: Where a solution takes Python, or a simulator.
_SLOW = (2, 16)


class NoSolverError(ProcgenBenchError):
    """A teacher requires solutions of an environment's tasks, which have no solver."""

    def __init__(self, teacher: str, environment_id: str):
        super().__init__(
            f"teacher {teacher!r} requires solutions of its levels, and {environment_id} has no solver; "
            "teachers that need none: uniform, plr, robust-plr, accel, learnability, alp-gmm, goal-gan, apt-gen"
        )


def check_solver(levels: LevelSource, teacher: str) -> None:
    """Raise :class:`NoSolverError` where nothing solves the levels."""
    environment_id = levels.benchmark.environment_id
    if type(levels.task_space).solve is TaskSpace.solve and solver_of(environment_id) is None:
        raise NoSolverError(teacher, environment_id)


@dataclass(frozen=True)
class LadderConfiguration:
    """Settings of ours; where a solution takes a simulator, fewer mutations are affordable."""

    width: int = option(2, "solution lengths per rung", COUNT)
    pool: int = option(500, "levels kept per rung", COUNT)
    fewest: int = option(16, "levels that a rung has before it opens", COUNT)
    threshold: float = option(0.6, "success on the uppermost open rung from which on the next one opens", SHARE)
    memory: int = option(200, "episodes over which a rung's success is averaged", COUNT)
    grown: int = option(32, "levels that are grown after every update of the student", AMOUNT)
    patience: int = option(
        0,
        "mutations in a row that do not lengthen a level before it stays as it is; 0: 1,000 where quick, else 16",
        AMOUNT,
    )
    wander: int = option(0, "mutations between two episodes on a level; 0: 100 where they are quick, else 2", AMOUNT)
    ahead: int = option(3, "rungs above the uppermost open one that are grown", AMOUNT)
    floor: float = option(
        0.1, "weight of a rung that is never or always solved, beside one that is solved half the time", SHARE
    )
    fresh_share: float = option(0.1, "share of the proposals that is drawn uniformly", SHARE)


@dataclass
class Rung:
    """Levels whose solutions have certain lengths, and how often the student solves them lately."""

    tasks: list[Task] = field(default_factory=list)
    episodes: int = 0
    success: float = 0.0

    def played(self, success: bool, memory: int) -> None:
        """One more episode, in a mean that forgets what lies ``memory`` episodes back."""
        self.episodes += 1
        self.success += (success - self.success) / min(self.episodes, memory)


class LadderTeacher(Teacher):
    """Proposes levels of the open rungs, most of those that are solved half the time.

    Rung k holds levels whose solutions have ``k * width + 1`` to ``(k + 1) * width`` steps.

    Raises:
        NoSolverError: The task space has no solver.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        check_solver(levels, "ladder")
        space = levels.task_space
        wander, patience = _QUICK if space.searches_quickly else _SLOW
        self._wander, self._patience = configuration.wander or wander, configuration.patience or patience
        self.rungs: dict[int, Rung] = {}
        #: The uppermost open rung; -1: none is open yet.
        self.top = -1
        #: The rungs of levels that are being played, by their numbers.
        self._playing: dict[int, int] = {}

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """Levels of the open rungs for most of the rows, uniform ones for the others, which join their rungs."""
        open_rungs, weights = self.weights()
        graded = self.rng.random(len(rows)) >= (self.configuration.fresh_share if open_rungs else 1)
        fresh = iter(self.levels.draw(self.rng, int((~graded).sum())))
        chosen = iter(())
        if open_rungs:
            chosen = iter(self.rng.choice(open_rungs, int(graded.sum()), p=weights).tolist())
        return [self._pick(next(chosen)) if is_graded else self._fresh(next(fresh)) for is_graded in graded.tolist()]

    def observe(self, played: FinishedEpisodes) -> None:
        """Count successes by rung; open the next one when the uppermost is mastered."""
        for number, success in zip(played.level.tolist(), played.success.tolist()):
            place = self._playing.pop(number, None)
            if place is not None:
                self.rungs[place].played(success, self.configuration.memory)
        self._climb()

    def learn(self, student: Student) -> dict[str, float]:
        """Grow levels up to some rungs above the open ones."""
        if self.rungs:
            space, highest = self.levels.task_space, (self._limit() + 1) * self.configuration.width
            for parent in self._parents():
                level = space.lengthen(parent, self.rng, int(self.rng.integers(1, highest + 1)), self._patience)
                place = self._place(level)
                if place is not None and place <= self._limit():
                    self._keep(level, place)
        self._climb()
        top = self.rungs.get(self.top)
        return {
            "longest_open": float((self.top + 1) * self.configuration.width),
            "success_on_longest": top.success if top else 0.0,
        }

    def weights(self) -> tuple[list[int], np.ndarray]:
        """The open rungs that have levels, and the probability of each."""
        open_rungs = [place for place in sorted(self.rungs) if place <= self.top]
        rungs = [self.rungs[place] for place in open_rungs]
        success = np.array([rung.success if self._is_judged(rung) else 0.5 for rung in rungs])
        weights = self.configuration.floor + 4 * success * (1 - success)
        return open_rungs, weights / weights.sum() if open_rungs else weights

    def mastered(self, rung: Rung) -> bool:
        """Whether the student solves the rung's levels often enough for the next one to open."""
        return self._is_judged(rung) and rung.success >= self.configuration.threshold

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the rungs and their levels."""
        arrays, values = super().state()
        tasks = [task for rung in self.rungs.values() for task in rung.tasks]
        kept = {
            "playing": np.array([*self._playing.items()], np.int64).reshape(-1, 2),
            "rungs": np.array(list(self.rungs), np.int64),
            "sizes": np.array([len(rung.tasks) for rung in self.rungs.values()], np.int64),
            "episodes": np.array([rung.episodes for rung in self.rungs.values()], np.int64),
            "success": np.array([rung.success for rung in self.rungs.values()], np.float64),
        }
        return arrays | kept | level_arrays(self.levels.task_space, tasks, "kept"), values | {"top": self.top}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.top, self.rungs, self._playing = values["top"], {}, dict(arrays["playing"].tolist())
        tasks = iter(levels_of(self.levels.task_space, arrays, "kept"))
        columns = (arrays[name].tolist() for name in ("rungs", "sizes", "episodes", "success"))
        for place, size, episodes, success in zip(*columns, strict=True):
            self.rungs[place] = Rung([*islice(tasks, size)], episodes, success)

    def _is_judged(self, rung: Rung) -> bool:
        return rung.episodes >= min(self.configuration.memory, _FEWEST_EPISODES)

    def _climb(self) -> None:
        """Open the next rung that has levels, if the uppermost open one is mastered; at first the lowest."""
        ready = [place for place, rung in self.rungs.items() if len(rung.tasks) >= self.configuration.fewest]
        above = [place for place in ready if place > self.top]
        if above and (self.top < 0 or self.mastered(self.rungs[self.top])):
            self.top = min(above)

    def _grade(self, task: Task) -> int | None:
        """The rung of a level; ``None``: it was not solved."""
        length = self.levels.task_space.solution_length(task)
        return (length - 1) // self.configuration.width if length else None

    def _place(self, task: Task) -> int | None:
        """The rung of a level that may be proposed."""
        return None if self.levels.benchmark.holds_out(task) else self._grade(task)

    def _keep(self, task: Task, place: int) -> None:
        """Into the rung's pool; when that is full, in place of any of its levels."""
        pool = self.rungs.setdefault(place, Rung()).tasks
        if len(pool) < self.configuration.pool:
            pool.append(task)
        else:
            pool[int(self.rng.integers(len(pool)))] = task

    def _pick(self, place: int) -> Proposal:
        """A level that was never played: where one of the rung's pool arrives by a random walk on the rung.

        Levels that stay the same for long are learned by heart. With few mutations at a time a student solved 88 % of
        what it was trained on, of 48 steps at most, and 4 % of the graded suite's that have more than 30.
        """
        pool, width = self.rungs[place].tasks, self.configuration.width
        slot = int(self.rng.integers(len(pool)))
        task = self.levels.task_space.wander(pool[slot], self.rng, self._wander, place * width + 1, (place + 1) * width)
        if not self.levels.benchmark.holds_out(task):
            pool[slot] = task
        return self._proposed(pool[slot], place)

    def _fresh(self, task: Task) -> Proposal:
        """A uniform level, which joins its rung."""
        place = self._grade(task)
        if place is not None:
            self._keep(task, place)
        return self._proposed(task, place)

    def _proposed(self, task: Task, place: int | None) -> Proposal:
        number = self.next_number()
        if place is not None:
            self._playing[number] = place
        return Proposal(number, task)

    def _limit(self) -> int:
        """The uppermost rung that is grown: some above the open ones, or above the lowest before one is open."""
        return max(self.top, min(self.rungs)) + self.configuration.ahead

    def _parents(self) -> list[Task]:
        """What levels are grown from: uniform ones, or where they would not get far, half of the uppermost rungs, half
        of any that are grown.

        Levels of one descent share the way to the goal, which is then learned by heart: a student of levels grown from
        each other solved 85 % of those of 31 to 40 steps, and 16 % of the graded suite's.
        """
        count = self.configuration.grown
        if self.levels.task_space.searches_quickly:
            return self.levels.draw(self.rng, count)
        grown = [place for place in self.rungs if place <= self._limit()]
        uppermost = [place for place in grown if place >= self.top] or grown
        rungs = [self.rungs[int(self.rng.choice(uppermost if turn % 2 else grown))] for turn in range(count)]
        return [rung.tasks[int(self.rng.integers(len(rung.tasks)))] for rung in rungs]
