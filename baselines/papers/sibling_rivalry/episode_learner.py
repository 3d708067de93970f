"""PPO on whole episodes whose rewards a labeller decides: settings, learner, collector, training."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import EpisodeRows, Episodes, Labeller, Labels
from procgen_bench.baselines.parts.convolutions import multiply_in
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.policy_gradient import generalised_advantages, policy_gradient_loss
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import (
    Tensors,
    UncorrectedAdam,
    optimizer_arrays,
    restore_optimizer,
    rows_of,
    tensors_of,
    torch_seeded_from,
)
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.rollouts import RowCollector, finished_episodes_of

#: Weight of the critic's loss: stable-baselines3's.
_VALUE_WEIGHT = 0.5


@dataclass(frozen=True)
class EpisodeAdvantages:
    """What a learner makes of episodes before it learns from them.

    Attributes:
        labels: The labeller's.
        values: float32 (T, N), the critic's of the states before each step; 0 behind an episode's end.
        advantages: float32 (T, N), generalised ones; 0 behind an episode's end.
    """

    labels: Labels
    values: np.ndarray
    advantages: np.ndarray


class EpisodeLearner(Learner[Episodes]):
    """PPO that learns from one whole episode of every row (appendix F, "Proximal Policy Optimization").

    The number of epochs and of minibatches is fixed; the minibatches' sizes follow the episodes' lengths. Every
    group of episodes weighs as much: in the published source a worker's gradient is the mean over its own steps,
    and those of the workers are averaged, however few of one's steps are learned from.

    Args:
        network: Actor and critic.
        labeller: Decides rewards, inclusion and what the critic sees.
        configuration: The method's settings, of which the paper's are filled in.
        rng: Draws actions, minibatches and the labeller's choices.
    """

    def __init__(
        self,
        network: GoalActorCritic,
        labeller: Labeller,
        configuration: EpisodicConfiguration,
        rng: np.random.Generator,
    ):
        self.device = torch.device(configuration.device)
        self.network, self.labeller = network.to(self.device), labeller
        multiply_in(configuration.precision, self.network)
        self.configuration, self.rng, self.updates = configuration, rng, 0
        self.optimizer = UncorrectedAdam(
            self.network.parameters(), configuration.learning_rate, configuration.adam_epsilon
        )
        assert configuration.entropy_weight is not None  # the paper's is filled in
        self.rates = {"learning_rate": configuration.learning_rate, "entropy_weight": configuration.entropy_weight}
        #: The share of the entropy bonus that is left at present; a run that cools down says.
        self.entropy_left: Callable[[], float] = lambda: 1.0
        self._estimated: EpisodeAdvantages | None = None

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions drawn from the distribution, with their ``"log_probabilities"``."""
        outputs, kind = self.network.actor(observations), self.network.actions
        noise = self.rng.random((len(outputs), kind.noise_width), np.float32)
        actions = kind.play(outputs, torch.as_tensor(noise, device=self.device))
        return actions, {"log_probabilities": kind.evaluate(outputs, actions)[0]}, memory

    def estimate_advantages(self, episodes: Episodes) -> EpisodeAdvantages:
        """Label the episodes, and estimate their advantages; once, before the update."""
        with torch_seeded_from(self.rng, torch.device("cpu")):
            labels = self.labeller.label(episodes)
        values, finals = self._values(episodes, labels), np.zeros(len(episodes.lengths), np.float32)
        if self.configuration.bootstrap:
            ended = self._tensors(episodes.final_observations | _named(labels.anti_goals))
            finals = np.where(episodes.successes, 0, self._values_of(ended))
        advantages = np.empty_like(values)
        generalised_advantages(
            labels.rewards.astype(np.float32),
            values,
            episodes.after(values, finals),
            np.zeros(values.shape, np.bool_),  # what follows a success is worth nothing already
            episodes.last_steps,
            self.configuration.discount,
            self.configuration.gae_lambda,
            advantages,
        )
        self._estimated = EpisodeAdvantages(labels, values, advantages)
        return self._estimated

    def update(self, rollout: Episodes) -> dict[str, float]:
        """Some epochs of minibatches over the episodes that are included and may be learned from."""
        estimated, self._estimated = self._estimated or self.estimate_advantages(rollout), None
        labels, settings = estimated.labels, self.configuration
        chosen = rollout.played & labels.included & rollout.train
        if not chosen.any():
            return {}
        assert settings.learning_rate_decay is not None and settings.epochs is not None  # the paper's are filled in
        for group in self.optimizer.param_groups:
            group["lr"] = self.rates["learning_rate"] * settings.learning_rate_decay**self.updates
        self.updates += 1
        seen, kept = self._chosen(rollout, estimated, chosen)
        size = -(-int(chosen.sum()) // settings.minibatches)
        measures = [
            self._step(rows_of(seen, part), rows_of(kept, part))
            for _ in range(settings.epochs)
            for part in torch.as_tensor(self.rng.permutation(len(kept["returns"])), device=self.device).split(size)
        ]
        self.network.count(seen)
        return labels.measures | {name: float(np.mean([one[name] for one in measures])) for name in measures[0]}

    def values(self, observations: Tensors) -> np.ndarray:
        """The critic's values float32 (N,); NaN where it knows no state without an anti-goal."""
        if self.network.anti_goal:
            return super().values(observations)
        with torch.inference_mode():
            return self.network.values(observations).cpu().numpy()

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The network, the optimiser, the labeller, the generator, and how many updates there were."""
        arrays, values = self.labeller.state()
        arrays = {f"labeller.{name}": array for name, array in arrays.items()}
        arrays |= {f"network.{name}": array for name, array in network_arrays(self.network).items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"labeller": values, "rng": self.rng.bit_generator.state, "updates": self.updates}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.labeller.restore(below(arrays, "labeller"), values["labeller"])
        self.network.load_state_dict({name: torch.as_tensor(a) for name, a in below(arrays, "network").items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        self.rng.bit_generator.state = values["rng"]
        self.updates = values["updates"]

    def policy_weights(self) -> Arrays:
        """The actor's weights."""
        return network_arrays(self.network.actor)

    def _chosen(self, episodes: Episodes, estimated: EpisodeAdvantages, chosen: np.ndarray) -> tuple[Tensors, Tensors]:
        """What was seen before the chosen steps, and what was kept of them, by name (n, ...)."""
        advantages = estimated.advantages[chosen]
        kept = {
            "actions": episodes.actions[chosen],
            "log_probabilities": episodes.log_probabilities[chosen],
            "advantages": (advantages - advantages.mean()) / (advantages.std() + 1e-8),
            "returns": estimated.values[chosen] + advantages,
            "weights": self._weights(chosen),
        }
        return self._seen(episodes, chosen, estimated.labels), self._tensors(kept)

    def _weights(self, chosen: np.ndarray) -> np.ndarray:
        """float32 (n,), of the chosen steps bool (T, N): alike within a group of rows, and every group's sum is 1."""
        groups = np.nonzero(chosen)[1] // self.configuration.group_size
        return (1 / np.bincount(groups)[groups]).astype(np.float32)

    def _step(self, seen: Tensors, kept: Tensors) -> dict[str, float]:
        """One gradient step."""
        outputs, values = self.network(seen)
        log_probabilities, entropies = self.network.actions.evaluate(outputs, kept["actions"])
        entropy_weight = self.rates["entropy_weight"] * self.entropy_left()
        weights = self.configuration.clip_range, _VALUE_WEIGHT, entropy_weight
        loss, measures = policy_gradient_loss(log_probabilities, entropies, values, kept, *weights)
        if self.configuration.recognition:
            recognition, measures["recognised"] = self.network.recognition_loss(seen)
            loss = loss + self.configuration.recognition * recognition
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return measures

    def _values(self, episodes: Episodes, labels: Labels) -> np.ndarray:
        """float32 (T, N); 0 behind an episode's end."""
        played = episodes.played
        values = np.zeros(played.shape, np.float32)
        values[played] = self._values_of(self._seen(episodes, played, labels))
        return values

    @torch.inference_mode()
    def _values_of(self, seen: Tensors) -> np.ndarray:
        """float32 (n,), of what was seen (n, ...)."""
        return self.network.values(seen).cpu().numpy()

    def _seen(self, episodes: Episodes, chosen: np.ndarray, labels: Labels) -> Tensors:
        """What the networks see before the chosen steps bool (T, N), by name (n, ...)."""
        steps = torch.as_tensor(np.flatnonzero(chosen), device=self.device)
        anti_goals = None if labels.anti_goals is None else labels.anti_goals[np.nonzero(chosen)[1]]
        shown = {name: array.to(self.device).flatten(0, 1) for name, array in episodes.observations.items()}
        return self.network.recognised(rows_of(shown, steps)) | self._tensors(_named(anti_goals))

    def _tensors(self, arrays: Arrays) -> Tensors:
        return {name: tensor.to(self.device) for name, tensor in tensors_of(arrays).items()}


def _named(anti_goals: np.ndarray | None) -> Arrays:
    """As the critic observes them, if it does."""
    return {} if anti_goals is None else {"anti_goal": anti_goals}


class EpisodeCollector(RowCollector[Episodes]):
    """Collects episodes; rows whose episode is over rest until the last one is."""

    rows: EpisodeRows
    learner: Any  #: An EpisodeLearner, alone or above a low level that learns along.

    def rollout_length_within(self, steps: int) -> int:
        """All steps of an episode, or none: where episodes might be cut there are none any more."""
        return self.num_steps if steps >= self.num_steps * self.rows.steps_of_next else 0

    def collect(self, num_steps: int | None = None, within: int | None = None) -> Episodes:
        """Play the episodes that have begun to their ends, which :meth:`rollout_length_within` has made sure are within
        what is left, and begin the next ones."""
        rows, space = self.rows, self.rows.env.action_space
        train, active = rows.train.copy(), []
        actions: list[np.ndarray] = []
        rewards: list[np.ndarray] = []
        log_probabilities: list[np.ndarray] = []
        while rows.active.any():
            active.append(rows.active)
            acting = torch.as_tensor(np.flatnonzero(rows.active), device=self.learner.device)
            chosen, noted, _ = self.learner.act(rows_of(self._see(len(actions)), acting), self.memory[acting])
            actions.append(np.zeros(space.shape or (), space.dtype))
            actions[-1][rows.active] = chosen.cpu().numpy()
            log_probabilities.append(np.zeros(rows.num_rows, np.float32))
            log_probabilities[-1][rows.active] = noted["log_probabilities"].cpu().numpy()
            rewards.append(rows.step(actions[-1]).rewards.astype(np.float32))
        played = np.stack(active)
        observations, finals = rows.view.add(
            {name: _without_rest(seen[: len(played)], played) for name, seen in self._seen.items()},
            {name: _single(array) for name, array in rows.observations.items()},
        )
        episodes = Episodes(
            observations=observations,
            actions=np.stack(actions),
            log_probabilities=np.stack(log_probabilities),
            lengths=played.sum(axis=0),
            final_observations=finals,
            successes=rows.env.simulation.successes.copy(),
            train=train,
        )
        self._rewards = np.stack(rewards)
        rows.begin()
        return episodes

    def finished_episodes(self, rollout: Episodes) -> FinishedEpisodes:
        """The episodes that were just collected."""
        estimated = self.learner.estimate_advantages(rollout)
        starts = np.zeros(rollout.played.shape, np.bool_)
        starts[0] = True
        steps = self._steps(rollout) if "steps" in self.rows.teacher.required_columns else None
        scores = self.scores.of(starts, rollout.last_steps, estimated.values, estimated.advantages)
        return finished_episodes_of(self.rows, scores, steps)

    def _steps(self, rollout: Episodes) -> tuple[EpisodeSteps, ...]:
        """What happened in each, in the order of ending."""
        shown = {name: rollout.observed(name) for name in rollout.observations}
        return tuple(
            EpisodeSteps(
                {
                    name: np.concatenate([array[: last + 1, row], rollout.final_observations[name][None, row]])
                    for name, array in shown.items()
                },
                rollout.actions[: last + 1, row],
                self._rewards[: last + 1, row],
            )
            for last, row in np.argwhere(rollout.last_steps)
        )


def _single(array: np.ndarray) -> np.ndarray:
    """A copy, in single precision as rollouts are kept."""
    return array.astype(np.float32 if array.dtype == np.float64 else array.dtype)


def _without_rest(seen: torch.Tensor, played: np.ndarray) -> torch.Tensor:
    seen.flatten(0, 1).index_fill_(0, torch.as_tensor(np.flatnonzero(~played), device=seen.device), 0)
    return seen
