"""Which distribution is over which action space."""

from gymnasium import spaces

from procgen_bench.baselines.actions.bounded import BoundedActions
from procgen_bench.baselines.actions.discrete import DiscreteActions, MultiDiscreteActions
from procgen_bench.baselines.actions.kinds import check_learnable

Actions = DiscreteActions | MultiDiscreteActions | BoundedActions


def actions_of(space: spaces.Space) -> Actions:
    """The kind of actions that a space holds.

    Raises:
        UnsupportedActionsError: There is no distribution over it.
    """
    check_learnable(space)
    if isinstance(space, spaces.Discrete):
        return DiscreteActions(space)
    if isinstance(space, spaces.MultiDiscrete):
        return MultiDiscreteActions(space)
    assert isinstance(space, spaces.Box)
    return BoundedActions(space)
