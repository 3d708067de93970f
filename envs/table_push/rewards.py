"""TablePush's rules: what a push earns, and whether it ends the episode. They know no physics."""

from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.table_push.table import GOAL_RADIUS

GOAL_REWARD, FALL_REWARD, COLLISION_REWARD = 1.0, -0.2, -0.1


class PushReward(NamedTuple):
    """What a push has earned.

    Attributes:
        reward: In [-1, 1].
        terminated: Whether the episode is over.
        success: Whether the target has reached the goal.
    """

    reward: float
    terminated: bool
    success: bool


def reward_push(before: float, after: float, goal_range: float, fallen: bool, collided: bool) -> PushReward:
    """What a push earns; a fall outweighs a collision, and either outweighs the goal.

    The goal is for a target that comes to it: one that starts there earns nothing by pushes that leave it there.

    Args:
        before, after: The target's distance from the goal's middle (metres); NaN where it is absent.
        goal_range: r2, metres.
        fallen, collided: Results of the push.
    """
    if fallen:
        return PushReward(FALL_REWARD, True, False)
    if collided:
        return PushReward(COLLISION_REWARD, True, False)
    if before > GOAL_RADIUS >= after:
        return PushReward(GOAL_REWARD, True, True)
    return PushReward(progress(before, after, goal_range), False, False)


def progress(before: float, after: float, goal_range: float) -> float:
    """The distance gained between the goal's two radii, as a share of r2 - r1; negative where it is lost.

    Pushes into the range and out of it earn and lose for their part inside, so that going to and fro earns nothing.
    """
    if np.isnan(after) or goal_range <= GOAL_RADIUS:
        return 0.0
    gained = np.clip(before, GOAL_RADIUS, goal_range) - np.clip(after, GOAL_RADIUS, goal_range)
    return float(gained) / (goal_range - GOAL_RADIUS)
