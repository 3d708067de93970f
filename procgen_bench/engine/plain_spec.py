"""PlainSpec: environments whose ``spec`` is plain JSON, also where they were given tasks as values."""

from dataclasses import replace

from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.observation_keys import check_observation_keys


class PlainSpec:
    """An environment whose ``spec`` names the argument ``tasks`` in words and numbers.

    So ``spec.to_json()`` works, and what ``gymnasium.make(EnvSpec.from_json(...))`` makes is an equal environment.
    Tasks that have neither parameters nor a suite's name stay the values that they are: of these, no JSON can be made.

    ``gymnasium.make`` and ``make_vec`` set the spec of whatever they make. So the names of its observations are checked
    there, of every family and every option, once.
    """

    task_space: TaskSpace
    observation_space: spaces.Space
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
        check_observation_keys(self.observation_space)
        self._given_spec, self._plain_spec = spec, None
        if spec is not None:
            self._registered(spec)

    def _registered(self, spec: EnvSpec) -> None:
        """What an environment does when it is told what it was made by."""


def _with_plain_tasks(spec: EnvSpec, task_space: TaskSpace) -> EnvSpec:
    if spec.kwargs.get("tasks") is None:
        return spec
    try:
        plain = task_space.plain_many(spec.kwargs["tasks"])
    except InvalidTaskError:
        return spec
    return replace(spec, kwargs=spec.kwargs | {"tasks": plain})
