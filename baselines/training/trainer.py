"""Trainer: collects, gives the teacher what came of it, updates, evaluates, and keeps."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Self

import numpy as np
import torch

from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.training.allocator import freed_memory_is_kept
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv, closed_on_error
from procgen_bench.baselines.training.player import Player, PlayersError
from procgen_bench.baselines.training.player_evaluations import PlayerEvaluations, summary_of
from procgen_bench.baselines.training.reporting import TensorBoard, reporting_to
from procgen_bench.baselines.training.rollouts import Collector, RowCollector
from procgen_bench.baselines.training.run_folder import (
    CHECKPOINT_FOLDERS,
    DamagedRunError,
    RunFolder,
    RunFolderError,
)
from procgen_bench.baselines.training.settings_table import show_settings
from procgen_bench.baselines.training.student_handle import StudentHandle
from procgen_bench.core.errors import LearningDivergedError
from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.core.policy import Policy
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts

#: The form of checkpoints; those of another form are refused.
_FORM = 3


_PAUSE: ContextVar[int | None] = ContextVar("pause", default=None)


@contextlib.contextmanager
def paused_at(step: int) -> Iterator[None]:
    """Meanwhile runs stop at the end of the rollout that reaches this step, with a checkpoint and their policies."""
    token = _PAUSE.set(step)
    try:
        yield
    finally:
        _PAUSE.reset(token)


class Trainer:
    """One run of its players under a teacher; continues from the run's checkpoint if there is one.

    ``with Trainer(...) as trainer: trainer.advance(steps)`` closes the rows at the end. A caller above a run, such
    as a population, advances it in pieces and decides in between: the pieces together are the same run, bit for bit.

    Torch's random generator is seeded before every rollout, from the run's seed and step, so that a learner may draw
    from it.

    Args:
        run: Where everything is kept.
        players: Who plays; the first one is the run's student, and learns.
        rows: Where they act, and who teaches them.
        rollout_steps: Actions of every row between updates.
        collector_type: How a player that is alone acts.
        co_players: Frozen policies by name that proposals may use beside the players.

    Attributes:
        checkpointed: Environment steps before the newest checkpoint; 0: there is none.

    Raises:
        PlayersError: The teacher proposes levels to a name that no player has, two players have one name, or the
            first one does not learn.
        LearningDivergedError: From :meth:`advance`: what is learned is no longer of finite numbers.
        RunFolderError: The run's checkpoint is of an older form.
    """

    def __init__(
        self,
        run: RunFolder,
        players: Player | Sequence[Player],
        rows: CurriculumVectorEnv,
        rollout_steps: int,
        collector_type: Callable[..., RowCollector] = Collector,
        co_players: Mapping[str, Policy] | None = None,
    ):
        self.players = [players] if isinstance(players, Player) else list(players)
        check_players(self.players, rows, co_players or {})
        self.run, self.rows = run, rows
        by_name = {player.name: player for player in self.players}
        self._student = StudentHandle(by_name, rows, run)
        self._evaluations = PlayerEvaluations(run, rows, [player for player in self.players if player.learns])
        self.checkpointed = 0
        if len(self.players) > 1 or rows.env.rows_per_task > 1:
            from procgen_bench.baselines.training.players_collector import PlayersCollector

            self._collector: RowCollector = PlayersCollector(rows, self.players, rollout_steps)
        else:
            self._collector = collector_type(rows, self.players[0].learner, rollout_steps)
        # What the rows or the teacher refuse has been refused by now, and nothing is written yet.
        with closed_on_error(rows):
            run.open()
        self._contexts = contextlib.ExitStack()
        self._resumed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._contexts.__exit__(*error)  # type: ignore[arg-type]  # as Python calls it
        finally:
            self.rows.close()

    @property
    def student(self) -> Player:
        """The first player."""
        return self.players[0]

    @property
    def steps(self) -> int:
        """Environment steps so far."""
        return self.rows.steps

    @exits_are_errors
    def advance(self, to_step: int) -> int:
        """Train to the end of the rollout that reaches this step, or to the run's last one.

        Returns:
            Environment steps so far.
        """
        if self.run.finished:
            show_settings(self.run)
            return self.run.steps
        self._resume()
        pause = _PAUSE.get()
        to_step = to_step if pause is None else min(to_step, pause)
        with self._evaluations.bar() as bar, freed_memory_is_kept():
            while self.steps < to_step and self._next_length():
                if self._evaluations.are_due:
                    self._evaluations.add(bar)
                    if self.steps - self.checkpointed >= self.run.configuration.checkpoint_every:
                        self.checkpoint()
                    continue  # rows that were restarted may have others act in them, and a rollout another length
                self._learn_from_one_rollout(self._next_length())
                bar.update(self.steps - bar.n)
            if not self._next_length():
                self._finish(bar)
        if pause is not None and self.checkpointed < self.steps:
            self._evaluations.write_policies()
            self.checkpoint()
        return self.steps

    def checkpoint(self) -> None:
        """Keep all from which the run continues exactly."""
        arrays: Arrays = {f"collector.{name}": array for name, array in self._collector.arrays().items()}
        measures = {name: means.state() for name, means in self._evaluations.measures.items()}
        values: dict[str, Any] = {"form": _FORM, "measures": measures}
        values["seconds"] = time.perf_counter() - self._evaluations.started
        for name, part in self._parts().items():
            own_arrays, values[name] = part.state()
            arrays |= {f"{name}.{key}": np.asarray(array, order="C") for key, array in own_arrays.items()}
        self.run.write_checkpoint(arrays, values)
        self.checkpointed = self.steps
        if not self.rows.can_be_kept:
            self._collector.restart()

    def _next_length(self) -> int:
        """Steps of the next rollout; 0: the run is over."""
        return self._collector.rollout_length_within(self.run.steps - self.steps)

    def _learn_from_one_rollout(self, num_steps: int) -> None:
        seed = seed_from_parts("torch", self.run.seed, self.steps)
        with torch_seeded_from(seed, torch.device(self.run.configuration.device)):
            before = self.steps
            rollout = self._collector.collect(num_steps, self.run.steps - self.steps)
            if self.steps == before:
                raise PlayersError("no learner played in a whole rollout: propose levels to a player that learns")
            finished = self._collector.finished_episodes(rollout)
            teacher = self.rows.teacher
            teacher.observe(finished if teacher.observes_all_seats else finished.of(finished.seat == 0))
            for number, part in self._collector.by_player(rollout).items():
                player = self.players[number]
                assert player.learner is not None  # rollouts are of those who learn
                measures = self._evaluations.measures[player.name]
                measures.add(summary_of(finished if len(self.players) == 1 else finished.by(player.name)))
                learned = player.learner.update(part)
                self._refuse_divergence(player.name, learned)
                measures.add(learned)
            statistics = self.rows.teacher.learn(self._student)  # its probes, too, stay within the run's steps
            measures = self._evaluations.measures[self.student.name]
            measures.add({f"teacher_{name}": value for name, value in statistics.items()})

    def _refuse_divergence(self, player: str, learned: dict[str, float]) -> None:
        whose = "" if len(self.players) == 1 else f" of {player}"
        for name, value in learned.items():
            if not math.isfinite(value):
                raise LearningDivergedError(f"{name}{whose} is {value} after {self.steps:,} steps")

    def _finish(self, bar: Progress) -> None:
        if not self._evaluations.are_complete:
            self._evaluations.add(bar)
        self.checkpoint()
        self.run.finish()

    def _parts(self) -> dict[str, Any]:
        """What a checkpoint consists of, in the order in which it is restored; all have ``state`` and ``restore``."""
        players = {f"player.{player.name}": player for player in self.players}
        return players | {"teacher": self.rows.teacher, "rows": self.rows}

    def _resume(self) -> None:
        """Open the run's reports, and continue from its checkpoint, once."""
        if self._resumed:
            return
        self._resumed = True
        show_settings(self.run)
        self._contexts.enter_context(reporting_to(TensorBoard(self.run.path / "tensorboard")))
        checkpoint = self.run.read_checkpoint()
        if checkpoint is None:
            return
        arrays, values = checkpoint
        if values.get("form") != _FORM:
            raise RunFolderError(
                f"the checkpoint in {self.run.path} is of an older form; train it from the beginning in another --out"
            )
        missing = [name for name in self._parts() if name not in values]
        if missing:
            raise RunFolderError(f"the checkpoint in {self.run.path} lacks {', '.join(missing)}; choose another --out")
        for name, part in self._parts().items():
            with self._restoring(name):
                part.restore(below(arrays, name), values[name])
        with self._restoring("collector"):
            self._collector.restore(below(arrays, "collector"))
        for name, sums in values["measures"].items():
            self._evaluations.measures[name].restore(sums)
        self._evaluations.started = time.perf_counter() - values["seconds"]
        self.checkpointed = self.steps

    @contextlib.contextmanager
    def _restoring(self, name: str):
        """Whatever a part raises over what it is to continue from is one error, which names the part."""
        try:
            yield
        except Exception as error:  # their own learners and teachers are among the parts
            reason = f"{name} cannot continue from it: {type(error).__name__}: {error}"
            raise DamagedRunError(self.run.path / CHECKPOINT_FOLDERS[0], reason, self.run.path) from error


def check_players(players: Sequence[Player], rows: CurriculumVectorEnv, co_players: Mapping[str, Policy]) -> None:
    """Refuse players whom the rows' teacher does not expect, and let the rows know the others.

    Raises:
        PlayersError: Two have one name, the first does not learn, the teacher's are missing, devices or infos differ.
    """
    names = [player.name for player in players]
    if len({*names, *co_players}) < len(names) + len(co_players):
        raise PlayersError(
            f"players and co-players are called {', '.join([*names, *co_players])}, expected a name for each"
        )
    if not players or not players[0].learns:
        raise PlayersError(f"the first player is {names[0] if names else 'missing'}, expected one that learns")
    missing = [name for name in rows.teacher.players if name not in names]
    if missing:
        raise PlayersError(
            f"{type(rows.teacher).__name__} proposes levels to {', '.join(missing)}, and this run has only "
            f"{', '.join(names)}; choose a teacher for these, or a method that trains all"
        )
    unasked = [player.name for player in players if player.learns and player.name not in rows.teacher.players]
    if unasked:
        raise PlayersError(
            f"{type(rows.teacher).__name__} proposes no levels to {', '.join(unasked)}, which would not learn"
        )
    learners = [player.learner for player in players if player.learner is not None]
    required = dict.fromkeys(name for learner in learners for name in learner.required_infos)
    unknown = [name for name in required if name not in rows.env.learner_infos]
    if unknown:
        raise PlayersError(
            f"a learner requires the infos {', '.join(unknown)}, and {rows.environment_id} declares "
            f"{', '.join(rows.env.learner_infos) or 'none'}"
        )
    by_name = {player.name: player for player in players}
    rows.players, rows.learns = tuple(names), np.array([player.learns for player in players])
    rows.required_infos = tuple(required)
    rows.co_players = lambda name: by_name[name].frozen_policy() if name in by_name else co_players.get(name)
