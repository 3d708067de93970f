"""Prioritised level replay: new levels are tried, and those with the highest scores are replayed.

Method: Jiang et al. 2021, "Prioritized Level Replay"; PLR-perp: Jiang et al. 2021b, "Replay-Guided Adversarial
Environment Design". Settings: the latter's code for mazes of up to 60 blocks (facebookresearch/dcd,
train_scripts/grid_configs/minigrid/60_blocks_uniform/mg_60b_uni_robust_plr.json); for 25 blocks it sets
``score=max_monte_carlo,temperature=0.1``. There one draw decides for a batch of rows whether they replay, and a level
is played as often as a rollout allows; here every row draws when its episode ends, and one episode scores its level.
The score of an episode that spans several rollouts uses each rollout's critic.

The scores: :mod:`procgen_bench.baselines.curricula.level_scores`. All but the first two are younger than the method.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.curricula.best_returns import BestReturns
from procgen_bench.baselines.curricula.co_learnability import CoLearnability
from procgen_bench.baselines.curricula.design_levels import DesignLevelsConfiguration, level_source
from procgen_bench.baselines.curricula.kept_levels import LevelsInFlight
from procgen_bench.baselines.curricula.ladder import check_solver
from procgen_bench.baselines.curricula.level_buffer import Candidate, RankedLevelBuffer
from procgen_bench.baselines.curricula.level_scores import criticism_of, level_score, negative_advantages, regrets_of
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import CRITICISM, FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, POSITIVE, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.task import Task

if TYPE_CHECKING:
    from procgen_bench.baselines.curricula.transition_model import TransitionModel

#: Share of the buffer that is full before levels are replayed: the published code's.
_FILL_RATIO = 0.5
#: Columns that scores take beside the critic's.
_BESIDE_CRITICISM = {"pace": frozenset({"gradient_norm"}), "traced": frozenset({"steps"})}


@dataclass(frozen=True)
class PLRConfiguration(DesignLevelsConfiguration):
    """The published settings for mazes."""

    score: Literal["value_loss", "max_monte_carlo", "mna", "pace", "traced", "regret"] = option(
        "value_loss",
        "a level's score: value_loss (mean positive advantage), max_monte_carlo, mna (maximised negative advantage), "
        "pace (squared norm of the policy's gradient), traced (value_loss and unforeseen steps), or regret, which "
        "requires a solver",
    )
    buffer_size: int = option(4000, "levels kept at most", COUNT)
    replay_probability: float = option(
        0.5,
        "share of the episodes that replay a kept level, once there are enough; at most the share that is filled",
        SHARE,
    )
    temperature: float = option(0.3, "the lower, the more the best-scored levels are preferred", POSITIVE)
    staleness: float = option(0.3, "share of the replays that goes to the levels that were longest not replayed", SHARE)
    robust: bool = option(
        False, "PLR-perp: new levels are played without a gradient, so that the student learns from replayed ones only"
    )


class PLRTeacher(Teacher):
    """Proposes new levels, and replays kept ones by the rank of their scores and by their staleness.

    Raises:
        ScoreError: When episodes are observed, the student has no critic to score with.
        NoSolverError: Levels are scored by regret, and the environment's tasks have no solver.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(level_source(levels, configuration), rng, configuration)
        self.buffer = RankedLevelBuffer(configuration.buffer_size, configuration.temperature, configuration.staleness)
        self._new = LevelsInFlight()
        self._best: BestReturns | None = None
        self._model: TransitionModel | None = None
        self._co_learnability = CoLearnability()
        if configuration.score == "regret":
            check_solver(levels, "score=regret")
        else:
            self.required_columns = CRITICISM | _BESIDE_CRITICISM.get(configuration.score, frozenset())
        if configuration.score == "mna":
            self.step_score = negative_advantages

    def setup(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:
        """Make what foresees steps, where levels are scored by it."""
        if self.configuration.score == "traced":
            from procgen_bench.baselines.curricula.transition_model import TransitionModel

            self._model = TransitionModel(observation_space, action_space, self.rng)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A kept level for some of the rows, a new one for the others."""
        replays = self._are_replays(len(rows))
        replayed = iter(self._replay(int(replays.sum())))
        new = iter(self._try(self.levels.draw(self.rng, int((~replays).sum()))))
        return [next(replayed if replay else new) for replay in replays.tolist()]

    def observe(self, played: FinishedEpisodes) -> None:
        """Score the levels, and take in the new ones that deserve it."""
        candidates = []
        criticism = self._criticism(played)
        columns = played.level.tolist(), played.return_.tolist(), criticism
        for number, return_, critic in zip(*columns, strict=True):
            task, slot = self._new.land(number), self.buffer.slot(number)
            if task is not None:
                candidates.append(Candidate(number, task, self._score(return_, critic), return_))
            elif slot is not None:
                max_return = max(return_, float(self.buffer.max_returns[slot]))
                self.buffer.rescore(slot, self._score(max_return, critic), max_return)
        self.buffer.offer(candidates)
        if self._model is not None:
            self._co_learnability.credit(self.buffer, dict(zip(played.level.tolist(), criticism, strict=True)))

    def _are_replays(self, count: int) -> np.ndarray:
        """Which of so many episodes replay a level, bool (count,)."""
        filled = len(self.buffer) / self.buffer.capacity
        if filled < _FILL_RATIO:
            return np.zeros(count, bool)
        return self.rng.random(count) < min(filled, self.configuration.replay_probability)

    def _replay(self, count: int) -> list[Proposal]:
        if not count:
            return []
        return [Proposal(*self.buffer.level(slot)) for slot in self.buffer.draw(self.rng, count).tolist()]

    def _try(self, tasks: Sequence[Task]) -> list[Proposal]:
        """Each as a level that was never played."""
        proposals = [Proposal(self.next_number(), task, train=not self.configuration.robust) for task in tasks]
        for proposal in proposals:
            self._new.add(proposal.level, proposal.task)
        return proposals

    def _criticism(self, played: FinishedEpisodes) -> list[float]:
        """What the score takes of the N episodes: from the student's critic, or the regret."""
        if self.configuration.score != "regret":
            found = criticism_of(self.configuration.score, played)
            if self._model is not None:
                assert played.steps is not None  # they are required
                found = found + self._model.errors(played.steps)
            return found.tolist()
        if self._best is None:
            self._best = BestReturns(self.levels, dict(self.row_options))
        tasks = [self._task(number) for number in played.level.tolist()]
        return regrets_of(self._best, tasks, played.return_).tolist()

    def _task(self, number: int) -> Task | None:
        """The task of a level that is new or kept; ``None``: it is neither any more."""
        slot = self.buffer.slot(number)
        return self._new.task(number) if slot is None else self.buffer.level(slot)[1]

    def _score(self, max_return: float, found: float) -> float:
        return level_score(self.configuration.score, max_return, found)

    def learn(self, student: Student) -> dict[str, float]:
        """Nothing is learned; how full the buffer is, and what it holds."""
        count = len(self.buffer)
        mean = float(self.buffer.scores[:count].mean()) if count else 0.0
        return {"buffer_filled": count / self.buffer.capacity, "mean_score": mean}

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the buffer and the new levels that are being played."""
        arrays, values = super().state()
        space = self.levels.task_space
        arrays |= self.buffer.state(space) | self._new.state(space)
        if self._model is not None:
            arrays |= {f"model.{name}": array for name, array in self._model.state().items()}
            arrays |= {f"credit.{name}": array for name, array in self._co_learnability.state().items()}
        return arrays, values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.buffer.restore(self.levels.task_space, arrays)
        self._new.restore(self.levels.task_space, arrays)
        if self._model is not None:
            self._model.restore(below(arrays, "model"))
            self._co_learnability.restore(below(arrays, "credit"))
