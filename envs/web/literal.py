"""GMiniWoBLiteralEnv: sites whose boxes and options are used as they are pointed at."""

from typing import Any

from procgen_bench.envs.web.environment import GMiniWoBEnv
from procgen_bench.envs.web.vector_env import GMiniWoBVectorEnv


class GMiniWoBLiteralEnv(GMiniWoBEnv):
    """GMiniWoB, harder: an agent that uses a box or an option has to know the field's value.

    ## Description
    :class:`GMiniWoBEnv`, whose sites, observations and rewards these are, with ``widgets="literal"``: the published
    page looks at the field's value by itself, and an agent that sees no values can solve it; here it cannot.

    ## Action Space
    That of :class:`GMiniWoBEnv`: ``MultiDiscrete([250, 25])``. A box is checked, or unchecked if it was, with any
    field; an option is chosen if it is itself the field's value, else nothing happens.

    ## Observation Space
    As there, int16: ``tags``, ``classes``, ``texts``, ``attributes``, ``element_values``, ``depths``, ``parents``,
    ``boxes``, ``active``, ``filled``, ``new``, ``field_labels``, ``field_values`` and ``time_step``.

    ## Starting State
    As there.

    ## Rewards
    As there.

    ## Episode End
    As there: terminates when the site is submitted or a distraction is followed; truncates after 25 steps.

    ## Information
    As there: ``success``, ``is_success``, ``element_mask``, ``field_mask`` and ``reason``.

    ## Arguments
    Those of :class:`GMiniWoBEnv`, with another default: ``widgets`` ("literal").

    ## Version History
    - v0: first version.
    """

    def __init__(self, tasks=None, render_mode: str | None = None, widgets: str = "literal", **options: Any):
        super().__init__(tasks, render_mode, widgets=widgets, **options)

    @property
    def state_kind(self) -> str:
        """Its states are those of :class:`GMiniWoBEnv` under the same rule."""
        return super().state_kind.replace(type(self).__name__, GMiniWoBEnv.__name__)


class GMiniWoBLiteralVectorEnv(GMiniWoBVectorEnv):
    """GMiniWoBLiteral-v0 with N tasks; see :class:`GMiniWoBVectorEnv`."""

    single_env_type = GMiniWoBLiteralEnv
