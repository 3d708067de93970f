"""PlayerEvaluations: the learning curves of a run's players, and their policies; the trainer's, and other loops'."""

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.curve_scores import evaluate, is_detail
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.task_records import ProposedLevels
from procgen_bench.core.progress import Progress


class EvaluationSettings(Protocol):
    """What is read of a method's configuration."""

    evaluate_every: int
    evaluation_tasks: int | None
    evaluation_episodes: int | None
    stochastic: bool
    keep_policies: bool


class PlayerEvaluations:
    """Evaluates the players of a run that are trained, and writes what comes of it into the run's folder.

    Args:
        run: The run.
        rows: Where they act, which count the steps.
        players: Those that are trained; the first one is the run's student.

    Attributes:
        measures: What was measured of each player since the last evaluation, by its name.
        started: When the run began, on the clock of :func:`time.perf_counter`, breaks left out.
    """

    def __init__(self, run: RunFolder, rows: CurriculumVectorEnv, players: Sequence[Player]):
        self._run, self._rows, self._players = run, rows, players
        self._settings: EvaluationSettings = run.configuration
        self._levels = ProposedLevels(run.path, rows.env.task_space, run.benchmark.trainable_tasks)
        self.measures = {player.name: MeanMeasures() for player in players}
        self.started = time.perf_counter()

    @property
    def are_due(self) -> bool:
        """Whether the steps have passed a multiple of ``evaluate_every`` since the last evaluation."""
        every, last = self._settings.evaluate_every, self._last
        return self._rows.steps // every > last // every

    @property
    def are_complete(self) -> bool:
        """Whether nothing was played since the last evaluation."""
        return self._last == self._rows.steps

    @property
    def _last(self) -> float:
        curve = self._players[0].curve
        return curve[-1]["step"] if curve else -1

    def bar(self) -> Progress:
        """A progress bar over the run's steps."""
        title = f"{self._run.method} {self._run.benchmark.id}"
        return Progress(total=self._run.steps, initial=self._rows.steps, unit="step", desc=title, smoothing=0.05)

    def add(self, bar: Progress) -> None:
        """Add a row to every curve, which the learner is given, and write the policies; the bar shows the scores."""
        run, steps, settings = self._run, self._rows.steps, self._settings
        sizes = settings.evaluation_tasks, settings.evaluation_episodes
        levels: Mapping[str, float] = self._levels.add(steps, self._rows.pop_proposed_tasks())
        # Before the policies: a kill between the two leaves a list of too many tasks, not of too few.
        run.write_training_tasks(self._rows.recorder.fingerprints())
        for player in self._players:
            scores = evaluate(player.current_policy(), run.benchmark, *sizes)
            row = {"step": steps, "seconds": round(time.perf_counter() - self.started, 1), **scores}
            if len(self._players) > 1:
                row["player_step"] = player.steps
            row |= {**self.measures[player.name].take(), **levels}
            if player.learner is not None:
                player.learner.after_evaluation(row)
            player.curve.append(row)
            run.write_curve(player.curve, player.folder(run.path))
            if player is self._players[0]:
                bar.set_postfix({name: f"{row[name]:.3f}" for name in scores if not is_detail(name)})
            levels = {}  # they are the student's
        self.write_policies(settings.keep_policies)

    def write_policies(self, kept: bool = False) -> None:
        """Write the policies as they are; ``kept``: also where those of every evaluation are."""
        run, stochastic = self._run, self._settings.stochastic
        for player in self._players:
            player.write_policy(run.path, run.method, run.benchmark.environment_id, stochastic, self._rows.steps, kept)


class MeanMeasures:
    """Means of measures since they were last taken."""

    def __init__(self):
        self._sums: dict[str, list[float]] = {}

    def add(self, measures: Mapping[str, float]) -> None:
        """Take these into the means."""
        for name, value in measures.items():
            total = self._sums.setdefault(name, [0.0, 0])
            total[0] += value
            total[1] += 1

    def take(self) -> dict[str, float]:
        """The means; what was measured before and has not been since is NaN, so that columns stay."""
        means = {name: total / count if count else float("nan") for name, (total, count) in self._sums.items()}
        self._sums = {name: [0.0, 0] for name in self._sums}
        return means

    def state(self) -> dict[str, list[float]]:
        """From which :meth:`restore` goes on."""
        return self._sums

    def restore(self, sums: dict[str, list[float]]) -> None:
        """Continue from what :meth:`state` returned."""
        self._sums = sums


def summary_of(finished: FinishedEpisodes) -> dict[str, float]:
    """Means over the episodes that were learned from."""
    trained = finished.of(finished.train)
    if not len(trained):
        return {}
    return {
        "training_return": float(trained.return_.mean()),
        "training_success": float(trained.success.mean()),
        "training_length": float(trained.length.mean()),
    }
