"""Proving: whole tasks by the scripted player; the table over all hand-authored tasks is slow."""

import numpy as np
import pytest

from procgen_bench.envs.xland.participants import NoopParticipant, RandomParticipant
from procgen_bench.envs.xland.scripted.proving import play_scripted
from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.tasks.xland import hand_authored_task
from procgen_bench.tasks.xland.hand_authored import task_names

#: Tasks of the table in which the scripted player must be rewarded, of 42.
LEAST_REWARDED = 35


def test_a_proof_replays():
    task = hand_authored_task("xfootball").task
    played = play_scripted(task, 0)
    assert played.actions.shape == (EPISODE_STEPS, 2, 6) and played.actions.dtype == np.int64
    simulation, returns = XLandSimulation(task), np.zeros(2)
    for joint in played.actions:
        returns += simulation.step(joint)
    assert np.array_equal(returns, played.returns) and returns[0] > 0


def test_seeds_bind_the_draws_of_all_seats():
    task = hand_authored_task("make_follow_easy").task
    first, again, other = (play_scripted(task, seed, RandomParticipant()).actions for seed in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first[:, 0], other[:, 0])


@pytest.mark.parametrize("name", [name for name in task_names() if hand_authored_task(name).solvable])
def test_tasks_that_are_claimed_solvable_are_solved(name):
    """For most of the two minutes."""
    assert play_scripted(hand_authored_task(name).task, 0).returns[0] > 700


@pytest.mark.slow
def test_table_of_the_hand_authored_tasks():
    """Returns of player 1 against the task's own co-players: scripted, random, and doing nothing."""
    rewarded = {"scripted": 0, "random": 0, "noop": 0}
    print(f"\n{'task':34s} {'co-players':16s} " + " ".join(f"{name:>8s}" for name in rewarded))
    for name in task_names():
        authored = hand_authored_task(name)
        players = {"scripted": None, "random": RandomParticipant(), "noop": NoopParticipant()}
        returns = {who: play_scripted(authored.task, 0, first).returns[0] for who, first in players.items()}
        print(f"{name:34s} {','.join(authored.task.co_players):16s} " + " ".join(f"{v:8.0f}" for v in returns.values()))
        for who, value in returns.items():
            rewarded[who] += value > 0
        assert returns["scripted"] > 0 or not authored.solvable, name
    print(f"{'rewarded':51s} " + " ".join(f"{count:8d}" for count in rewarded.values()))
    assert rewarded["scripted"] >= LEAST_REWARDED
    assert rewarded["scripted"] > 2 * max(rewarded["random"], rewarded["noop"])
