"""EpisodeLearner: PPO on whole episodes whose rewards a labeller decides."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors, rows_of, tensors_of
from procgen_bench.baselines.episodic.actor_critic import GoalActorCritic
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.learning.chance import own_chance
from procgen_bench.baselines.learning.learner import Learner
from procgen_bench.baselines.named_arrays import Arrays, below, network_arrays
from procgen_bench.baselines.networks.convolutions import multiply_in
from procgen_bench.baselines.optimizer_arrays import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.policy_gradient.advantages import generalised_advantages
from procgen_bench.baselines.policy_gradient.loss import policy_gradient_loss
from procgen_bench.baselines.uncorrected_adam import UncorrectedAdam

#: Weight of the critic's loss: stable-baselines3's.
_VALUE_WEIGHT = 0.5


@dataclass(frozen=True)
class Judged:
    """What a learner makes of episodes before it learns from them.

    Attributes:
        labels: The labeller's.
        values: float32 (T, N), the critic's of the states before each step; 0 behind an episode's end.
        advantages: float32 (T, N), generalised ones; likewise.
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
        rng: What actions, minibatches and the labeller's chance are drawn by.
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
        self._judged: Judged | None = None

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions drawn from the distribution, with their ``"log_probabilities"``."""
        outputs, kind = self.network.actor(observations), self.network.actions
        noise = self.rng.random((len(outputs), kind.noise_width), np.float32)
        actions = kind.play(outputs, torch.as_tensor(noise, device=self.device))
        return actions, {"log_probabilities": kind.evaluate(outputs, actions)[0]}, memory

    def judge(self, episodes: Episodes) -> Judged:
        """Label the episodes, and estimate their advantages; once, before the update."""
        with own_chance(self.rng, torch.device("cpu")):
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
        self._judged = Judged(labels, values, advantages)
        return self._judged

    def update(self, rollout: Episodes) -> dict[str, float]:
        """Some epochs of minibatches over the episodes that are included and may be learned from."""
        judged, self._judged = self._judged or self.judge(rollout), None
        labels, settings = judged.labels, self.configuration
        chosen = rollout.played & labels.included & rollout.train
        if not chosen.any():
            return {}
        assert settings.learning_rate_decay is not None and settings.epochs is not None  # the paper's are filled in
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * settings.learning_rate_decay**self.updates
        self.updates += 1
        seen, kept = self._chosen(rollout, judged, chosen)
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
        """Go on from what :meth:`state` returned."""
        self.labeller.restore(below(arrays, "labeller"), values["labeller"])
        self.network.load_state_dict({name: torch.as_tensor(a) for name, a in below(arrays, "network").items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        self.rng.bit_generator.state = values["rng"]
        self.updates = values["updates"]

    def policy_weights(self) -> Arrays:
        """The actor's weights."""
        return network_arrays(self.network.actor)

    def _chosen(self, episodes: Episodes, judged: Judged, chosen: np.ndarray) -> tuple[Tensors, Tensors]:
        """What was seen before the chosen steps, and what was kept of them, by name (n, ...)."""
        advantages = judged.advantages[chosen]
        kept = {
            "actions": episodes.actions[chosen],
            "log_probabilities": episodes.log_probabilities[chosen],
            "advantages": (advantages - advantages.mean()) / (advantages.std() + 1e-8),
            "returns": judged.values[chosen] + advantages,
            "weights": self._weights(chosen),
        }
        return self._seen(episodes, chosen, judged.labels), self._tensors(kept)

    def _weights(self, chosen: np.ndarray) -> np.ndarray:
        """float32 (n,), of the chosen steps bool (T, N): alike within a group of rows, and every group's sum is 1."""
        groups = np.nonzero(chosen)[1] // self.configuration.group_size
        return (1 / np.bincount(groups)[groups]).astype(np.float32)

    def _step(self, seen: Tensors, kept: Tensors) -> dict[str, float]:
        """One gradient step."""
        settings = self.configuration
        assert settings.entropy_weight is not None  # the paper's is filled in
        outputs, values = self.network(seen)
        log_probabilities, entropies = self.network.actions.evaluate(outputs, kept["actions"])
        weights = settings.clip_range, _VALUE_WEIGHT, settings.entropy_weight
        loss, measures = policy_gradient_loss(log_probabilities, entropies, values, kept, *weights)
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
        return rows_of(shown, steps) | self._tensors(_named(anti_goals))

    def _tensors(self, arrays: Arrays) -> Tensors:
        return {name: tensor.to(self.device) for name, tensor in tensors_of(arrays).items()}


def _named(anti_goals: np.ndarray | None) -> Arrays:
    """As the critic is told of them, if it is."""
    return {} if anti_goals is None else {"anti_goal": anti_goals}
