"""Whether what a policy sees and does in its environment is what another environment shows and takes."""

from typing import Any

from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.environment_options import make_environment

#: An environment's id, and the arguments with which a policy observes it.
View = tuple[str, dict[str, Any]]


def check_same_spaces(what: str, theirs: View, ours: View) -> None:
    """Refuse a policy of another environment, unless one sees, and does, there the same.

    Args:
        what: The option and its value, as an error names them.
        theirs: The policy's.
        ours: What it is wanted for.

    Raises:
        InvalidOptionError: Actions or observations differ.
    """
    if theirs == ours:
        return
    spaces = []
    for environment_id, options in (theirs, ours):
        with make_environment(environment_id, options) as env:
            spaces.append((named_space(env.observation_space), env.action_space))
    (their_observations, their_actions), (our_observations, our_actions) = spaces
    for kind, their, our in (
        ("actions", their_actions, our_actions),
        ("observations", their_observations, our_observations),
    ):
        if their != our:
            raise InvalidOptionError(
                f"{what}, a policy of {theirs[0]} with other {kind} ({their}), expected those of {ours[0]} ({our})"
            )
