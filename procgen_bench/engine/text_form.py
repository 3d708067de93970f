"""TextForm: how language models play an environment: what they are told, and what their calls stand for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

#: Characters of a call that errors repeat.
REPEATED = 60


class CallError(ValueError):
    """A call that cannot be made: names in one line what was given and what was expected."""


class Words(NamedTuple):
    """What a language model observes.

    Attributes:
        instruction: What is to be done.
        text: What is seen now.
        error: What was wrong with the last call; empty: nothing.
    """

    instruction: str
    text: str
    error: str


class TextForm(Protocol):
    """How language models play a family; :class:`~procgen_bench.core.registrations.Registration` names its own.

    Attributes:
        options: The constructor's arguments with which the environment is played so.
    """

    options: Mapping[str, Any]

    def rules(self) -> str:
        """What a model is told once, before every episode: what there is to do, and how calls are written."""

    def words(self, env: Any, observation: Any) -> Words:
        """What is told of an observation of ``env``, which is unwrapped."""

    def action(self, call: str) -> Any:
        """The environment's action that a call stands for.

        Raises:
            CallError: It stands for none. The environment takes no step then.
        """


@dataclass(frozen=True)
class NamedActions:
    """A form for discrete actions: a call is an action's name, with or without brackets: ``up()``.

    Attributes:
        about: What there is to do.
        instruction: What is to be done in every task.
        names: The actions' names, from action 0 on.
        describe: What is seen, of an observation.
    """

    options: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    about: str
    instruction: str
    names: tuple[str, ...]
    describe: Callable[[Any], str]

    def rules(self) -> str:
        """What there is to do, and the calls."""
        return (
            f"{self.about} Use one call a message. Think first if you like; the last line is the call: {self._calls}."
        )

    def words(self, env: Any, observation: Any) -> Words:
        """What is seen; a call that stands for no action reaches no environment, so there is no error to tell."""
        return Words(self.instruction, self.describe(observation), "")

    def action(self, call: str) -> int:
        """The number of the action of this name.

        Raises:
            CallError: There is none.
        """
        name = call.strip().removesuffix("()")
        if name not in self.names:
            raise CallError(f"the call is {call[:REPEATED]!r}, expected one of {self._calls}")
        return self.names.index(name)

    @property
    def _calls(self) -> str:
        return ", ".join(f"{name}()" for name in self.names)
