"""An environment as a language model plays it, whatever protocol the model's words come by."""

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.core.registrations import REGISTRATIONS, find_registration
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.text_form import CallError, TextForm, Words


def text_form_of(environment_id: str) -> TextForm:
    """How language models play an environment.

    Raises:
        UnknownNameError: There is no such environment.
        InvalidOptionError: It has no text form.
    """
    registration = find_registration(environment_id)
    if registration.text_form is None:
        known = ", ".join(other.id for other in REGISTRATIONS if other.text_form is not None)
        raise InvalidOptionError(f"{environment_id} has no text form for language models; those that have: {known}")
    return pkgutil.resolve_name(registration.text_form)()


@dataclass(frozen=True)
class Turn:
    """What comes of a reset or a call.

    Attributes:
        words: What the model is told.
        reward: The environment's reward of this call; ``None`` of a reset.
        terminated, truncated: Whether the episode has ended, and by which of Gymnasium's two ends.
        success: Whether the task is solved.
    """

    words: Words
    reward: float | None
    terminated: bool
    truncated: bool
    success: bool

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated


class TextEpisodes:
    """Episodes of one environment, one after the other, with a call in writing for each step.

    Tasks, seeds, rewards and ends are the environment's. A call that stands for no action takes no step of it, earns 0
    and is told of; the episode is truncated when there have been as many calls in all as it has steps at most.

    Args:
        environment_id: An environment with a text form.
        tasks: From what resets without a task draw, as the environment takes it.
        drawn_by: Other episodes of this environment, which draw these ones' tasks, to the same ends as if these had
            ``tasks`` of their own: a suite takes 25 ms and 2 MB to hold ready, and an environment a tenth.

    Attributes:
        task: What the last reset asked for; ``None``: the task was drawn.
        seed: The seed of the last reset.
        num_calls: Calls of this episode.
        num_errors: Those of them that could not be made, or of which the environment says that they changed nothing.
        total: Sum of this episode's rewards.
        success: Whether this episode's task is solved.

    Raises:
        InvalidOptionError: The environment has no text form.
        UnknownNameError, InvalidTaskError: There is no such environment, or there are no such tasks.
    """

    def __init__(self, environment_id: str, tasks: Any = None, drawn_by: "TextEpisodes | None" = None):
        self._form = text_form_of(environment_id)
        self._env = gymnasium.make(environment_id, tasks=tasks, **self._form.options)
        self._most_calls = find_registration(environment_id).max_episode_steps
        self._drawn_by, self._has_begun = drawn_by, False
        self._words: Words | None = None
        self._begin(None, None)

    def _begin(self, seed: int | None, task: Any) -> None:
        self.seed, self.task = seed, task
        self.num_calls, self.num_errors, self.total, self.success = 0, 0, 0.0, False

    def reset(self, seed: int | None = None, task: Mapping[str, Any] | Task | str | None = None) -> Turn:
        """Begin an episode, of this task or of one that is drawn.

        Raises:
            InvalidSeedError, InvalidTaskError, UnknownNameError: The seed is none, or the task. There is no episode.
        """
        self._words = None
        if task is None and self._drawn_by is not None:
            before = self._env.unwrapped.save_state() if self._has_begun else None  # type: ignore[attr-defined]
            observation, _ = self._env.reset(options={"state": self._drawn_by._draw(seed, before)})
        else:
            observation, _ = self._env.reset(seed=seed, options=None if task is None else {"task": task})
        self._has_begun = True
        self._begin(seed, task)
        self._words = self._form.words(self._env.unwrapped, observation)
        return Turn(self._words, None, False, False, False)

    def _draw(self, seed: int | None, before: SavedState | None) -> SavedState:
        """How an episode begins whose task is drawn here, by the seed, or without one as after this state."""
        if seed is None and before is not None:
            self._env.reset(options={"state": before})
        self._env.reset(seed=seed)
        return self._env.unwrapped.save_state()  # type: ignore[attr-defined]

    def call(self, call: str) -> Turn:
        """Advance the episode by a call.

        Raises:
            ResetNeededError: There is no episode, or it has ended.
        """
        if self._words is None:
            raise ResetNeededError("a call was made before reset, or after the end of the episode; reset first")
        self.num_calls += 1
        try:
            action = self._form.action(call)
        except CallError as error:
            turn = Turn(self._words._replace(error=str(error)), 0.0, False, False, False)
        else:
            observation, reward, terminated, truncated, info = self._env.step(action)
            words = self._form.words(self._env.unwrapped, observation)
            turn = Turn(words, float(reward), bool(terminated), bool(truncated), bool(counted_success(info)))
        self.num_errors += bool(turn.words.error)
        if not turn.done and self.num_calls >= self._most_calls:
            turn = Turn(turn.words, turn.reward, False, True, False)
        self._words = None if turn.done else turn.words
        self.total, self.success = self.total + (turn.reward or 0.0), turn.success
        return turn

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


def call_in(message: str) -> str:
    """The call that a model's message ends with: its last line, without the marks of code around it."""
    lines = [line.strip("` \r") for line in message.split("\n")]
    return next((line for line in reversed(lines) if line), "")


def told(words: Words) -> str:
    """What a model is told after a call: what is seen, after what was wrong with the call, if anything was."""
    return (f"Your last call did nothing: {words.error}\n\n" if words.error else "") + words.text
