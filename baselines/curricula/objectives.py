"""What a generator of designs is paid for: population regret, difficulty, and its rivals' objectives."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

Objective = Literal["code", "pop-regret", "difficulty", "paired", "flexible-paired", "alp"]
#: What difficulty may count.
COUNTED = ("all", "active", "distinct")
#: What a design with nothing to do pays: sending it off at once is rewarded, and is no task.
TRIVIAL = -1.0


class Outcome(NamedTuple):
    """What came of a design.

    Attributes:
        returns: float64 (P, M), undiscounted returns of M episodes of each of P players, the student first; ``None``:
            there was nothing to do, and it was not played.
        placed: Its primitives, each once on its place.
        active: Those of them that have to be done.
        repeated: Choices of what stood there already.
        lost: Choices for which the steps of an episode did not suffice.
    """

    returns: np.ndarray | None
    placed: int
    active: int
    repeated: int
    lost: int


class Judgement(NamedTuple):
    """What a batch of B designs pays.

    Attributes:
        rewards: float64 (B,), for what was drawn: REINFORCE's.
        direct: float64 (B,), by what N^'s share of the greatest is multiplied, which is differentiated directly: it is
            a function of the network alone, so that as a reward of what is drawn its gradient would be about zero.
        last_return: The student's mean return in the last design that was played.
    """

    rewards: np.ndarray
    direct: np.ndarray
    last_return: float


def judge(
    outcomes: Sequence[Outcome],
    objective: Objective,
    alpha: float,
    count: str,
    slots: int,
    return_before: float,
    threshold: float = 0.0,
) -> Judgement:
    """What designs pay.

    Args:
        outcomes: What came of them.
        objective: What is paid for.
        alpha: Share of difficulty in ``"code"``'s.
        count: What difficulty counts: N^ (``"all"``), or of what is placed the active ones or all different ones.
        slots: Choices of a design, n.
        return_before: The student's mean return in the design before.
        threshold: Return of the best player above which difficulty is paid for, and below which it costs (the paper's
            beta and delta, which it keeps equal), by how far the return is from there. At 0, the paper's, designs
            that nobody solves cost nothing where failing is worth 0.
    """
    share = {"code": alpha, "difficulty": 1.0}.get(objective, 0.0)
    rewards, direct = np.full(len(outcomes), TRIVIAL), np.zeros(len(outcomes))
    for place, one in enumerate(outcomes):
        if one.returns is None:
            continue
        returns = one.returns.clip(-1, 1)
        means = returns.mean(axis=1)
        best = float(means.max())
        match objective:
            case "code" | "pop-regret" | "difficulty":
                rewards[place] = (1 - share) * (best - float(means.mean()))
            case "paired":
                rewards[place] = float(returns[1].max() - means[0])
            case "flexible-paired":
                rewards[place] = float(returns[int(means.argmax())].max() - means.min())
            case "alp":
                rewards[place] = abs(float(means[0]) - return_before)
                return_before = float(means[0])
        # Equation 2 scaled by the best player's return, counted from the threshold: below it designs are made shorter.
        scale = share * float(np.clip(best - threshold, -1.0, 1.0))
        if count == "all":
            direct[place] = scale
        else:
            rewards[place] += scale * (one.active if count == "active" else one.placed) / slots
    return Judgement(rewards, direct, return_before)


def regret_floor(returns: np.ndarray) -> float:
    """The regret (P, M) that two copies of one player would have by chance alone.

    Of two means of M independent episodes the greater one is above both's mean by half their difference: as much as
    half the difference of two episodes, divided by the root of M; the mean over players and pairs of episodes.
    """
    episodes = returns.shape[1]
    if episodes < 2:
        return float("nan")
    differences = np.abs(returns[:, :, None] - returns[:, None, :]).sum() / (len(returns) * episodes * (episodes - 1))
    return float(differences / 2 / np.sqrt(episodes))
