"""BesideTargets: any teacher, some of whose proposals are replaced by the benchmark's own tasks.

So APT-Gen's baselines alternate generated tasks and the target, as APT-Gen does (Fang et al. 2021, section 4.2).
"""

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import ProcgenBenchError


class TargetShareError(ProcgenBenchError):
    """The share of targets is none."""


class BesideTargets(Teacher):
    """Proposes targets as often as asked, evenly spread, and a teacher's levels otherwise.

    The teacher observes its own levels only.

    Targets are for the student; the teacher's other players get none.

    Args:
        teacher: Proposes all that are no targets; its levels have numbers of at least 0.
        targets: Proposes the targets.
        share: Share of the proposals that are targets, above 0 and at most 1.

    Raises:
        TargetShareError: ``share`` is not such a number.
    """

    def __init__(self, teacher: Teacher, targets: Teacher, share: float):
        if not 0 < share <= 1:
            raise TargetShareError(f"target_share is {share}, expected a number from 0 to 1, e.g. 0.5")
        super().__init__(teacher.levels, teacher.rng, teacher.configuration)
        self.required_columns, self.players = teacher.required_columns, teacher.players
        self.observes_all_seats, self.step_score = teacher.observes_all_seats, teacher.step_score
        self._teacher, self._targets, self._share = teacher, targets, share
        self._due = 0.0

    @property
    def unwrapped(self) -> Teacher:
        """The teacher beside the targets."""
        return self._teacher.unwrapped

    def setup(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:
        """Introduce the teacher."""
        self._teacher.row_options = self.row_options
        self._teacher.setup(observation_space, action_space)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """Targets, whose levels have numbers below 0, between the teacher's proposals for ``rows`` (int64 (n,))."""
        due = self._due + self._share * np.arange(1, len(rows) + 1)
        is_target = np.diff(np.floor(due), prepend=np.floor(self._due)) > 0
        self._due = float(due[-1] % 1) if len(due) else self._due
        others = iter(self._teacher.propose(rows[~is_target], step))
        targets = iter(self._targets.propose(rows[is_target], step))
        return [_numbered_below_zero(next(targets)) if chosen else next(others) for chosen in is_target]

    def observe(self, played: FinishedEpisodes) -> None:
        """Pass the episodes on the teacher's own levels to it."""
        self._teacher.observe(played.of(played.level >= 0))

    def learn(self, student: Student) -> dict[str, float]:
        """As the teacher."""
        return self._teacher.learn(student)

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """Of both, and which of them is next."""
        arrays, values = self._teacher.state()
        target_arrays, target_values = self._targets.state()
        every = {f"teacher.{name}": array for name, array in arrays.items()}
        every |= {f"targets.{name}": array for name, array in target_arrays.items()}
        return every, {"teacher": values, "targets": target_values, "due": self._due}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        self._teacher.restore(below(arrays, "teacher"), values["teacher"])
        self._targets.restore(below(arrays, "targets"), values["targets"])
        self._due = values["due"]


def _numbered_below_zero(target: Proposal) -> Proposal:
    return Proposal(-1 - target.level, target.task)
