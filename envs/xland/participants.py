"""Participants: who plays a seat of a simulation; the two that need to see nothing of it, and policies."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from enum import Enum
from typing import ClassVar

import numpy as np

from procgen_bench.core.errors import InvalidActionError
from procgen_bench.core.policy import NoisyPolicy, Observations, Policy
from procgen_bench.engine.saved_state import generator_of, generator_text
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP, check_actions
from procgen_bench.envs.xland.simulation import XLandSimulation

_SEEDS = 2**63


class _Absent(Enum):
    """What stands in saved participants for their simulation, which is saved apart."""

    SIMULATION = "simulation"


class Participant(ABC):
    """Plays one seat of one episode at a time, with the whole simulation in view.

    What it decides follows from the simulation, the seat and the generator alone. Copies and pickles of it, made
    together with its simulation, go on as it does.

    Attributes:
        simulation: What it plays in.
        seat: Which of the task's players it is, from 0.
        rng: Its random generator.
    """

    #: Its name, where its generator is all that it knows: then plain values save it.
    plain_name: ClassVar[str | None] = None
    simulation: XLandSimulation
    seat: int
    rng: np.random.Generator

    def begin(self, simulation: XLandSimulation, seat: int, rng: np.random.Generator) -> None:
        """Take a seat at the beginning of an episode; what was remembered of another one is forgotten."""
        self.simulation, self.seat, self.rng = simulation, seat, rng

    @abstractmethod
    def act(self) -> np.ndarray:
        """What it does in the simulation's next step: int64 (6,), see :mod:`procgen_bench.envs.xland.actions`.

        Called once before every step, also while the player is gone; the simulation stays as it is.
        """


class NoopParticipant(Participant):
    """Does nothing."""

    plain_name = "noop"

    def act(self) -> np.ndarray:
        """The action that does nothing: int64 (6,)."""
        return np.array(NOOP)


class RandomParticipant(Participant):
    """Draws every action evenly from all."""

    plain_name = "random"

    def act(self) -> np.ndarray:
        """A drawn action: int64 (6,)."""
        return self.rng.integers(0, ACTION_CHOICES)


class FunctionPolicy(Policy):
    """A policy that is a function of observations and episode starts.

    Args:
        function: Observations (N, ...) by name, and bool (N,), whose episodes begin -> actions, int64 (N, 6).
    """

    def __init__(self, function: Callable[[Observations, np.ndarray], np.ndarray]):
        self._function = function

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The function's actions, int64 (N, 6), for ``observations`` (N, ...) and ``episode_starts`` (bool (N,))."""
        return self._function(observations, episode_starts)


def frozen(player: Policy | Callable[..., np.ndarray]) -> Policy:
    """A policy that stays as ``player`` is now: a copy of a policy; a function, as of :class:`FunctionPolicy` (actions
    int64 (N, 6)), as it is."""
    return deepcopy(player) if isinstance(player, Policy) else FunctionPolicy(player)


def asked(policy: Policy, observations: dict[str, np.ndarray], starts: np.ndarray) -> np.ndarray:
    """A policy's actions for N players, int64 (N, 6).

    Args:
        policy: Who is asked.
        observations: Theirs, (N, ...) by name.
        starts: bool (N,), whose episodes begin.

    Raises:
        InvalidActionError: They are no actions of XLand's.
    """
    try:
        return check_actions(policy.act(observations, starts), len(starts))
    except InvalidActionError as error:
        raise InvalidActionError(f"the {error}, of a co-player that is a {type(policy).__name__}") from None


class PolicyParticipant(Participant):
    """Plays by a copy of a policy, which knows what the player at its seat observes and nothing else.

    Attributes:
        observation: What that player observes now, one observation; set before every call of ``act``.

    Args:
        policy: Who plays: a policy, or a function as of :class:`FunctionPolicy` (actions int64 (N, 6)).
    """

    observation: dict[str, np.ndarray]

    def __init__(self, policy: Policy | Callable[..., np.ndarray]):
        self._policy = frozen(policy)

    def begin(self, simulation: XLandSimulation, seat: int, rng: np.random.Generator) -> None:
        """Take a seat; the policy is seeded from ``rng``."""
        super().begin(simulation, seat, rng)
        seed_seat(self._policy, 0, int(rng.integers(_SEEDS)))
        self._starts = np.ones(1, np.bool_)

    def act(self) -> np.ndarray:
        """The policy's choice, int64 (6,); :class:`InvalidActionError` where it is no action of XLand's."""
        batch = {name: array[np.newaxis] for name, array in self.observation.items()}
        actions = asked(self._policy, batch, self._starts)
        self._starts = np.zeros(1, np.bool_)
        return actions[0]


def seed_seat(policy: Policy, row: int, seed: int) -> None:
    """An episode of this seed begins in a row that the policy plays; a policy without noise by row is seeded whole."""
    if isinstance(policy, NoisyPolicy):
        policy.begin_noise(row, seed)
    else:
        policy.seed(seed)


#: A participant as it is saved: a copy, or its name, seat and generator.
SavedParticipant = Participant | tuple[str, int, str]


def save_participants(participants: Sequence[Participant], simulation: XLandSimulation) -> tuple[SavedParticipant, ...]:
    """An episode's participants as they are, to :func:`load_participants`; the simulation is not in them."""
    memo = {id(simulation): _Absent.SIMULATION}
    return tuple(
        deepcopy(one, memo) if one.plain_name is None else (one.plain_name, one.seat, generator_text(one.rng))
        for one in participants
    )


def load_participants(saved: Sequence[SavedParticipant], simulation: XLandSimulation) -> list[Participant]:
    """Participants who go on in ``simulation`` as the saved ones would have."""
    memo = {id(_Absent.SIMULATION): simulation}
    return [_plain_one(*one, simulation) if isinstance(one, tuple) else deepcopy(one, memo) for one in saved]


def _plain_one(name: str, seat: int, generator: str, simulation: XLandSimulation) -> Participant:
    participant = next(kind for kind in (NoopParticipant, RandomParticipant) if kind.plain_name == name)()
    participant.begin(simulation, seat, generator_of(generator))
    return participant
