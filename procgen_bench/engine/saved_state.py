"""SavedState: an episode as it is, to continue from, here or in another environment."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, cast

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task import TaskT


@dataclass(frozen=True, eq=False)
class SavedState(Generic[TaskT]):
    """An episode as it is. One restored from it continues as the saved one does, bit for bit, with later tasks too.

    It never changes, whatever becomes of the episode, and can be copied and pickled.

    Attributes:
        kind: Which environments can continue from it: those of an equal ``state_kind``.
        task: The task.
        elapsed: Steps that have been taken.
        ended: Whether the episode is over.
        values: All else that decides what follows, by name: arrays (read-only copies) and immutable values.
    """

    kind: str
    task: TaskT
    elapsed: int
    ended: bool
    values: Mapping[str, Any]

    def __post_init__(self):
        values = {name: _frozen(value) for name, value in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(values))

    def __reduce__(self):
        return SavedState, (self.kind, self.task, self.elapsed, self.ended, dict(self.values))


def requested_state(options: Mapping[str, Any] | None, kind: str, beginnings: Iterable[str]) -> SavedState | None:
    """The state that reset's ``options`` ask to continue from; ``None`` when they ask for none.

    Args:
        options: Reset's options.
        kind: Of which kind the state is to be.
        beginnings: The options that say how an episode begins, none of which can stand beside a state.

    Raises:
        InvalidOptionError: It is no state, or one of another kind, or not alone.
    """
    options = options or {}
    state = options.get("state")
    if state is None:
        return None
    for name in beginnings:
        if options.get(name) is not None:
            raise InvalidOptionError(f"reset's options hold a state and a {name}, expected one of them")
    if not isinstance(state, SavedState):
        raise InvalidOptionError(f"state is {state!r:.60}, expected what save_state returns")
    if state.kind != kind:
        raise InvalidOptionError(f"the saved state belongs to {state.kind}; this environment needs one of {kind}")
    return state


def generator_text(generator: np.random.Generator) -> str:
    """The state of one of Gymnasium's generators as text: what it will draw, and what those that it spawns will."""
    seeds = cast(np.random.SeedSequence, generator.bit_generator.seed_seq)
    return json.dumps([generator.bit_generator.state, seeds.state])


def generator_of(text: str) -> np.random.Generator:
    """A generator in the state that :func:`generator_text` wrote."""
    return _generator(*json.loads(text))


def copied_generator(generator: np.random.Generator) -> np.random.Generator:
    """A copy of one of Gymnasium's generators, in a third of the time that ``deepcopy`` takes."""
    seeds = cast(np.random.SeedSequence, generator.bit_generator.seed_seq)
    return _generator(generator.bit_generator.state, seeds.state)


def _generator(bits: Any, seeds: Mapping[str, Any]) -> np.random.Generator:
    bit_generator = np.random.PCG64(np.random.SeedSequence(**seeds))
    bit_generator.state = bits
    return np.random.Generator(bit_generator)


def _frozen(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.setflags(write=False)
    return copy
