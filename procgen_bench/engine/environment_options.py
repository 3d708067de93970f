"""Environment options: the arguments, besides the tasks, with which a policy or a benchmark makes its environment."""

import json
from collections.abc import Mapping
from typing import Any

import gymnasium

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import find_spec
from procgen_bench.engine.known_arguments import known_arguments

#: Arguments of every environment that are not for a policy or a benchmark to choose.
_OTHERS = ("tasks", "render_mode")


def make_environment(environment_id: str, options: Mapping[str, Any] | None = None) -> gymnasium.Env:
    """A new single environment with these options.

    Args:
        environment_id: A registered environment.
        options: Arguments of its constructor, plain JSON values, by name.

    Raises:
        InvalidOptionError: It takes no such argument, a value is no plain JSON, or none that it accepts.
    """
    check_environment_options(environment_id, options or {})
    return gymnasium.make(environment_id, disable_env_checker=True, **(options or {}))


def check_environment_options(environment_id: str, options: Mapping[str, Any]) -> None:
    """Raise :class:`InvalidOptionError` unless the environment's constructor takes arguments of these names."""
    if not options:
        return
    entry_point = find_spec(environment_id).entry_point
    assert isinstance(entry_point, str)  # as registered
    constructor = gymnasium.envs.registration.load_env_creator(entry_point)
    known = [name for name in known_arguments(constructor) if name not in _OTHERS]
    for name, value in options.items():
        if name not in known:
            raise InvalidOptionError(f"{environment_id} takes no option {name!r}, expected some of {known}")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise InvalidOptionError(f"option {name!r} is {value!r}, expected a plain JSON value") from None
