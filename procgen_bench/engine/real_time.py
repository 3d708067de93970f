"""Real-time play: what a person sees of an environment that steps by itself, and what held keys do."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic

import numpy as np

from procgen_bench.engine.wrapped import EnvT, Wrapped


class RealTimeControls(ABC, Generic[EnvT]):
    """How a person plays an environment in real time. It knows nothing but the environment's state.

    Keys have pygame's names ("w", "left", "space", "left shift"); "left mouse" and "right mouse" are the buttons.

    Attributes:
        fps: Steps in a second.
        views: Names of the pictures to choose from, that shown at first first.
        toggles: Keys that stay held until they are pressed again.
        help: What keys do, a line each, with ``": "`` behind keys and three blanks before the next.
        touch_keys: Keys that have buttons where there is no keyboard.
    """

    fps: ClassVar[float]
    views: ClassVar[tuple[str, ...]]
    toggles: ClassVar[frozenset[str]] = frozenset()
    help: ClassVar[tuple[str, ...]]
    touch_keys: ClassVar[tuple[str, ...]]

    @abstractmethod
    def action(self, held: frozenset[str]) -> Any:
        """The action of a step in which these keys are held; keys without a meaning do nothing."""

    @abstractmethod
    def draw(self, env: Wrapped[EnvT], view: str) -> np.ndarray:
        """One of ``views`` of the environment's state: uint8 (height, width, 3)."""

    @abstractmethod
    def caption(self, env: Wrapped[EnvT]) -> tuple[str, ...]:
        """What there is to say of the environment's state."""


class HeldKeys:
    """Which keys are held, step by step. A key that is pressed and released between two steps is held in one.

    Args:
        toggles: Keys that stay held until they are pressed again.
    """

    def __init__(self, toggles: frozenset[str] = frozenset()):
        self._toggles = toggles
        self._down: set[str] = set()
        self._tapped: set[str] = set()
        self._on: set[str] = set()

    def press(self, key: str) -> None:
        """A key goes down."""
        if key in self._toggles:
            self._on ^= {key}
        else:
            self._down.add(key)
            self._tapped.add(key)

    def release(self, key: str) -> None:
        """A key goes up."""
        self._down.discard(key)

    def next_step(self) -> frozenset[str]:
        """The keys that are held in the step that begins."""
        held = frozenset(self._down | self._tapped | self._on)
        self._tapped.clear()
        return held

    def let_go(self) -> None:
        """Toggles are off again; keys that are down stay so."""
        self._on.clear()
        self._tapped.clear()
