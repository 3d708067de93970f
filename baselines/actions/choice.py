"""Which distribution is over which action space."""

from gymnasium import spaces

from procgen_bench.baselines.actions.bounded import BoundedActions
from procgen_bench.baselines.actions.discrete import DiscreteActions, MultiDiscreteActions

Actions = DiscreteActions | MultiDiscreteActions | BoundedActions


def actions_of(space: spaces.Space) -> Actions:
    """The kind of actions that a space holds.

    Raises:
        ValueError: There is no distribution over it.
    """
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return DiscreteActions(space)
    if isinstance(space, spaces.MultiDiscrete) and len(space.nvec.shape) == 1 and not space.start.any():
        return MultiDiscreteActions(space)
    if isinstance(space, spaces.Box) and space.is_bounded() and len(space.shape) == 1:
        return BoundedActions(space)
    raise ValueError(f"there is no distribution over {space}")
