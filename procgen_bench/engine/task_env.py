"""TaskEnv: a Gymnasium environment whose reset takes a task."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import gymnasium
import numpy as np
from gymnasium.utils import seeding

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ClosedEnvironmentError, InvalidOptionError, ResetNeededError, UnknownNameError
from procgen_bench.core.task import TaskT
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.draws_tasks import DrawsTasks
from procgen_bench.engine.flattening import Flattener
from procgen_bench.engine.known_arguments import KnownArguments
from procgen_bench.engine.plain_spec import PlainSpec
from procgen_bench.engine.rendering import Window, warn_of_no_render_mode
from procgen_bench.engine.saved_state import SavedState, copied_generator, generator_of, requested_state

if TYPE_CHECKING:
    from procgen_bench.engine.browser_play import BrowserControls
    from procgen_bench.engine.real_time import RealTimeControls

#: Among ``training_co_players``: the seat is the learner's own.
LEARNER = "learner"


class TaskEnv(KnownArguments, PlainSpec, DrawsTasks[TaskT], gymnasium.Env, Generic[TaskT]):
    """A :class:`gymnasium.Env` with a ``task_space``.

    A seed is ``None`` or an integer of at least 0, Python's or NumPy's
    (:func:`~procgen_bench.core.seeding.checked_seed`). After ``close``, ``step`` raises
    :class:`ClosedEnvironmentError` until a ``reset``, which opens the environment again.

    ``reset(seed=..., options={"task": ...})`` takes a :class:`Task`, a dict of raw parameters, or the name of a task in
    the family's suites; without one it draws from ``tasks`` (an argument of every environment: a suite's name, a task,
    or a list of tasks) or, where that is ``None``, from the family's own distribution, in which many tasks may be
    unsolvable. ``tasks="solvable"`` leaves these out; it is refused where neither a quick solver nor a rule of drawing
    decides whether a task can be solved. ``tasks="training"`` is what learners want: it leaves out what is scored and
    what is kept for fresh episodes (:meth:`.TaskSpace.may_be_trained_on`), and tasks that a glance shows to be
    unsolvable.

    ``save_state()`` gives the episode as it is, also after its end, as a :class:`SavedState`: a value that never
    changes and can be pickled. ``reset(options={"state": ...})`` continues from it, here, in another environment of
    this kind, or in rows of a vector environment, bit for bit: observations, rewards, ends, and the tasks that later
    resets draw. (A seed beside it has these drawn again.) Parts of the task that the family lets be replaced, a goal or
    a program, can stand beside it; an episode that was over then continues. After the end of a saved episode, ``step``
    raises :class:`ResetNeededError` here too; rows that reset by themselves begin again. Rows count the saved steps to
    their time limit. Gymnasium's ``TimeLimit`` wrapper around a single environment does not: it counts from the reset.

    With ``flat=True`` (an argument of every environment whose observations are arrays), one vector is observed: a
    ``Box``, float32, as :func:`gymnasium.spaces.flatten` makes it, for learners that take nothing else. Pictures and
    texts are refused. Actions, tasks and saved states stay as they are.

    Every ``info`` holds ``"success"`` (bool): whether the task has been solved. Where that may not last, as of a block
    that is held, every one also holds ``"stands"`` (bool): whether it does. ``"is_success"`` (bool) is what counts, to
    benchmarks, curves, teachers and stable-baselines3: ``stands`` where there is one, else ``success``. An environment
    makes these with :func:`~procgen_bench.core.success.success_info`.

    Attributes:
        task_space: The family's space of tasks.
        task: The current task.
        elapsed: Steps of the current episode that have been taken.
        flattener: What makes vectors of observations; ``None`` without ``flat=True``.
    """

    #: Keys that reset's ``options`` may hold.
    reset_options: ClassVar[frozenset[str]] = frozenset({"task", "state"})
    #: Those of them that cannot stand beside a state, in addition to ``task``: they say how an episode begins.
    beginning_options: ClassVar[frozenset[str]] = frozenset()
    #: Keyboard key -> action, where a person plays one key at a time.
    keys_to_action: Mapping[str, Any]
    #: How a person plays in real time; ``None``: one key at a time, by the environment's ``keys_to_action``.
    real_time_controls: ClassVar["RealTimeControls | None"] = None
    #: How a person plays in a browser of their own; ``None``: not there.
    browser_controls: ClassVar["BrowserControls | None"] = None
    #: The action that does nothing, where it is neither a discrete space's first nor the middle of a continuous one.
    noop_action: ClassVar[tuple | int | None] = None
    #: Constructor's arguments with which observing costs least: for policies that do not look.
    blind_options: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    #: Numbers in ``info`` whose means over the ends of episodes are reported where a policy in training is evaluated.
    end_measures: ClassVar[tuple[str, ...]] = ()
    #: Whether tasks may reward a player that always takes ``noop_action``: evaluations in training report the gain over
    #: that player.
    rewards_doing_nothing: ClassVar[bool] = False
    #: Whether nothing but the time limit ends an episode, so that rows which begin together end together for ever.
    has_fixed_length: ClassVar[bool] = False
    #: Who takes the other seats of a task while somebody learns, one drawn for each world: names that
    #: :meth:`check_co_player` knows, and :data:`LEARNER`. Those by which policies are scored are not among them.
    training_co_players: ClassVar[tuple[str, ...]] = ()
    #: Memory that a row takes in a worker process, about.
    row_bytes: ClassVar[int] = 0
    #: Greatest side of films of episodes that pages show, in pixels.
    film_side: ClassVar[int] = 320

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        """An instance that is yet to be initialised, with parameters of tasks that only it seeds."""
        env = super().__new__(cls, *arguments, **options)
        if hasattr(cls, "task_space"):
            env.task_space = cls.task_space.own()
        return env

    flattener: Flattener | None = None
    _window: Window | None = None
    _is_closed = False

    @property
    def task(self) -> TaskT:
        """The current task."""
        raise NotImplementedError

    def num_co_players(self, task: TaskT) -> int:
        """Number of a task's players besides the first, whom reset's option ``co_players`` names."""
        return 0

    def _observe_flat(self, flat: bool) -> None:
        """With ``flat``, observe vectors from now on; constructors call it when the observation space is there."""
        check_choice("flat", flat, (False, True))
        if flat:
            self.flattener = Flattener(self.observation_space)
            self.observation_space = self.flattener.space

    @property
    def structured_space(self) -> Any:
        """The space of what is observed, before ``flat=True`` makes vectors of it."""
        return self.observation_space if self.flattener is None else self.flattener.structured

    def _generator_of_reset(self, seed: int | None, state: SavedState[TaskT] | None) -> np.random.Generator:
        """What a reset draws from that may yet be refused; :meth:`_keep_generator` makes it the environment's."""
        if seed is not None:
            return seeding.np_random(seed)[0]
        return copied_generator(self.np_random) if state is None else generator_of(state.values["chance"])

    def _keep_generator(self, seed: int | None, rng: np.random.Generator) -> None:
        """Go on with the generator that a reset has drawn from, and with its seed if it was given one."""
        super().reset(seed=seed)
        self._np_random = rng  # the public attribute would forget the seed

    def requested_task(self, options: dict[str, Any] | None) -> TaskT | None:
        """The task that reset's ``options`` ask for, checked; ``None`` when they ask for none.

        Raises:
            InvalidOptionError: ``options`` are no dict, or hold another key than ``reset_options``.
            InvalidTaskError, UnknownNameError: The task is none of the family's.
        """
        check_options(options, self.reset_options)
        requested = (options or {}).get("task")
        return None if requested is None else self.task_space.resolve(requested)

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """The fields of the task that reset's ``options`` replace, checked, by name; none unless a family offers it."""
        return {}

    @property
    def elapsed(self) -> int:
        """Steps of the current episode that have been taken."""
        raise NotImplementedError

    @property
    def state_kind(self) -> str:
        """Which saved states fit: those of environments of which this is equal."""
        return type(self).__name__

    def save_state(self) -> SavedState[TaskT]:
        """The episode as it is, for reset's option ``state``.

        Raises:
            ResetNeededError: Before the first reset.
        """
        raise NotImplementedError

    def requested_state(self, options: dict[str, Any] | None) -> SavedState[TaskT] | None:
        """The state that reset's ``options`` ask to continue from, checked; ``None`` when they ask for none.

        Raises:
            InvalidOptionError: It is none, or one of another kind, or stands beside what only a beginning can take.
        """
        return requested_state(options, self.state_kind, ("task", *self.beginning_options))

    @cached_property
    def action_rule(self) -> ActionRule:
        """What ``step`` takes as an action."""
        return ActionRule(self.action_space)

    @classmethod
    def film_options(cls) -> dict[str, Any]:
        """Constructor's arguments with which films show the most that this machine can render."""
        return {}

    @classmethod
    def play_options(cls) -> dict[str, Any]:
        """Constructor's arguments with which people play."""
        return {}

    @classmethod
    def learning_options(cls) -> dict[str, Any]:
        """Constructor's arguments with which learners observe all that they can use; scores are without them."""
        return {}

    @classmethod
    def vector_learning_options(cls) -> dict[str, Any]:
        """Those of the vector environment in which they learn, which may have rows for further players."""
        return cls.learning_options()

    @classmethod
    def check_co_player(cls, name: str) -> None:
        """Refuse the name of a co-player that the environment does not know.

        Raises:
            UnknownNameError: It knows none of this name.
        """
        raise UnknownNameError("co-player", name, [])

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
            assert isinstance(frame, np.ndarray)  # text is for "ansi" alone
            self.show(frame)
            return None
        return frame

    def frames_of_step(self, most: int | None = None) -> Iterator[np.ndarray]:
        """Pictures (uint8 (height, width, 3)) of what the last step did; the last one is of the current state.

        There is that one alone, except where much happens in a step and the family shows it.

        Args:
            most: At most so many; ``None``: enough for a film at ``render_fps``.

        Raises:
            As :meth:`render`.
        """
        frame = self._frame()
        assert isinstance(frame, np.ndarray)  # films are not made of text
        yield frame

    def _frame(self) -> np.ndarray | str:
        """The picture of the current state; its text where ``render_mode`` is ``"ansi"``."""
        raise NotImplementedError

    def show(self, frame: np.ndarray) -> None:
        """Show a frame (uint8 (height, width, 3)) in the environment's window, at its pace."""
        if self._window is None:
            title = self.spec.id if self.spec is not None else type(self).__name__
            self._window = Window(title, self.metadata["render_fps"], "ansi" in self.metadata["render_modes"])
        self._window.show(frame)

    def check_open(self) -> None:
        """Raise :class:`ClosedEnvironmentError` after :meth:`close`, until a ``reset``; ``step`` begins with this."""
        if self._is_closed:
            raise ClosedEnvironmentError

    def close(self) -> None:
        """Close the window, if one is open; again without effect."""
        self._is_closed = True
        if self._window is not None:
            self._window.close()
            self._window = None


def check_begun(begun: bool, call: str) -> None:
    """Raise :class:`ResetNeededError` unless there has been a reset, as the method ``call`` needs."""
    if not begun:
        raise ResetNeededError(f"{call} was called before reset; call reset first")


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
