"""Why regret alone makes environments harder and harder: the chain of CoDE's section 4 and appendix A.2.

States 0 to N in a row; a step goes right with probability p, else left (at 0 it stays), and the goal N is to be reached
within N + 2L steps, for +1, else -1. An optimal player always reaches it, so the regret to it is the greater the longer
the chain: a generator that is paid for that only makes it longer. CoDE's objective is the greatest where a player just
bears it.

python examples/chain.py --right 0.9 --slack 4
"""

import argparse
import math

import numpy as np

from procgen_bench.baselines.papers.code.objectives import Outcome, design_rewards


def reach(length: int, right: float, slack: int) -> float:
    """The probability that the goal is reached, by following where the player can be."""
    chances = np.eye(1, length + 1)[0]
    for _ in range(length + 2 * slack):
        moved = np.zeros(length + 1)
        moved[1:] += right * chances[:-1]
        moved[: length - 1] += (1 - right) * chances[1:length]
        moved[0] += (1 - right) * chances[0]
        moved[length] += chances[length]
        chances = moved
    return float(chances[length])


def published_sum(length: int, right: float, slack: int) -> float:
    """Equation 7, which counts ways through the goal and back to it, too, and none that stay at the first state."""
    ways = ((math.comb(length + 2 * t, t) * (right * (1 - right)) ** t) for t in range(slack + 1))
    return right**length * sum(ways)


def published_bound(length: int, right: float, slack: int) -> float:
    """Equation 8; as C(N + 2t, t) is no less than C(L, t), it is below equation 7, not above it."""
    return right**length * (1 + right - right**2) ** slack


def objectives(length: int, longest: int, better: float, worse: float, slack: int) -> dict[str, float]:
    """What a chain pays a generator: regret to an optimal player, population regret, and CoDE with alpha 0.8.

    Args:
        length: N.
        longest: Of a generator's chains.
        better, worse: How likely each of two players goes right.
        slack: L.
    """
    returns = np.array([[2 * reach(length, right, slack) - 1] for right in (better, worse)])
    outcome = [Outcome(returns, length, length, 0, 0)]
    regret = design_rewards(outcome, "pop-regret", 0.0, "active", longest, 0.0).rewards[0]
    code = design_rewards(outcome, "code", 0.8, "active", longest, 0.0).rewards[0]
    return {"optimal": 1 - float(returns.mean()), "population": float(regret), "code": float(code)}


def main() -> None:
    """Print the chain's figures, a line for each length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--right", type=float, default=0.9, help="probability of a step to the right, of the better one"
    )
    parser.add_argument("--worse", type=float, default=0.8, help="of the worse one")
    parser.add_argument("--slack", type=int, default=4, help="L: pairs of steps beyond the shortest way")
    parser.add_argument("--longest", type=int, default=40, help="greatest length")
    arguments = parser.parse_args()
    print("length  reached  equation 7  equation 8  regret to optimal  population regret  CoDE")
    for length in range(2, arguments.longest + 1, 2):
        chain = length, arguments.right, arguments.slack
        paid = objectives(length, arguments.longest, arguments.right, arguments.worse, arguments.slack)
        numbers = [reach(*chain), published_sum(*chain), published_bound(*chain), *paid.values()]
        print(f"{length:6}  " + "  ".join(f"{number:7.3f}" for number in numbers))


if __name__ == "__main__":
    main()
