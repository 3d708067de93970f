"""What a policy for blocks sees of a state and a goal, as pure functions inside its network, and running moments."""

from abc import abstractmethod

import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.deterministic import Normalising
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.checks import check_choice
from procgen_bench.tasks.programs.states import (
    ANGULAR_VELOCITY,
    BLOCK_SIZE,
    GRIPPER_POSITION,
    GRIPPER_SIZE,
    LINEAR_VELOCITY,
    POSITION,
    RELATIVE_POSITION,
    ROTATION,
)

VIEWS = (RELATIVE, RAW) = ("relative", "raw")
#: Of hindsight's published source: what is seen is cut off there, divided by at least that, and cut off again.
_LARGEST_SEEN, _LEAST_DEVIATION, _LARGEST = 200.0, 0.01, 5.0


class BlockView(nn.Module):
    """FetchBlocks' observations -> features of the block to act on, and of each other block.

    Attributes:
        width: Features of the block to act on, and of all that is seen once.
        other_width: Features of each other block; 0: they are not seen one by one.
    """

    width: int
    other_width: int

    @abstractmethod
    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor | None]:
        """``"observation"`` (n, 15 N + 10), ``"desired_goal"`` (n, 3 N) -> float32 (n, width), (n, N - 1, other_width).

        The second is ``None`` where other blocks are not seen one by one.
        """


class RelativeView(BlockView):
    """The block to act on from the gripper, and its goal from the block; others from gripper, block and goal.

    It is the same function for any number of blocks, and does not change where all are moved along the table, but for
    the gripper's place.
    """

    width, other_width = 27, 18

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor | None]:
        """See :class:`BlockView`."""
        state, goals = observations["observation"].float(), observations["desired_goal"].float()
        num_blocks = goals.shape[1] // 3
        blocks = state[:, :-GRIPPER_SIZE].reshape(-1, num_blocks, BLOCK_SIZE)
        gripper, goals = state[:, -GRIPPER_SIZE:], goals.reshape(-1, num_blocks, 3)
        own, others = blocks[:, 0], blocks[:, 1:]
        here, goal, hand = own[:, POSITION], goals[:, 0], gripper[:, GRIPPER_POSITION]
        fingers_and_velocities = gripper[:, GRIPPER_POSITION.stop :]
        seen = [own[:, RELATIVE_POSITION], goal - here, own[:, ROTATION], own[:, LINEAR_VELOCITY]]
        seen += [own[:, ANGULAR_VELOCITY], fingers_and_velocities, hand, here[:, 2:], goal[:, 2:]]
        there = others[:, :, POSITION]
        beside = [there - place[:, None] for place in (hand, here, goal)]
        beside += [goals[:, 1:] - there, others[:, :, LINEAR_VELOCITY], others[:, :, ROTATION]]
        return torch.cat(seen, 1), torch.cat(beside, 2)


class RawView(BlockView):
    """The paper's 15 N + 10 and 3 N numbers as they are, the block to act on first.

    Args:
        num_blocks: N; a network of this view knows no other number.
    """

    other_width = 0

    def __init__(self, num_blocks: int):
        super().__init__()
        self.width = (BLOCK_SIZE + 3) * num_blocks + GRIPPER_SIZE

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor | None]:
        """See :class:`BlockView`."""
        state, goals = observations["observation"].float(), observations["desired_goal"].float()
        return torch.cat([state, goals], 1), None


def make_view(name: str, num_blocks: int) -> BlockView:
    """The view of this name, for N blocks.

    Raises:
        InvalidOptionError: There is no such view.
    """
    check_choice("view", name, VIEWS)
    return RelativeView() if name == RELATIVE else RawView(num_blocks)


class RunningMoments(nn.Module):
    """Mean and deviation of the features that training has seen; features by them, cut off at 5.

    Before anything has been seen, features stay as they are.

    Args:
        width: Number of features, k.
    """

    total: torch.Tensor
    square: torch.Tensor
    count: torch.Tensor
    mean: torch.Tensor
    scale: torch.Tensor

    def __init__(self, width: int):
        super().__init__()
        for name in ("total", "square"):
            self.register_buffer(name, torch.zeros(width, dtype=torch.float64))
        self.register_buffer("count", torch.zeros((), dtype=torch.float64))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(..., k) -> (..., k)."""
        seen = features.clamp(-_LARGEST_SEEN, _LARGEST_SEEN)
        return ((seen - self.mean) * self.scale).clamp(-_LARGEST, _LARGEST)

    @torch.no_grad()
    def update_normaliser(self, features: torch.Tensor) -> None:
        """Let features (..., k) count."""
        seen = features.flatten(0, -2).double().clamp(-_LARGEST_SEEN, _LARGEST_SEEN)
        self.count += len(seen)
        self.total += seen.sum(0)
        self.square += seen.square().sum(0)
        mean = self.total / self.count
        variance = (self.square / self.count - mean.square()).clamp(min=_LEAST_DEVIATION**2)
        self.mean.copy_(mean)
        self.scale.copy_(variance.rsqrt())


class BlockNetwork(Normalising):
    """Features by a view, normalised, through two dense layers; other blocks by a deep set that grows in.

    What the set says of the other blocks is added to the first layer's sums by columns that are zero at first: a
    network computes the same, bit for bit, before it has grown and right after.

    Args:
        view: What is seen.
        outputs: Numbers that it says.
        actions: Numbers of an action that it is given beside.
        width: Numbers in each of the two layers.
        set_width: Numbers in each of the set's two layers.

    Attributes:
        grown: Whether other blocks count. (With their columns at zero it makes no difference.)
    """

    def __init__(self, view: BlockView, outputs: int, actions: int = 0, width: int = 256, set_width: int = 64):
        super().__init__()
        self.view, self.grown = view, False
        self.moments = RunningMoments(view.width)
        self.first = nn.Linear(view.width + actions, width)
        # The paper's networks are plain.
        norms = [nn.LayerNorm(width) if view.other_width else nn.Identity() for _ in range(2)]
        rest = [norms[0], nn.ReLU(), nn.Linear(width, width), norms[1], nn.ReLU(), nn.Linear(width, outputs)]
        self.rest = nn.Sequential(*rest)
        if view.other_width:
            self.other_moments = RunningMoments(view.other_width)
            sizes = [(view.other_width + view.width, set_width), (set_width, set_width)]
            self.other = nn.ModuleList(nn.Linear(*size) for size in sizes)
            self.from_others = nn.Linear(set_width, width, bias=False)
            nn.init.zeros_(self.from_others.weight)

    def forward(self, observations: Tensors, actions: torch.Tensor | None = None) -> torch.Tensor:
        """Observations (n, ...) by name, and actions (n, k) if it takes any -> (n, outputs)."""
        own, others = self.view(observations)
        own = self.moments(own)
        hidden = self.first(own if actions is None else torch.cat([own, actions], 1))
        if self.grown and others is not None:
            hidden = hidden + self.from_others(self._said(self.other_moments(others), own))
        return self.rest(hidden)

    def grow(self) -> None:
        """Let other blocks count from now on."""
        self.grown = True

    @torch.no_grad()
    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) by name count for the moments."""
        own, others = self.view(observations)
        self.moments.update_normaliser(own)
        if others is not None:
            self.other_moments.update_normaliser(others)

    def _said(self, others: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """What the set says (n, set_width) of others (n, M, other_width), each beside the own block's (n, width)."""
        first, second = self.other
        assert isinstance(first, nn.Linear)  # as made above
        of_others, of_own = first.weight[:, : self.view.other_width], first.weight[:, self.view.other_width :]
        beside = functional.linear(own, of_own)  # the same beside each of them
        hidden = torch.relu(functional.linear(others, of_others, first.bias) + beside[:, None])
        return torch.relu(second(hidden)).sum(1)


class BlockActor(BlockNetwork):
    """Scaled actions: in [-1, 1], near 0 at first.

    Args:
        view: What is seen.
        actions: Numbers of an action.
        width: Numbers in each of the two layers.
    """

    def __init__(self, view: BlockView, actions: int, width: int = 256):
        super().__init__(view, actions, width=width)
        last = self.rest[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.bias)
        with torch.no_grad():
            last.weight.mul_(0.1)

    def forward(self, observations: Tensors, actions: torch.Tensor | None = None) -> torch.Tensor:
        """Observations (n, ...) by name -> (n, k)."""
        return torch.tanh(super().forward(observations))
