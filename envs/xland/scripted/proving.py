"""Proving: a whole task played by the scripted player, against the task's own co-players."""

from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.seeding import seed_from_parts
from procgen_bench.tasks.xland.task import XLandTask


class PlayedTask(NamedTuple):
    """An episode.

    Attributes:
        returns: float64 (P,), the sum of every player's rewards: steps in which its goal held.
        actions: int64 (T, P, 6), what the players did, to be replayed.
    """

    returns: np.ndarray
    actions: np.ndarray


def play_scripted(task: XLandTask, seed: int, first: Participant | None = None) -> PlayedTask:
    """Play a task from its beginning to its end.

    Args:
        task: A valid task. Seats for which it names no co-player are played by one that does nothing.
        seed: Of the players' generators: each has its own, bound to the seed, the task and its seat.
        first: Who plays seat 1; the scripted player by default.
    """
    simulation = XLandSimulation(task)
    num_players = simulation.bodies.num_players
    names = task.co_players or ("noop",) * (num_players - 1)
    participants = [first or ScriptedParticipant(), *(new_co_player(name) for name in names)]
    for seat, participant in enumerate(participants):
        rng = np.random.default_rng(seed_from_parts("xland", task.fingerprint(), seat, seed))
        participant.begin(simulation, seat, rng)
    returns, actions = np.zeros(num_players), []
    while simulation.ended is None:
        joint = np.array([participant.act() for participant in participants])
        returns += simulation.step(joint)
        actions.append(joint)
    return PlayedTask(returns, np.array(actions))
