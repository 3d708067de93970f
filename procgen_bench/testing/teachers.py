"""check_teacher: what every teacher holds, before a made-up student."""

from functools import partial
from typing import Any

import numpy as np

from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.teacher_table import TeacherEntry, get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import Task
from procgen_bench.testing.runs import global_generators
from procgen_bench.testing.states import ConformanceError, check_form, check_refusals, copied, differences, listed
from procgen_bench.testing.student import MadeUpStudent

#: Rounds of episodes before and after a teacher is kept, and the rows that play them.
_BEFORE, _AFTER, _ROWS = 4, 3, 12


def check_teacher(
    teacher: str | TeacherEntry,
    benchmark_id: str = "grid-world/graded",
    options: str = "",
    solvable: bool = True,
    draws: bool = True,
) -> None:
    """Check that a teacher proposes what may be proposed, and is kept and repeated exactly, within a second or so.

    - It proposes a level for each row, to players that it declares; its tasks are of the task space, none is held
      out, and one number stands for one task.
    - Two teachers of one seed propose the same to the same student, whatever the global random generators hold; two of
      two seeds propose different levels.
    - One that is restored from ``state()`` continues exactly, whatever it did before.
    - ``state()`` is of arrays and plain JSON values, and ``restore()`` refuses one that lacks a part.

    Args:
        teacher: Name of a teacher that ``procgen-bench list`` shows, ``"module:Class"``, or a teacher that no table
            has.
        benchmark_id: What is trained for.
        options: The teacher's own settings, as of ``--teacher-options``; small ones, under which all that it does
            happens within some dozen episodes.
        solvable: Whether only levels are wanted that may be solvable.
        draws: Whether its levels depend on its seed.

    Raises:
        ConformanceError: One of these does not hold; its text says which.
    """
    entry = get_teacher(teacher) if isinstance(teacher, str) else teacher
    checked = _Checked(entry, options, LevelSource(get_benchmark(benchmark_id), solvable))
    first, student = checked.make(seed=0)
    lesson, waiting = checked.lesson(first, student, _BEFORE, noise=1)
    again = checked.lesson(*checked.make(seed=0), _BEFORE, noise=2)[0]
    if lesson != again:
        raise ConformanceError(
            f"{checked.who}: two of one seed propose different levels from proposal {_first_difference(lesson, again)} "
            "on; all that is random has to come from its rng"
        )
    if draws and lesson == checked.lesson(*checked.make(seed=1), _BEFORE, noise=1)[0]:
        raise ConformanceError(
            f"{checked.who}: the seeds 0 and 1 give the same levels; its levels have to come from its rng (draws=False "
            "if it is to propose the same always)"
        )
    check_form(checked.who, first.state())
    state = copied(first.state())
    lived, elsewhere = checked.make(seed=2)
    checked.lesson(lived, elsewhere, _BEFORE, noise=3)
    fresh, _ = checked.make(seed=3)
    expected = checked.went_on(first, waiting, noise=4)
    for other, what in ((fresh, "a new one"), (lived, "one that has taught before")):
        other.restore(*copied(state))
        if different := differences(state, copied(other.state())):
            raise ConformanceError(
                f"{checked.who}: after restore(), state() of {what} differs from what was kept in {listed(different)}; "
                "restore() has to take back all that state() gives"
            )
        went_on = checked.went_on(other, waiting, noise=5)
        if went_on != expected:
            raise ConformanceError(
                f"{checked.who}: {what} that is restored continues differently from proposal "
                f"{_first_difference(expected, went_on)} on; something that it proposes by is missing in state()"
            )
    check_refusals(checked.who, fresh.restore, first.state())


class _Checked:
    """A teacher that can be made often.

    Args:
        entry: Its entry.
        options: Its settings.
        levels: Where its levels come from.
    """

    def __init__(self, entry: TeacherEntry, options: str, levels: LevelSource):
        self.who = f"teacher {entry.name}"
        self._make, self._levels = partial(entry.make, options, levels), levels

    def make(self, seed: int) -> tuple[Teacher, MadeUpStudent]:
        """A new one, introduced to a student."""
        teacher = self._make(np.random.default_rng(seed))
        student = self._student(teacher, seed=0)
        teacher.setup(student.observation_space, student.action_space)
        return teacher, student

    def lesson(
        self, teacher: Teacher, student: MadeUpStudent, rounds: int, noise: int
    ) -> tuple[list[Any], list[Proposal]]:
        """Rounds of episodes, half of which are still being played when the next begin; what was said, and those."""
        said: list[Any] = []
        waiting: list[Proposal] = []
        tasks: dict[int, str] = {}
        with global_generators(noise):
            for _ in range(rounds):
                proposals = list(teacher.propose(np.arange(_ROWS), student.steps_used))
                self._check(teacher, proposals, tasks)
                said += [_plain(proposal) for proposal in proposals]
                ended, waiting = waiting + proposals[: _ROWS // 2], proposals[_ROWS // 2 :]
                teacher.observe(student.play(ended))
                said.append(repr(sorted(teacher.learn(student).items())))
        return said, waiting

    def went_on(self, teacher: Teacher, waiting: list[Proposal], noise: int) -> list[Any]:
        """What a teacher says further on, when the episodes that were being played have ended; and its state."""
        student = self._student(teacher, seed=5)
        teacher.observe(student.play(waiting))
        return self.lesson(teacher, student, _AFTER, noise)[0]

    def _student(self, teacher: Teacher, seed: int) -> MadeUpStudent:
        return MadeUpStudent(teacher, self._levels.benchmark.environment_id, seed)

    def _check(self, teacher: Teacher, proposals: list[Proposal], tasks: dict[int, str]) -> None:
        """Hold one round's proposals against the contract; ``tasks`` are those of the levels so far."""
        if len(proposals) != _ROWS or not all(isinstance(proposal, Proposal) for proposal in proposals):
            kinds = listed(sorted({type(proposal).__name__ for proposal in proposals}))
            raise ConformanceError(
                f"{self.who}: propose() gives {len(proposals)} {kinds} for {_ROWS} rows, expected a Proposal for each"
            )
        for proposal in proposals:
            task = proposal.task
            self._check_task(task)
            if proposal.player not in teacher.players:
                raise ConformanceError(
                    f"{self.who}: level {proposal.level} is for {proposal.player!r}, expected one of {teacher.players}"
                )
            if tasks.setdefault(proposal.level, task.fingerprint()) != task.fingerprint():
                raise ConformanceError(
                    f"{self.who}: level {proposal.level} is another task than before; take next_number() for a new one"
                )

    def _check_task(self, task: Task) -> None:
        levels = self._levels
        try:
            levels.task_space.encode(task)
        except (ProcgenBenchError, AttributeError, TypeError) as error:
            raise ConformanceError(
                f"{self.who}: {task!r} is no task of {levels.benchmark.environment_id}'s space: {error}"
            ) from error
        if levels.benchmark.holds_out(task):
            raise ConformanceError(
                f"{self.who}: it proposes {task!r}, which {levels.benchmark.id} holds out; draw levels from its "
                "LevelSource, and ask admits() of all others"
            )
        if levels.solvable and not levels.task_space.may_be_solvable(task):
            raise ConformanceError(f"{self.who}: it proposes {task!r}, which cannot be solved; ask admits()")


def _plain(proposal: Proposal) -> tuple[Any, ...]:
    return (
        proposal.level,
        proposal.task.fingerprint(),
        proposal.seed,
        proposal.train,
        proposal.player,
        proposal.co_players,
    )


def _first_difference(one: list[Any], other: list[Any]) -> int:
    return next(place for place, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
