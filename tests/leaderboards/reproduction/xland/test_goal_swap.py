"""Figure 25: who follows the goal that is shown meets the second one after the swap; who does not, does not."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.observations import goal_arrays
from procgen_bench.leaderboards.reproduction.xland.goal_swap import (
    KEEP,
    RANDOM,
    SWAP,
    SWAP_AND_FORGET,
    GoalSwap,
    Swap,
    draw_swaps,
    play_swaps,
)
from procgen_bench.leaderboards.reproduction.xland.playing import load_player
from procgen_bench.tasks.xland.games.goal import parse_goal
from tests.leaderboards.reproduction.xland.followers import Follower, room

STEPS = 120


@pytest.fixture(scope="module")
def swaps():
    """From a thing in one corner to one in the other, by near and by see."""
    made = []
    for skill, form in (("see", "see(me,{})"), ("near", "near(me,{})")):
        goals = tuple(parse_goal(form.format(thing)) for thing in ("black cube", "yellow sphere"))
        either = f"{goals[0]} | {goals[1]}"
        made += [Swap((skill, skill), goals, room(f"{either}\n{either}", facing)) for facing in (0.0, 3.1)]
    return made


def shares(policy, swaps, arm):
    """Mean shares of steps in which the goals (columns) are met in the halves (rows)."""
    return play_swaps(policy, swaps, arm, STEPS).reshape(len(swaps), 2, 2, -1).mean(axis=(0, 3)).T


def test_goals_of_an_episode_share_nothing_and_its_task_names_both():
    drawn = draw_swaps(np.random.default_rng(0), 1, ("see", "near"))
    assert [swap.skills for swap in drawn] == [("see", "see"), ("see", "near"), ("near", "see"), ("near", "near")]
    for swap in drawn:
        first, second = (set(goal.atoms.tolist()) for goal in swap.goals)
        assert not first & second and set(swap.task.game.goals[0].atoms.tolist()) == first | second
        assert len(swap.task.game.objects) == 2


def test_who_follows_goals_swaps_and_who_is_stubborn_does_not(swaps):
    before, after = shares(Follower(), swaps, SWAP)
    kept = shares(Follower(), swaps, KEEP)
    assert before[0] > 0.6 and after[1] > 0.4 and before[1] < 0.2 and kept[1, 1] < 0.2
    assert np.array_equal(kept[0], before)
    assert np.array_equal(shares(Follower(is_stubborn=True), swaps, SWAP), kept)


def test_a_stubborn_one_swaps_when_its_memory_is_cleared(swaps):
    assert np.array_equal(
        play_swaps(Follower(is_stubborn=True), swaps, SWAP_AND_FORGET, STEPS),
        play_swaps(Follower(), swaps, SWAP, STEPS),
    )


class Watched(Policy):
    """Notes what it is shown."""

    def __init__(self):
        self.goals, self.starts = [], []

    def act(self, observations, episode_starts):
        self.goals.append((observations["goal_matrix"].copy(), observations["goal_atoms"].copy()))
        self.starts.append(episode_starts.copy())
        return np.tile(np.array(NOOP), (len(episode_starts), 1))


@pytest.mark.parametrize(("arm", "starts"), [(SWAP, [0]), (KEEP, [0]), (SWAP_AND_FORGET, [0, 3])])
def test_what_is_shown_by_arm(swaps, arm, starts):
    policy = Watched()
    play_swaps(policy, swaps, arm, 6)
    assert [place for place, begin in enumerate(policy.starts) if begin.any()] == starts
    assert all(begin.all() == begin.any() for begin in policy.starts)
    for number, (matrices, atoms) in enumerate(policy.goals):
        shown = [goal_arrays(swap.goals[int(number >= 3 and arm != KEEP)]) for swap in swaps]
        assert np.array_equal(matrices, [one.matrix for one in shown])
        assert np.array_equal(atoms, [one.atoms for one in shown])


def test_key_numbers_are_means_over_pairs_and_worlds():
    rng = np.random.default_rng(0)
    shares = {arm: rng.random((2, 2, 3, 2, 2)) for arm in (SWAP, KEEP, RANDOM)}
    numbers = {row.name: row.ours for row in GoalSwap(("see", "near"), shares, {}).key_numbers()}
    after_swap = shares[SWAP][:, :, :, 1, 1]
    assert numbers["met, second goal, after"] == f"{after_swap.mean():.3f} ± {after_swap.std(ddof=1) / 12**0.5:.3f}"
    assert numbers["met, first goal, after, first kept"].startswith(f"{shares[KEEP][:, :, :, 1, 0].mean():.3f}")
    assert numbers["met, second goal, after, memory cleared"] == "the policy has no memory"


def test_a_policy_that_is_given_its_task_is_refused():
    with pytest.raises(InvalidPolicyError, match="xland-steady is given its task, expected a policy that"):
        load_player("xland-steady")
