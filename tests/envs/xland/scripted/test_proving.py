"""Proving: whole tasks by the scripted player; the table over all hand-authored tasks is slow."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.participants import NoopParticipant, RandomParticipant
from procgen_bench.envs.xland.scripted.proving import play_scripted
from procgen_bench.envs.xland.simulation import EPISODE_STEPS
from procgen_bench.tasks.xland import hand_authored_task
from procgen_bench.tasks.xland.hand_authored import task_names
from tests.envs.xland.scenes import player, simulate

#: Tasks of the table in which the scripted player must be rewarded, of 42.
LEAST_REWARDED = 35


def test_a_solution_replays():
    task = hand_authored_task("xfootball").task
    played, env, total = play_scripted(task, 0), XLandEnv(observation="state"), 0.0
    solution = XLandEnv.task_space.solve(task)
    assert solution.shape == (EPISODE_STEPS, 6) and solution.dtype == np.int8
    env.reset(seed=0, options={"task": task})
    for action in solution:
        _, reward, _, _, info = env.step(action)
        total += reward
    assert info["success"] and total == played.returns[0] > 0


def test_what_the_scripted_player_is_not_rewarded_in_stays_open():
    """The sphere is out of reach for a beam, and on a level that no ramp leads to; but some player stands there."""
    game = "hold(me,purple sphere)\nhold(me,purple sphere)\n"
    tiles = "2. 2. 0. 0. 0. 0. 0.\n" * 2 + "0. 0. 0. 0. 0. 0. 0.\n" * 5
    blue, red = player("blue", 5.5, 1.5), player("red", 1.5, 5.5)
    task = simulate(tiles, "purple sphere 0.6 m at 0.5 6.5 facing 0", blue, red, game=game).task
    task = replace(task, co_players=("noop",))
    assert not XLandEnv.task_space.is_solvable(task)
    with pytest.raises(UnsolvedTaskError, match="the scripted player is not rewarded in this task"):
        XLandEnv.task_space.solve(task)


def test_seeds_bind_the_draws_of_all_seats():
    task = hand_authored_task("make_follow_easy").task
    first, again, other = (play_scripted(task, seed, RandomParticipant()).actions for seed in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if number % 6 else ())
        for number, name in enumerate(name for name in task_names() if hand_authored_task(name).solvable)
    ],
)
def test_tasks_that_are_claimed_solvable_are_solved(name):
    """For most of the two minutes: a player that is always tagged again is away for 668 of the 900 steps."""
    assert play_scripted(hand_authored_task(name).task, 0).returns[0] > 660


def test_who_hides_is_lured_to_where_the_goal_has_them():
    """Red keeps behind blue's back, which blue turns to cube and pyramid; to carry these to it earned 8 to 595."""
    assert play_scripted(hand_authored_task("sheep_herder").task, 0).returns[0] > 700


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_doing_nothing_gathers_less_than_playing(seed):
    task = hand_authored_task("catch_em_all").task
    assert play_scripted(task, seed, NoopParticipant()).returns[0] < play_scripted(task, seed).returns[0]


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
