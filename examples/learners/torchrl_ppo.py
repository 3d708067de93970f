"""TorchRL's PPO.

python examples/learners/torchrl_ppo.py BitGrid-v0 --steps 100000

TorchRL names the parts of a Dict of observations by their keys; the network here takes all of them flattened. It resets
environments that end by itself, between steps. TorchRL has no distribution of MultiDiscrete actions, so here is one.
"""

import gymnasium
import torch
from command_line import recipe_parser
from gymnasium import spaces
from tensordict.nn import TensorDictModule
from torch.distributions import Categorical, Independent
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper, SerialEnv
from torchrl.modules import NormalParamExtractor, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

NUM_ENVS, ROLLOUT = 4, 64


class Network(torch.nn.Module):
    """Two layers over all parts of an observation, each (..., *shape), flattened and beside each other."""

    def __init__(self, parts: list[spaces.Space], num_outputs: int, *after: torch.nn.Module):
        super().__init__()
        self.axes = [len(part.shape) for part in parts]
        layers = [torch.nn.LazyLinear(64), torch.nn.Tanh(), torch.nn.Linear(64, num_outputs)]
        self.layers = torch.nn.Sequential(*layers, *after)

    def forward(self, *parts: torch.Tensor) -> torch.Tensor:
        """Outputs (..., num_outputs)."""
        flat = [part.flatten(part.ndim - axes) for part, axes in zip(parts, self.axes)]
        return self.layers(torch.cat([part.float() for part in flat], -1))


class MultiCategorical(Independent):
    """One choice from each of several categories; ``logits`` (..., categories, most) are -inf where there is none."""

    def __init__(self, logits: torch.Tensor):
        super().__init__(Categorical(logits=logits), 1)

    @property
    def deterministic_sample(self) -> torch.Tensor:
        """The likeliest choices."""
        return self.base_dist.logits.argmax(-1)


class Choices(torch.nn.Module):
    """Logits of all categories beside each other as (..., categories, most), padded with -inf."""

    def __init__(self, counts: list[int]):
        super().__init__()
        self.counts = counts

    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        """Split the logits."""
        most, padding = max(self.counts), -torch.inf
        split = logits.split(self.counts, -1)
        return torch.stack(
            [torch.nn.functional.pad(one, (0, most - one.shape[-1]), value=padding) for one in split], -2
        )


def make_actor(keys: list[str], parts: list[spaces.Space], actions: spaces.Space, spec) -> ProbabilisticActor:
    """The policy, by the kind of its actions."""
    match actions:
        case spaces.Discrete():
            network, names = Network(parts, int(actions.n)), ["logits"]
            distribution, settings = Categorical, {}
        case spaces.MultiDiscrete():
            counts = actions.nvec.tolist()
            network, names = Network(parts, sum(counts), Choices(counts)), ["logits"]
            distribution, settings = MultiCategorical, {}
        case spaces.Box():
            network = Network(parts, 2 * actions.shape[0], NormalParamExtractor())
            names, distribution = ["loc", "scale"], TanhNormal
            settings = {"low": torch.as_tensor(actions.low), "high": torch.as_tensor(actions.high)}
    module = TensorDictModule(network, in_keys=keys, out_keys=names)
    return ProbabilisticActor(
        module,
        spec=spec,
        in_keys=names,
        distribution_class=distribution,
        distribution_kwargs=settings,
        return_log_prob=True,
    )


if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()

    def make_row() -> GymWrapper:
        """One environment. Discrete actions are numbers, not one-hot vectors."""
        env = gymnasium.make(arguments.environment, **arguments.options)
        return GymWrapper(env, categorical_action_encoding=True)

    one = gymnasium.make(arguments.environment, **arguments.options)
    observed = one.observation_space
    leaves = dict(observed.spaces) if isinstance(observed, spaces.Dict) else {"observation": observed}
    keys, parts = list(leaves), list(leaves.values())
    rows = SerialEnv(NUM_ENVS, make_row)
    actor = make_actor(keys, parts, one.action_space, rows.action_spec_unbatched)
    critic = ValueOperator(Network(parts, 1), in_keys=keys)
    first = rows.reset()
    actor(first.clone()), critic(first.clone())  # the lazy layers learn their sizes
    loss, advantage = ClipPPOLoss(actor, critic), GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-4)
    steps = 0
    for batch in Collector(rows, actor, frames_per_batch=NUM_ENVS * ROLLOUT, total_frames=arguments.steps):
        for _ in range(4):
            advantage(batch)
            losses = loss(batch.reshape(-1))
            sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimizer.step()
            optimizer.zero_grad()
        steps += batch.numel()
    print(f"trained for {steps:,} steps")
