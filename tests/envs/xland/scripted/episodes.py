"""Episodes of scripted players in small worlds, for tests."""

import numpy as np

from procgen_bench.envs.xland.participants import NoopParticipant, Participant
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.simulation import XLandSimulation


def seat(simulation: XLandSimulation, *participants: Participant, seed: int = 0) -> list[Participant]:
    """Seat participants in a simulation; seats without one are played by one that does nothing."""
    missing = simulation.bodies.num_players - len(participants)
    seated = [*participants, *(NoopParticipant() for _ in range(missing))]
    for number, participant in enumerate(seated):
        participant.begin(simulation, number, np.random.default_rng([seed, number]))
    return seated


def play(simulation: XLandSimulation, participants: list[Participant], steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Rewards, float64 (steps, P), and actions, int64 (steps, P, 6), of some steps."""
    rewards, actions = [], []
    for _ in range(steps):
        joint = np.array([participant.act() for participant in participants])
        rewards.append(simulation.step(joint).copy())
        actions.append(joint)
    return np.array(rewards), np.array(actions)


def first_reward(simulation: XLandSimulation, steps: int, *participants: Participant) -> int:
    """The step, from 1, after which the first player is rewarded first; fails without one. The rest is played on, and
    the player must still be rewarded in its last step."""
    seated = seat(simulation, *(participants or (ScriptedParticipant(),)))
    rewards, _ = play(simulation, seated, steps)
    rewarded = np.flatnonzero(rewards[:, 0])
    assert len(rewarded), f"no reward in {steps} steps"
    assert rewards[-1, 0], "the goal has been lost again"
    return int(rewarded[0]) + 1
