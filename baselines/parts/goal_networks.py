"""Networks of goal-conditioned policies: encoders by observation, actor and critic."""

from collections.abc import Sequence

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.block_encoders import BlocksEncoder, RecognisedPoseEncoder, TurnedBlocksEncoder
from procgen_bench.baselines.parts.convolutions import Convolutions
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.tensors import NEVER, Encoder, Tensors, array_leaves
from procgen_bench.tasks.bit_grid.task import MOVES

HIDDEN = 128
#: Least side of the arrays of bits that two convolutions without padding leave something of.
_LEAST_SIDE = 5


def goal_encoder(
    observation_space: spaces.Space,
    anti_goal: bool,
    beside: Encoder | None = None,
    width: int = HIDDEN,
    recognises: bool = False,
) -> Encoder:
    """A network from observations to ``encoder.features`` features.

    Its input is a dict of tensors (n, ...): those of the environment and, with ``anti_goal``, one of that name, which
    is shaped as the ``desired_goal``. Goals that are vectors are read by :class:`VectorEncoder`, goals that are arrays
    of bits by :class:`BitsEncoder`, goals that are cuboids of blocks by :class:`BlocksEncoder` beside a
    picture, and by :class:`.TurnedBlocksEncoder` beside a pose; goals without bounds,
    and what is shown instead of an ``observation``, which tells of the goal, by :class:`PartsEncoder`.

    Args:
        observation_space: A goal environment's.
        anti_goal: Whether there is an anti-goal.
        beside: For a critic: the encoder of the actor, with which it shares what the paper's critic shares.
        width: Of vectors' layers.
        recognises: Whether a picture beside blocks is read as the agent's pose; see :class:`.RecognisedPoseEncoder`.

    Raises:
        ValueError: There is no network for goals of this shape.
    """
    shown = array_leaves(observation_space)
    relative = "observation" not in shown  # the goal is observed from where the agent is
    if relative:
        leaves = {name: leaf for name, leaf in shown.items() if name not in ("achieved_goal", "desired_goal")}
    else:
        leaves = {"observation": shown["observation"], "desired_goal": shown["desired_goal"]}
    if anti_goal:
        leaves["anti_goal"] = shown["desired_goal"]
    if relative or not shown["desired_goal"].is_bounded():
        return PartsEncoder(leaves)
    goal_space = shown["desired_goal"]
    match len(goal_space.shape):
        case 1:
            return VectorEncoder(leaves, width)
        case 2:
            return BitsEncoder(leaves, pool_by_mean=beside is not None)
        case 3:
            cuboids = {"achieved_goal": goal_space} | {name: leaf for name, leaf in leaves.items() if "goal" in name}
            if len(leaves["observation"].shape) == 1:
                return TurnedBlocksEncoder(leaves["observation"], cuboids, width)
            if recognises:
                reader = beside.reader if isinstance(beside, RecognisedPoseEncoder) else None
                return RecognisedPoseEncoder(leaves["observation"], cuboids, width, reader)
            picture = beside.picture if isinstance(beside, BlocksEncoder) else None
            return BlocksEncoder(leaves["observation"], cuboids, picture)
    raise ValueError(f"there is no network for goals of shape {goal_space.shape}")


class VectorEncoder(Encoder):
    """Vectors, as they are, through three dense layers of 128, or another width, with ReLU.

    Nothing is scaled, as in the published source: with coordinates scaled to [-1, 1] the network is so smooth that
    neighbouring cells of a maze are hard to tell apart.
    """

    def __init__(self, leaves: dict[str, spaces.Box], width: int = HIDDEN):
        super().__init__()
        self.names, self.features = tuple(leaves), width
        inputs = sum(leaf.shape[0] for leaf in leaves.values())
        self.layers = nn.Sequential(*_dense(inputs, width), *_dense(width, width), *_dense(width, width))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of float32 (n, k) -> float32 (n, width)."""
        return self.layers(torch.cat([observations[name] for name in self.names], dim=1))


class PartsEncoder(Encoder):
    """What an environment shows, each leaf by the part that is for it, through three dense layers of 128 with ReLU."""

    def __init__(self, leaves: dict[str, spaces.Box]):
        super().__init__()
        self.names, self.features = tuple(leaves), HIDDEN
        self.parts = SpaceEncoder(spaces.Dict(dict(leaves)))
        self.layers = nn.Sequential(*_dense(self.parts.features), *_dense(HIDDEN), *_dense(HIDDEN))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (n, ...) -> float32 (n, 128)."""
        features, _ = self.parts({name: observations[name] for name in self.names})
        return self.layers(features)

    def count(self, observations: dict[str, torch.Tensor]) -> None:
        """Let observations (n, ...) of any dtype count in what normalises those without bounds."""
        self.parts.update_normaliser(observations)


class BitsEncoder(Encoder):
    """Arrays of bits as channels of one picture: four convolutions, one pooling, layer normalisation, one dense.

    As in the published source, where actors pool by the maximum over all places and critics by the mean.

    Args:
        leaves: By name, spaces of bits (H, W) and (H, W, C), H and W at least 5.
        pool_by_mean: Whether places are pooled by their mean.

    Raises:
        ValueError: The arrays are smaller.
    """

    features = 64

    def __init__(self, leaves: dict[str, spaces.Box], pool_by_mean: bool):
        super().__init__()
        if min(leaves["desired_goal"].shape) < _LEAST_SIDE:
            raise ValueError(f"there is no network for bits of shape {leaves['desired_goal'].shape}: sides below 5")
        self.names, self.pool_by_mean = tuple(leaves), pool_by_mean
        channels = sum(1 if len(leaf.shape) == 2 else leaf.shape[2] for leaf in leaves.values())
        self.convolutions = Convolutions(
            nn.Conv2d(channels, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, kernel_size=3),
            nn.ReLU(),
            nn.Conv2d(32, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, self.features, kernel_size=3),
        )
        self.dense = nn.Sequential(nn.LayerNorm(self.features), nn.Linear(self.features, self.features), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of float32 (n, H, W) and (n, H, W, C) -> float32 (n, 64)."""
        pictures = [observations[name] for name in self.names]
        channels = torch.cat([p[..., None] if p.dim() == 3 else p for p in pictures], dim=3)
        places = self.convolutions(channels.permute(0, 3, 1, 2)).flatten(2)
        return self.dense(places.mean(dim=2) if self.pool_by_mean else places.amax(dim=2))


def _dense(inputs: int, outputs: int = HIDDEN) -> Sequence[nn.Module]:
    return nn.Linear(inputs, outputs), nn.ReLU()


class Actor(nn.Sequential):
    """Observations (n, ...) by name -> the outputs (n, k) that a distribution over actions is made of.

    On bits, moves that would leave the grid are masked, as in the published source.
    """

    leaving: torch.Tensor | None

    def __init__(
        self, observation_space: spaces.Space, num_outputs: int, width: int = HIDDEN, recognises: bool = False
    ):
        encoder = goal_encoder(observation_space, anti_goal=False, width=width, recognises=recognises)
        super().__init__(encoder, nn.Linear(encoder.features, num_outputs))
        self.register_buffer("leaving", moves_that_leave(observation_space, num_outputs), persistent=False)

    def forward(self, observations: Tensors) -> torch.Tensor:
        """The outputs, float32 (n, k), with those of masked actions so low that they are never taken."""
        outputs = self.unmasked(observations)
        if self.leaving is None:
            return outputs
        place = observations["observation"][..., 1].flatten(1).argmax(dim=1)
        return torch.where(functional.embedding(place, self.leaving) > 0, NEVER, outputs)

    def unmasked(self, observations: Tensors) -> torch.Tensor:
        """The outputs, float32 (n, k), as they are."""
        return super().forward(observations)


def moves_that_leave(observation_space: spaces.Space, num_actions: int) -> torch.Tensor | None:
    """float32 (cells, 9): 1 for moves that would leave the grid from a cell; ``None`` where there is no grid of bits.

    Cells are counted row by row, as the place is in the flattened ``observation[..., 1]``.
    """
    bits = array_leaves(observation_space).get("observation")
    if bits is None or len(bits.shape) != 3 or bits.shape[2] != 2 or num_actions != len(MOVES):
        return None
    height, width, _ = bits.shape
    y, x = np.divmod(np.arange(height * width), width)
    to_x, to_y = x[:, np.newaxis] + MOVES[:, 0], y[:, np.newaxis] + MOVES[:, 1]
    return torch.as_tensor((to_x < 0) | (to_x >= width) | (to_y < 0) | (to_y >= height), dtype=torch.float32)


class GoalActorCritic(nn.Module):
    """Actor and critic with weights of their own (voxel building's share the picture's network).

    Args:
        observation_space: A goal environment's.
        action_space: Discrete, or a bounded vector.
        anti_goal: Whether the critic sees the anti-goal too, as ``"anti_goal"`` among the observations.
        width: Of the layers that read vectors.
        recognises: See :func:`goal_encoder`.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        anti_goal: bool = False,
        width: int = HIDDEN,
        recognises: bool = False,
    ):
        super().__init__()
        self.anti_goal, self.actions = anti_goal, actions_of(action_space)
        self.actor = Actor(observation_space, self.actions.num_outputs, width, recognises)
        actor_encoder = self.actor[0]
        assert isinstance(actor_encoder, Encoder)  # see Actor
        critic_encoder = goal_encoder(observation_space, anti_goal, actor_encoder, width, recognises)
        self.critic = nn.Sequential(critic_encoder, nn.Linear(critic_encoder.features, 1))

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """The actor's outputs (n, k) and the critic's values (n,); what both see is computed once."""
        encoder = self.actor[0]
        if isinstance(encoder, BlocksEncoder):
            observations = observations | {"seen": encoder.encode(observations)}
        return self.actor(observations), self.values(observations)

    @torch.no_grad()
    def recognised(self, observations: Tensors) -> Tensors:
        """With the poses that the network recognises at present, as ``"recognised"``, if it recognises any.

        An update uses these, by which its actions were drawn, while the network that recognises them changes.
        """
        encoder = self.actor[0]
        if isinstance(encoder, RecognisedPoseEncoder):
            return observations | {"recognised": encoder.recognise(observations)}
        return observations

    def recognition_loss(self, observations: Tensors) -> tuple[torch.Tensor, float]:
        """See :meth:`.RecognisedPoseEncoder.loss`."""
        encoder = self.actor[0]
        assert isinstance(encoder, RecognisedPoseEncoder)  # as asked for
        return encoder.loss(observations)

    def count(self, observations: Tensors) -> None:
        """Let observations (n, ...) of any dtype count in what normalises those without bounds."""
        for encoder in (self.actor[0], self.critic[0]):
            if isinstance(encoder, PartsEncoder):
                encoder.count(observations)

    def values(self, observations: Tensors) -> torch.Tensor:
        """The critic's values, float32 (n,)."""
        return self.critic(observations)[:, 0]
