"""CompositionalMiniGridSparseEnv: rooms that pay at the goal alone."""

from typing import Any

from procgen_bench.envs.compositional_minigrid.environment import (
    CompositionalMiniGridEnv,
    CompositionalMiniGridVectorEnv,
)


class CompositionalMiniGridSparseEnv(CompositionalMiniGridEnv):
    """Compositional MiniGrid, harder: subtasks earn nothing, and the goal everything.

    ## Description
    :class:`CompositionalMiniGridEnv`, whose rooms, actions and observations these are, with ``rewards="goal"``. An
    agent that has never done all that is asked and then reached the goal has never seen a reward. The paper (CoDE,
    section 7, figure 5) is about rewards as rare as that.

    ## Action Space
    That of :class:`CompositionalMiniGridEnv`: ``Discrete(7)``.

    ## Observation Space
    As there: ``image``, ``position``, ``direction``, ``asked`` and ``finished``, uint8.

    ## Starting State
    As there.

    ## Rewards
    1 for reaching the goal when all that is asked is done; 0 otherwise.

    ## Episode End
    As there: terminates at the goal, whether all is done or not; truncates after 256 steps.

    ## Information
    As there: ``success`` and ``is_success``.

    ## Arguments
    Those of :class:`CompositionalMiniGridEnv`, with another default: ``rewards`` ("goal"). Options of ``reset``,
    ``"task"`` and ``"state"``, are as there.

    ## Version History
    - v0: first version.
    """

    def __init__(self, tasks=None, render_mode: str | None = None, rewards: str = "goal", **options: Any):
        super().__init__(tasks, render_mode, rewards=rewards, **options)

    @property
    def state_kind(self) -> str:
        """Its states are those of :class:`CompositionalMiniGridEnv` under the same rewards."""
        return super().state_kind.replace(type(self).__name__, CompositionalMiniGridEnv.__name__)


class CompositionalMiniGridSparseVectorEnv(CompositionalMiniGridVectorEnv):
    """CompositionalMiniGridSparse-v0 with N tasks; see :class:`CompositionalMiniGridVectorEnv`."""

    single_env_type = CompositionalMiniGridSparseEnv
