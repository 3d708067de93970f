"""check_learner: what every learner holds, in runs of its method."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from procgen_bench.baselines.method_table import Method, get_method
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.testing.policies import check_policy
from procgen_bench.testing.runs import Run, StoppedError, kept
from procgen_bench.testing.states import (
    ConformanceError,
    State,
    check_form,
    check_refusals,
    copied,
    differences,
    differing_arrays,
    listed,
)

#: Rollouts behind a checkpoint after which a run is stopped.
LOST_ROLLOUTS = 2


def check_learner(
    method: str | Method,
    benchmark_id: str,
    settings: Mapping[str, Any] = MappingProxyType({}),
    steps: int = 600,
    seed: int = 0,
) -> None:
    """Check that a method's learners, its teacher and its rows are kept and repeated exactly, in four short runs.

    - Two runs of one seed are the same, bit for bit, whatever the global random generators hold; two of two seeds
      differ.
    - A run that is stopped some rollouts after a checkpoint, and resumed, ends as one that was not: weights, learning
      curve, teacher, what was proposed. Something that a learner or a teacher forgets to keep, as an optimiser's
      moments, a running mean, a generator or a memory, shows here.
    - ``state()`` is of arrays and plain JSON values, and ``restore()`` refuses one that lacks a part.
    - The policy plays the learner's best action with the weights of ``policy_weights()``, which change with training.

    Args:
        method: Name of a method that ``procgen-bench list`` shows, or a method that no table has.
        benchmark_id: What it is trained for; one with short episodes is enough.
        settings: Fields of the method's configuration, where :data:`~procgen_bench.testing.runs.SMALL` is too small
            or too large for it; ``{"teacher": ...}``, say.
        steps: Environment steps of a run.
        seed: Of the runs; the other seed is the one after it.

    Raises:
        ConformanceError: One of these does not hold; its text says which, and where to look.
    """
    known = get_method(method) if isinstance(method, str) else method
    run = Run.small(known, get_benchmark(benchmark_id), steps, settings)
    with tempfile.TemporaryDirectory() as folder:
        _check(run, seed, Path(folder))


def _check(run: Run, seed: int, folder: Path) -> None:
    who = f"method {run.method.name}"
    whole = _Watcher()
    finished = kept(run.train(folder / "whole", seed, noise=1, watch=whole))
    if whole.first is None or whole.newest is None:
        raise ConformanceError(
            f"{who}: in a run of {run.steps} steps no checkpoint of the Trainer's lies {LOST_ROLLOUTS} rollouts back; "
            "give more steps, or smaller rollouts, evaluate_every and checkpoint_every"
        )
    stopped = _Watcher(lambda trainer: _check_players(who, trainer, whole.first_weights))
    run.stopped(folder / "stopped", seed, noise=2, watch=stopped)
    if different := differences(whole.first, stopped.first or ({}, {})):
        raise ConformanceError(
            f"{who}: two runs of seed {seed} differ in {listed(different)}; all that is random has to come from the "
            "generators that a run is given, none of it from global ones"
        )
    resumed = _Restored(who, stopped.newest or whole.first)
    again = kept(run.train(folder / "stopped", seed, noise=3, watch=resumed))
    if different := differences(finished, again):
        raise ConformanceError(
            f"{who}: a run that was stopped and resumed ended differently from one that was not, in "
            f"{listed(different)}; something that it learns or acts by is missing in state()"
        )
    other = _Watcher(_stop)
    run.stopped(folder / "other", seed + 1, noise=4, watch=other)
    alike = [name for name, arrays in stopped.weights.items() if not differing_arrays(arrays, other.weights[name])]
    if alike:
        raise ConformanceError(
            f"{who}: {listed(alike)} learned the same weights from the seeds {seed} and {seed + 1}; its generators "
            "have to come from the run's seed"
        )


class _Watcher:
    """Notes a run's first checkpoint, and stops the run some rollouts behind one, if a check is given.

    Attributes:
        first: What the first checkpoint keeps.
        newest: What the newest one keeps that lies so many rollouts back.
        first_weights: The policy's weights of every player before the first rollout.
        weights: The same before the newest one.
        lost: Rollouts behind the newest checkpoint.
    """

    def __init__(self, check: Callable[[Trainer], None] | None = None):
        self._check, self._checkpointed = check, 0
        self.first: State | None = None
        self.newest: State | None = None
        self.first_weights: dict[str, Arrays] = {}
        self.weights: dict[str, Arrays] = {}
        self.lost = 0

    def __call__(self, trainer: Trainer) -> None:
        """Called before every rollout."""
        self.weights = {player.name: _weights_of(player) for player in _learning(trainer)}
        self.first_weights = self.first_weights or self.weights
        if trainer.checkpointed > self._checkpointed:
            self.lost, self._checkpointed = 0, trainer.checkpointed
            self.first = self.first or kept(trainer.run)
        elif self._checkpointed:
            self.lost += 1
        if self.newest is None and self.lost == LOST_ROLLOUTS:
            self.newest = kept(trainer.run)
            if self._check is not None:
                self._check(trainer)
                raise StoppedError


class _Restored:
    """Holds once that what a run resumes from is what its checkpoint keeps."""

    def __init__(self, who: str, checkpoint: State):
        self._who, self._checkpoint, self._seen = who, checkpoint, False

    def __call__(self, trainer: Trainer) -> None:
        """Called before every rollout."""
        if self._seen:
            return
        self._seen = True
        arrays, values = self._checkpoint
        for player in _learning(trainer):
            assert player.learner is not None
            own, prefix = copied(player.learner.state()), f"player.{player.name}"
            if different := differences((below(arrays, prefix), values[prefix]["learner"]), own):
                raise ConformanceError(
                    f"{self._who}: after restore(), state() of {player.name} differs from what was kept in "
                    f"{listed(different)}; restore() has to take back all that state() gives"
                )


def _stop(trainer: Trainer) -> None:
    """Nothing is checked."""


def _check_players(who: str, trainer: Trainer, first_weights: dict[str, Arrays]) -> None:
    """The checks of learners that are in the middle of their training, and may be ruined."""
    for player in _learning(trainer):
        assert player.learner is not None
        name = f"{who}, {player.name}"
        state = player.learner.state()
        check_form(name, state)
        if not differing_arrays(first_weights[player.name], player.learner.policy_weights()):
            raise ConformanceError(
                f"{name}: after {trainer.steps} steps policy_weights() are the same as before the first update; they "
                "have to be what is learned (if nothing was yet, give more steps, or longer rollouts)"
            )
        if trainer.rows.steps_per_action == 1:  # otherwise learners choose subgoals, and policies what walks there
            check_policy(name, player, trainer.rows)
        check_refusals(name, player.learner.restore, state)


def _learning(trainer: Trainer) -> list[Player]:
    return [player for player in trainer.players if player.learns]


def _weights_of(player: Player) -> Arrays:
    assert player.learner is not None
    return {name: array.copy() for name, array in player.learner.policy_weights().items()}
