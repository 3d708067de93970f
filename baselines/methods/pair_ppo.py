"""PPO over pairs of an element and a field (CoDE's learner): settings, learner and training, for sites."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch

from procgen_bench.baselines.methods.ppo import (
    Minibatch,
    PolicyGradient,
    PolicyGradientConfiguration,
    cooling,
    shared_rows,
)
from procgen_bench.baselines.parts.auxiliary_losses import begun
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.site_networks import PairNetwork
from procgen_bench.baselines.parts.site_policy import PairPolicy, chosen_pairs, drawn_pairs, pairs_of
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of, seed_of_player
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, PaperDefaults, option
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.engine.environment_options import make_environment


@dataclass(frozen=True)
class PairPPOConfiguration(PolicyGradientConfiguration):
    """Settings for sites; the paper tells none of the learner's, so they are ours but for the published network."""

    method: ClassVar[str] = "pair-ppo"
    suggested: ClassVar[PaperDefaults] = {"GMiniWoBLiteral-v0": {"values": True}}

    num_envs: int = option(256, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(16, "Steps of every row between updates.", COUNT)
    minibatches: int = option(16, "Minibatches of each epoch, divided among the players if several learn.", COUNT)
    epochs: int = option(2, "Passes over each rollout.", COUNT)
    value_weight: float = option(
        0.1, "Weight of the critic's loss; with 0.5, idle episodes of -14 may ruin what actor and critic share.", AMOUNT
    )
    entropy_weight: float = option(0.03, "Weight of the entropy bonus.", AMOUNT)
    encoder: Literal["window", "bidirectional", "forward"] = option(
        "window",
        "How an element sees the others: by five neighbours, or an LSTM in both directions, or one, as published.",
    )
    values: bool = option(
        False,
        "Whether fields are read with their values, and not by their keys alone, as published; where boxes and options "
        "are used as they are pointed at, nothing else solves them.",
    )
    published_words: bool = option(
        False, "Whether 500 words are distinguished, as in the published network, of which the rarer ones share some."
    )
    mask: Literal["usable", "present"] = option(
        "usable", "Which elements are chosen among: those that do something, or all that are drawn, as published."
    )

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        names = ("encoder", "values", "published_words", "mask")
        return {name: getattr(self, name) for name in names}


class PairPolicyGradient(PolicyGradient):
    """The policy gradient of one softmax over pairs; rows of about one size are computed together.

    Args:
        network: Actor and critic.
        environment_id: What it learns in.
        configuration: The method's settings.
        rng: What actions and minibatches are drawn by.
        device: Where it computes.
    """

    network: PairNetwork  # type: ignore[assignment]

    def __init__(
        self,
        network: PairNetwork,
        environment_id: str,
        configuration: PolicyGradientConfiguration,
        rng: np.random.Generator,
        device: str = "cpu",
    ):
        with make_environment(environment_id) as env:
            actions = actions_of(env.action_space)
        super().__init__(network, actions, configuration, rng, device, compiled=False)  # type: ignore[arg-type]

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Pairs drawn from the softmax, with their ``"log_probabilities"`` and the states' ``"values"``."""
        rows = len(memory)
        noise = torch.as_tensor(self.rng.random((rows, 1), np.float32))
        actions, noted = torch.zeros(rows, 2, dtype=torch.int64), torch.zeros(2, rows)
        for part in self.network.pairs(self.network.prepare(observations)):
            own = torch.from_numpy(part.rows)
            pair = drawn_pairs(part.logits, noise[own])
            actions[own] = chosen_pairs(pair, part.usable)
            noted[0, own], noted[1, own] = part.logits.gather(1, pair[:, None])[:, 0], part.values
        values = self.returns_scale.unnormalised(noted[1])
        return actions, {"log_probabilities": noted[0], "values": values}, memory

    @torch.inference_mode()
    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """See :meth:`PolicyGradient.critic_values`."""
        values = torch.zeros(len(memory))
        if len(memory):
            for part in self.network.pairs(self.network.prepare(observations)):
                values[torch.from_numpy(part.rows)] = part.values
        return self.returns_scale.unnormalised(values).numpy()

    def _evaluated(self, minibatch: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        parts, order = [], []
        for part in self.network.pairs(minibatch.prepared):
            pair = pairs_of(minibatch.kept["actions"][torch.from_numpy(part.rows)], part.usable)
            entropies = -(part.logits.exp() * part.logits).sum(dim=1)
            parts.append((part.logits.gather(1, pair[:, None])[:, 0], entropies, part.values))
            order.append(part.rows)
        back = torch.from_numpy(np.argsort(np.concatenate(order)))
        log_probabilities, entropies, values = (torch.cat(column)[back] for column in zip(*parts))
        return log_probabilities, entropies, values, None  # no auxiliary loss reads it


def prepare_pairs(
    benchmark: Benchmark, configuration: PairPPOConfiguration, seed: int, names: tuple[str, ...]
) -> list[Player]:
    """Players of these names, who learn pairs; each begins with weights of its own."""
    players = []
    for name in names:
        own_seed = seed_of_player(name, seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from_parts("network", own_seed))
            policy, trained = (
                PairPolicy(benchmark.environment_id, configuration.stochastic, **configuration.sizes) for _ in range(2)
            )
        rng = rng_of("learner", own_seed)
        own = shared_rows(configuration, len(names))
        learner = PairPolicyGradient(trained.network, benchmark.environment_id, own, rng, configuration.device)
        players.append(Player(learner, policy, configuration.sizes, name))
    return players


def train(benchmark: Benchmark, configuration: PairPPOConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds.

    Raises:
        InvalidOptionError: The device is another than the processor, which reads the pages.
    """
    if configuration.device != "cpu":
        raise InvalidOptionError(f"device is {configuration.device!r}, expected cpu: pages are read by the processor")
    run, rows = prepare_run(
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.num_envs,
        observation="masked",
        mask=configuration.mask,
    )
    players = prepare_pairs(benchmark, configuration, seed, rows.teacher.players)
    for player in players:
        assert isinstance(player.learner, PolicyGradient)  # all of them learn
        begun(player.learner, run, rows)
        player.learner.share_left = cooling(configuration.cooldown, rows, steps)
    with Trainer(run, players, rows, configuration.rollout_steps) as trainer:
        trainer.advance(steps)
    return run
