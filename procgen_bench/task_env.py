"""TaskEnv: a Gymnasium environment whose reset takes a task."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np

from procgen_bench.errors import InvalidActionError, InvalidOptionError, ResetNeededError
from procgen_bench.rendering import Window, warn_of_no_render_mode
from procgen_bench.task import Task
from procgen_bench.task_space import TaskSpace

if TYPE_CHECKING:
    from procgen_bench.browser_play import BrowserControls
    from procgen_bench.real_time import RealTimeControls


class TaskEnv(gymnasium.Env):
    """A :class:`gymnasium.Env` with a ``task_space``.

    ``reset(seed=..., options={"task": ...})`` takes a :class:`Task`, a dict of raw parameters, or the name of a task in
    the family's suites; without one it draws from ``tasks`` (an argument of every environment: a suite's name, a task,
    or a list of tasks) or, where that is ``None``, from the whole task space.

    Every ``info`` holds ``"success"`` (bool): whether the task has been solved.

    Attributes:
        task_space: The family's space of tasks.
        task: The current task.
    """

    task_space: TaskSpace
    #: Keys that reset's ``options`` may hold.
    reset_options: ClassVar[frozenset[str]] = frozenset({"task"})
    #: How a person plays in real time; ``None``: one key at a time, by the environment's ``keys_to_action``.
    real_time_controls: ClassVar["RealTimeControls | None"] = None
    #: How a person plays in a browser of their own; ``None``: not there.
    browser_controls: ClassVar["BrowserControls | None"] = None
    #: The action that does nothing, where it is neither a discrete space's first nor the middle of a continuous one.
    noop_action: ClassVar[tuple | None] = None
    #: Constructor's arguments with which observing costs least: for policies that do not look.
    blind_options: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    #: Greatest side of films of episodes that pages show, in pixels.
    film_side: ClassVar[int] = 320

    _window: Window | None = None

    @property
    def task(self) -> Task:
        """The current task."""
        raise NotImplementedError

    def requested_task(self, options: dict[str, Any] | None) -> Task | None:
        """The task that reset's ``options`` ask for, checked; ``None`` when they ask for none."""
        check_options(options, self.reset_options)
        requested = (options or {}).get("task")
        return None if requested is None else self.task_space.resolve(requested)

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """The fields of the task that reset's ``options`` replace, checked, by name; none unless a family offers it."""
        return {}

    def requested_state(self, options: dict[str, Any] | None, state_type: type) -> Any:
        """The state, of this type, that reset's ``options`` ask to go on from; ``None`` when they ask for none."""
        options = options or {}
        state = options.get("state")
        if state is None:
            return None
        if options.get("task") is not None:
            raise InvalidOptionError("reset's options hold a state and a task, expected one of them")
        if not isinstance(state, state_type):
            raise InvalidOptionError(f"state is {state!r:.60}, expected what save_state returns")
        return state

    def check_action(self, action: Any) -> None:
        """Raise :class:`InvalidActionError` unless ``action`` is a member of the action space."""
        if not self.action_space.contains(action):
            raise InvalidActionError(f"action is {action!r}, expected a member of {self.action_space}")

    @classmethod
    def film_options(cls) -> dict[str, Any]:
        """Constructor's arguments with which films of episodes show people the most that this machine can."""
        return {}

    def render(self) -> np.ndarray | str | None:
        """The current state as ``render_mode`` asks: a picture (uint8 (height, width, 3)), text, or ``None`` after
        showing the picture in a window; without a render mode, a warning.

        Raises:
            ResetNeededError: There is no state yet.
            NoRendererError: The picture is MuJoCo's, and the machine has no OpenGL that it could use.
        """
        if self.render_mode is None:
            warn_of_no_render_mode(self)
            return None
        frame = self._frame()
        if self.render_mode == "human":
            self.show(frame)
            return None
        return frame

    def _frame(self) -> np.ndarray | str:
        """The picture of the current state; its text where ``render_mode`` is ``"ansi"``."""
        raise NotImplementedError

    def show(self, frame: np.ndarray) -> None:
        """Show a frame (uint8 (height, width, 3)) in the environment's window, at its pace."""
        if self._window is None:
            title = self.spec.id if self.spec is not None else type(self).__name__
            self._window = Window(title, self.metadata["render_fps"])
        self._window.show(frame)

    def close(self) -> None:
        """Close the window, if one is open; again without effect."""
        if self._window is not None:
            self._window.close()
            self._window = None


def check_running(running: bool, call: str = "step") -> None:
    """Raise :class:`ResetNeededError` unless an episode is under way, as the method ``call`` needs."""
    if not running:
        raise ResetNeededError(f"{call} was called before reset, or after the end of the episode; call reset first")


def check_options(options: dict[str, Any] | None, known: frozenset[str]) -> None:
    """Raise :class:`InvalidOptionError` when reset's options hold a key that is not ``known``."""
    if options is not None and not isinstance(options, dict):
        raise InvalidOptionError(f"reset's options are {options!r}, expected a dict with keys among {sorted(known)}")
    for name in options or {}:
        if name not in known:
            raise InvalidOptionError(f"unknown reset option {name!r}, expected keys among {sorted(known)}")
