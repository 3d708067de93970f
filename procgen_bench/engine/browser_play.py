"""Play in the user's own browser: what it shows of an environment, and which actions stand for what a person does."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, Generic

from procgen_bench.engine.wrapped import EnvT, Wrapped


class BrowserControls(ABC, Generic[EnvT]):
    """How a person plays an environment in a browser. It knows nothing but the environment's state.

    The browser shows ``frame()``, a document with a place for ``site()``, the document of an episode. Script of the
    frame tells what the person does in the site, and has the site do what ``order`` says; the site itself changes by
    nothing else.
    """

    @abstractmethod
    def frame(self, commands: Mapping[str, str]) -> str:
        """The document around the site. It is the same for every episode, and asks for what is to be shown.

        Args:
            commands: By key of the game what its button says.
        """

    @abstractmethod
    def site(self, env: Wrapped[EnvT]) -> str:
        """The document of the current episode, as it is at its start."""

    @abstractmethod
    def instruction(self, env: Wrapped[EnvT]) -> tuple[tuple[str, str], ...]:
        """What the person is to do: (label, value) pairs."""

    @abstractmethod
    def action(self, env: Wrapped[EnvT], element: int, text: str | None) -> Any | None:
        """The action that stands for what a person did; ``None``: nothing has changed.

        Args:
            env: The environment.
            element: Index of the element.
            text: What has been typed or selected there; ``None``: it was clicked.

        Raises:
            ValueError: There is no such element, or this cannot be done to it.
        """

    @abstractmethod
    def order(self, env: Wrapped[EnvT], action: Any) -> tuple[int, str | None, str]:
        """What the site is to do, as the environment has done: element, value, and the text that the element holds now.

        The value is ``None`` where the environment found nothing to do.
        """

    @abstractmethod
    def difference(self, env: Wrapped[EnvT], shown: str, unfinished: Collection[int]) -> str | None:
        """In which way a site is not in the environment's state; ``None``: in none.

        Args:
            env: The environment.
            shown: The site as it tells itself.
            unfinished: Indices of elements in which a person is typing.
        """

    @abstractmethod
    def account(self, env: Wrapped[EnvT]) -> str:
        """What there is to say of an episode that is over, beside its return."""
