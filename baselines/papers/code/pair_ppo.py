"""PPO over pairs of an element and a field (CoDE's learner): settings, learner and training, for sites."""

import numpy as np
import torch

from procgen_bench.baselines.methods.ppo import Judged, Minibatch, PolicyGradient, shared_rows
from procgen_bench.baselines.methods.ppo_settings import PolicyGradientConfiguration
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.papers.code.site_networks import PairNetwork
from procgen_bench.baselines.papers.code.site_policy import PairPolicy, chosen_pairs, drawn_pairs, pairs_of
from procgen_bench.baselines.parts.distributions import actions_of, uniform_divergence
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.method import Context, RowsOptions, cooling, rng_of, seed_of_player
from procgen_bench.baselines.training.player import Player
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.engine.environment_options import make_environment


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
        super().__init__(network, actions, configuration, rng, device)  # type: ignore[arg-type]

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
        return actions, {"log_probabilities": noted[0], "values": noted[1]}, memory

    @torch.inference_mode()
    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """See :meth:`PolicyGradient.critic_values`."""
        values = torch.zeros(len(memory))
        if len(memory):
            for part in self.network.pairs(self.network.prepare(observations)):
                values[torch.from_numpy(part.rows)] = part.values
        return values.numpy()

    def judged(self, minibatch: Minibatch) -> Judged:
        """See :meth:`.PolicyGradient.judged`."""
        parts, order = [], []
        for part in self.network.pairs(minibatch.prepared):
            pair = pairs_of(minibatch.kept["actions"][torch.from_numpy(part.rows)], part.usable)
            entropies, apart = -(part.logits.exp() * part.logits).sum(dim=1), uniform_divergence(part.logits)
            parts.append((part.logits.gather(1, pair[:, None])[:, 0], entropies, apart, part.values))
            order.append(part.rows)
        back = torch.from_numpy(np.argsort(np.concatenate(order)))
        log_probabilities, entropies, apart, values = (torch.cat(column)[back] for column in zip(*parts))
        return Judged(log_probabilities, entropies, apart, values)


def rows_options(environment_id: str, configuration: PairPPOConfiguration) -> RowsOptions:
    """Rows that show pages with which pairs can be chosen."""
    shown = {"observation": "masked", "mask": configuration.mask}
    return RowsOptions(configuration.num_envs, configuration.rollout_steps, options=shown)


def make_players(context: Context) -> list[Player]:
    """A learner of pairs for each of the teacher's players; each begins with weights of its own."""
    configuration, environment_id = context.configuration, context.benchmark.environment_id
    players, names = [], context.rows.teacher.players
    for name in names:
        own_seed = seed_of_player(name, context.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from_parts("network", own_seed))
            policy, trained = (
                PairPolicy(environment_id, configuration.stochastic, **configuration.sizes) for _ in range(2)
            )
        trained.network.hides = True
        rng, own = rng_of("learner", own_seed), shared_rows(configuration, len(names))
        learner = PairPolicyGradient(trained.network, environment_id, own, rng, configuration.device)
        learner.share_left = cooling(configuration.cooldown, context.rows, context.steps)
        players.append(Player(learner, policy, configuration.sizes, name))
    return players
