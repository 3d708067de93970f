"""Whether what a policy sees and does in its environment is what another environment shows and takes."""

from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.environment_options import make_environment


def check_same_spaces(what: str, theirs: str, ours: str) -> None:
    """Refuse a policy of another environment, unless one sees, and does, there the same.

    Args:
        what: The option and its value, as an error names them.
        theirs: The policy's environment.
        ours: What it is wanted for.

    Raises:
        InvalidOptionError: Actions or observations differ.
    """
    spaces = []
    for environment_id in (theirs, ours):
        with make_environment(environment_id, environment_type(environment_id).learning_options()) as env:
            spaces.append((named_space(env.observation_space), env.action_space))
    (their_observations, their_actions), (our_observations, our_actions) = spaces
    for kind, their, our in (
        ("actions", their_actions, our_actions),
        ("observations", their_observations, our_observations),
    ):
        if their != our:
            raise InvalidOptionError(
                f"{what}, a policy of {theirs} with other {kind} ({their}), expected those of {ours} ({our})"
            )
