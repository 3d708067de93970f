"""Rewards of a generator of designs: population regret, difficulty, and its rivals' objectives."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

Objective = Literal["code", "pop-regret", "difficulty", "paired", "flexible-paired", "alp"]
#: Reward of a design with nothing to do: submitting it at once would be a success, and is no task.
TRIVIAL = -1.0
#: Least deviation that rewards, of [-1, 1], are divided by: where all are nearly equal, chance alone is left.
LEAST_DEVIATION = 0.1


class Outcome(NamedTuple):
    """The result of a design.

    Attributes:
        returns: float64 (P, M), undiscounted returns of M episodes of each of P players, the student first; ``None``:
            the design has nothing to do, and was not played.
        placed: Number of its primitives, each counted once per place.
        active: Number of them that have to be done.
        repeated: Number of choices that repeat a primitive on its place.
        lost: Number of choices that an episode's steps do not allow.
    """

    returns: np.ndarray | None
    placed: int
    active: int
    repeated: int
    lost: int

    @property
    def bounded(self) -> np.ndarray | None:
        """The returns within [-1, 1], by which generators are rewarded: an idle episode on a site has -14."""
        return None if self.returns is None else self.returns.clip(-1, 1)


class DesignRewards(NamedTuple):
    """Rewards of a batch of B designs.

    Attributes:
        rewards: float64 (B,), for REINFORCE.
        direct: float64 (B,), factors of N^ as a share of its maximum, which is differentiated directly: N^ is a
            function of the network only, so as a reward of sampled choices its gradient would be about zero.
        last_return: The student's mean return in the last design that was played.
        deviation: What REINFORCE divides by: the rewards' standard deviation, at least ``LEAST_DEVIATION``. Beside
            difficulty it is that of the whole regret, or the division would undo the factor 1 - alpha. Designs with
            nothing to do are left out of it if their reward is scaled.
    """

    rewards: np.ndarray
    direct: np.ndarray
    last_return: float
    deviation: float


def design_rewards(
    outcomes: Sequence[Outcome],
    objective: Objective,
    alpha: float,
    count: str,
    slots: int,
    return_before: float,
    threshold: float = 0.0,
    regret: str = "mean",
    trivial: str = "whole",
    room: float = 1.0,
) -> DesignRewards:
    """The generator's rewards for designs.

    Args:
        outcomes: The results of the designs.
        objective: The generator's objective.
        alpha: Share of difficulty in the objective ``"code"``.
        count: What difficulty counts: N^ (``"all"``), or the active or all distinct primitives that were placed.
        slots: Choices of a design, n.
        return_before: The student's mean return in the design before.
        threshold: Return of the best player above which difficulty is rewarded, and below which it is penalised (the
            paper's beta and delta, which it keeps equal), by the distance from it. At 0, the paper's value, designs
            that nobody solves cost nothing if the return of a failure is 0.
        regret: What population regret is counted from: the best player's ``"mean"`` return, or the best ``"episode"``
            of any player. Players who fail the same tasks have no regret by their means, for their k-th episodes are
            of one task; the best episode tells.
        trivial: Whether designs with nothing to do have ``TRIVIAL`` as it is, and their part in the deviation
            (``"whole"``), or 1 - alpha of it and no part (``"scaled"``).
        room: Share of difficulty that is left below its maximum, in [0, 1]. Of designs that pay for difficulty, regret
            has what difficulty has no room for: 1 - alpha * room.
    """
    share = {"code": alpha, "difficulty": 1.0}.get(objective, 0.0)
    rewards, direct = np.full(len(outcomes), TRIVIAL), np.zeros(len(outcomes))
    divided = rewards.copy()
    if trivial == "scaled":
        rewards *= 1 - share
        divided[[one.returns is None for one in outcomes]] = np.nan
    for place, one in enumerate(outcomes):
        returns = one.bounded
        if returns is None:
            continue
        means = returns.mean(axis=1)
        best = float(means.max())
        match objective:
            case "code" | "pop-regret" | "difficulty":
                top = float(returns.max()) if regret == "episode" else best
                rewards[place] = top - float(means.mean()) if share < 1 else 0.0
            case "paired":
                rewards[place] = float(returns[1].max() - means[0])
            case "flexible-paired":
                rewards[place] = float(returns[int(means.argmax())].max() - means.min())
            case "alp":
                rewards[place] = abs(float(means[0]) - return_before)
                return_before = float(means[0])
        # Equation 2 scaled by the best player's return, counted from the threshold: below it designs are made shorter.
        scale = share * float(np.clip(best - threshold, -1.0, 1.0))
        divided[place] = rewards[place]
        rewards[place] *= 1 - share * (room if scale >= 0 else 1.0)
        if count == "all":
            direct[place] = scale
        else:
            rewards[place] += scale * (one.active if count == "active" else one.placed) / slots
            divided[place] = rewards[place]
    told_apart = divided[~np.isnan(divided)]
    deviation = float(told_apart.std()) if len(told_apart) else 0.0
    return DesignRewards(rewards, direct, return_before, max(deviation, LEAST_DEVIATION))


def regret_floor(returns: np.ndarray) -> float:
    """The expected regret between two copies of one player, from returns (P, M); NaN of one player or one episode.

    The k-th episodes of all players are of one task, so what is noise is how much the difference of two players varies
    from task to task: their tasks' own spread is the same for both. Of two means the greater one is above both's mean
    by half their difference, which, were the players alike, would be as great as the difference of two such differences
    divided by the root of 2 M.
    """
    players, episodes = returns.shape
    if players < 2 or episodes < 2:
        return float("nan")
    first, second = np.triu_indices(players, 1)
    apart = returns[first] - returns[second]
    spread = np.abs(apart[:, :, None] - apart[:, None, :]).sum() / (len(apart) * episodes * (episodes - 1))
    return float(spread / 2 / np.sqrt(2 * episodes))
