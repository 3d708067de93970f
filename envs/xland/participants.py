"""Participants: who plays a seat of a simulation, and the two that need to see nothing of it."""

from abc import ABC, abstractmethod

import numpy as np

from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation


class Participant(ABC):
    """Plays one seat of one episode at a time, with the whole simulation in view.

    What it decides follows from the simulation, the seat and the generator alone. Copies and pickles of it, made
    together with its simulation, go on as it does.

    Attributes:
        simulation: What it plays in.
        seat: Which of the task's players it is, from 0.
        rng: Its source of chance.
    """

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

    def act(self) -> np.ndarray:
        """The action that does nothing."""
        return np.array(NOOP)


class RandomParticipant(Participant):
    """Draws every action evenly from all."""

    def act(self) -> np.ndarray:
        """A drawn action."""
        return self.rng.integers(0, ACTION_CHOICES)
