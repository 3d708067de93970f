"""PlainSpec: environments whose ``spec`` is plain JSON, also where they were given tasks as values."""

from dataclasses import replace

from gymnasium.envs.registration import EnvSpec

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_space import TaskSpace


class PlainSpec:
    """An environment whose ``spec`` names the argument ``tasks`` in words and numbers.

    So ``spec.to_json()`` works, and what ``gymnasium.make(EnvSpec.from_json(...))`` makes is an equal environment.
    Tasks that have neither parameters nor a suite's name stay the values that they are: of these, no JSON can be made.
    """

    task_space: TaskSpace
    _given_spec: EnvSpec | None = None
    _plain_spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """What the environment was made by; ``None`` without :func:`gymnasium.make`."""
        if self._plain_spec is None and self._given_spec is not None:  # many tasks take a while: only where asked for
            self._plain_spec = _with_plain_tasks(self._given_spec, self.task_space)
        return self._plain_spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._given_spec, self._plain_spec = spec, None


def _with_plain_tasks(spec: EnvSpec, task_space: TaskSpace) -> EnvSpec:
    if spec.kwargs.get("tasks") is None:
        return spec
    try:
        plain = task_space.plain_many(spec.kwargs["tasks"])
    except InvalidTaskError:
        return spec
    return replace(spec, kwargs=spec.kwargs | {"tasks": plain})
