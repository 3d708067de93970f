"""The local search of A.2.3 in the matrices of a two-player game, whose goals share at most six predicates."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.tasks.xland.games.products import count_common_states, count_states, renumbered, signed_products


@njit
def climb(rng, goals, ways, conjunctions, target, iterations):
    """Change ``goals`` step by step towards a target; every step makes the best modification of a random goal.

    It ends where every modification leads away from the target. Among equally good ones one is drawn, so that the
    search strolls over plateaus.

    Args:
        rng: The random generator.
        goals: int8 (2, options, predicates): two proper goals (see :func:`is_proper`); changed.
        ways: int64 (2, ways, predicates), how recolourings make the predicates overlap: ``ways[player]`` are local
            numbers of the co-player's predicates where those of ``player`` are their columns; row 0 as they are.
        conjunctions: Predicates of the longest option of the game.
        target: float64 (2,), competitiveness and balance.
        iterations: Most steps.

    Returns:
        How far the changed game is from the target (Euclidean distance).
    """
    distance = distance_to(target, matrix_products(goals[0]), every_way(goals[1], ways[0]), goals.shape[2], np.inf)
    candidate, best = np.empty_like(goals[0]), np.empty_like(goals[0])
    for _ in range(iterations):
        if distance == 0:
            break
        player = rng.integers(0, 2)
        goal, other = goals[player], goals[1 - player]
        other_longest = longest_option(other)
        recoloured = every_way(other, ways[player])
        least, ties = np.inf, 0
        for modification in range(count_modifications(goal)):
            copy(goal, candidate)
            modify(candidate, other, modification)
            if max(longest_option(candidate), other_longest) != conjunctions:
                continue
            products = matrix_products(candidate)
            if not is_proper(candidate, products):
                continue
            reached = distance_to(target, products, recoloured, goals.shape[2], least)
            if reached < least:
                least, ties = reached, 0
            if reached == least:
                ties += 1
                if rng.integers(0, ties) == 0:
                    copy(candidate, best)
        if least > distance:
            break
        copy(best, goals[player])
        distance = least
    return distance


@njit
def count_modifications(goal):
    """How many local modifications ``goal`` has, those that change nothing or make no proper goal included."""
    options, predicates = goal.shape
    return 2 * options * predicates + 2 * options * options


@njit
def modify(goal, other, modification):
    """One of the local modifications of A.2.3 of ``goal``, int8 (options, predicates); ``other`` is the other player's.

    The first change one entry of the matrix: flip a predicate, add it or its negation, or remove it. Then come copies
    of an option of the other goal in the place of one of this, and copies negated predicate by predicate.
    """
    options, predicates = goal.shape
    changes = 2 * options * predicates
    if modification < changes:
        option, place = divmod(modification // 2, predicates)
        # Of -1, 0 and 1 the two that are not there.
        goal[option, place] = (goal[option, place] + 2 + modification % 2) % 3 - 1
    else:
        pair, negated = divmod(modification - changes, 2)
        copied = other[pair // options]
        goal[pair % options] = -copied if negated else copied


@njit
def longest_option(goal):
    """Number of predicates in the longest option."""
    longest = 0
    for option in goal:
        longest = max(longest, np.count_nonzero(option))
    return longest


@njit
def is_proper(goal, products):
    """Whether no option is empty or repeated, and some state is not rewarded."""
    for option in range(len(goal)):
        if not goal[option].any():
            return False
        for earlier in range(option):
            if (goal[option] == goal[earlier]).all():
                return False
    return count_states(products, goal.shape[1]) < 1 << goal.shape[1]


@njit
def matrix_products(goal):
    """The products of a goal over its own predicates, numbered as the columns of its matrix."""
    options = np.zeros((len(goal), 2), np.int64)
    for option in range(goal.shape[0]):
        for place in range(goal.shape[1]):
            if goal[option, place] != 0:
                options[option, 0 if goal[option, place] > 0 else 1] |= 1 << place
    return signed_products(options)


@njit
def every_way(goal, ways):
    """The products of a goal in every way that it can be recoloured: int64 (ways, products, 3)."""
    products = matrix_products(goal)
    recoloured = np.empty((len(ways), len(products), 3), np.int64)
    for way in range(len(ways)):
        copy(renumbered(products, ways[way]), recoloured[way])
    return recoloured


@njit
def distance_to(target, products, recoloured, predicates, least):
    """How far the game's competitiveness and balance are from ``target``; infinite where surely above ``least``.

    Args:
        target: float64 (2,).
        products: int64 (products, 3), of one goal.
        recoloured: int64 (ways, products, 3), of the other goal in all ways, the first as it is.
        predicates: Number of predicates of each goal.
        least: What matters is below this or equal.
    """
    exponent = 2 * predicates
    alone = count_states(products, exponent) + count_states(recoloured[0], exponent)
    common = count_common_states(products, recoloured[0], exponent)
    competitiveness = (alone - 2 * common) / (alone - common)
    if abs(competitiveness - target[0]) > least:
        return np.inf
    most = common
    for way in range(1, len(recoloured)):
        most = max(most, count_common_states(products, recoloured[way], exponent))
    balance = most / (alone - most)
    return np.sqrt((competitiveness - target[0]) ** 2 + (balance - target[1]) ** 2)
