"""The local search of A.2.3 in the matrices of a two-player game, whose goals share at most six predicates."""

import numpy as np
from numba import njit

from procgen_bench.tasks.xland.games.products import count_common_states, count_states, renumbered, signed_products

#: The local modifications of A.2.3.
FLIP, ADD, REMOVE, COPY, COPY_NEGATED = range(5)
MODIFICATIONS = 5


@njit(cache=True)
def climb(rng, goals, ways, conjunctions, target, iterations):
    """Change ``goals`` step by step towards a target; every step takes the best modification of a random goal.

    Args:
        rng: The random generator.
        goals: int8 (2, options, predicates), of a game that is valid (see :func:`is_valid`); changed.
        ways: int64 (ways, predicates), how recolourings of player 2's predicates overlap player 1's; row 0 as they are.
        conjunctions: Most predicates of an option.
        target: float64 (2,), competitiveness and balance.
        iterations: Most steps.

    Returns:
        How far the changed game is from the target (Euclidean distance).
    """
    distance = distance_to(target, goals, ways, np.inf)
    candidate, best = np.empty_like(goals), np.empty_like(goals)
    for _ in range(iterations):
        if distance == 0:
            break
        player = rng.integers(0, 2)
        least = np.inf
        for modification in range(MODIFICATIONS):
            candidate[:] = goals
            modify(rng, candidate[player], goals[1 - player], modification)
            if is_valid(candidate, conjunctions):
                reached = distance_to(target, candidate, ways, least)
                if reached < least:
                    least = reached
                    best[:] = candidate
        if least > distance:
            break
        goals[:] = best
        distance = least
    return distance


@njit(cache=True)
def modify(rng, goal, other, modification):
    """One local modification of ``goal``, int8 (options, predicates); ``other`` is the other player's goal."""
    option = rng.integers(0, len(goal))
    if modification >= COPY:
        copied = other[rng.integers(0, len(other))]
        goal[option] = copied if modification == COPY else -copied
        return
    places = np.flatnonzero(goal[option] == 0 if modification == ADD else goal[option] != 0)
    if len(places) == 0:
        return
    place = places[rng.integers(0, len(places))]
    if modification == FLIP:
        goal[option, place] = -goal[option, place]
    elif modification == ADD:
        goal[option, place] = 2 * rng.integers(0, 2) - 1
    else:
        goal[option, place] = 0


@njit(cache=True)
def is_valid(goals, conjunctions):
    """Whether the game is one to be made: its longest option has so many predicates, and its goals are proper ones.

    That is: no option is empty or repeated in a goal, and no goal is always rewarded.
    """
    longest = 0
    for goal in goals:
        for option in range(len(goal)):
            length = np.count_nonzero(goal[option])
            if length == 0:
                return False
            longest = max(longest, length)
            for earlier in range(option):
                if (goal[option] == goal[earlier]).all():
                    return False
        if count_states(matrix_products(goal), goals.shape[2]) == 1 << goals.shape[2]:
            return False
    return longest == conjunctions


@njit(cache=True)
def matrix_products(goal):
    """The products of a goal over its own predicates, numbered as the columns of its matrix."""
    options = np.zeros((len(goal), 2), np.int64)
    for option in range(goal.shape[0]):
        for place in range(goal.shape[1]):
            if goal[option, place] != 0:
                options[option, 0 if goal[option, place] > 0 else 1] |= 1 << place
    return signed_products(options)


@njit(cache=True)
def distance_to(target, goals, ways, least):
    """Euclidean distance of the game's competitiveness and balance from ``target``; infinite where surely >= ``least``."""
    first, second = matrix_products(goals[0]), matrix_products(goals[1])
    exponent = 2 * goals.shape[2]
    alone = count_states(first, exponent) + count_states(second, exponent)
    common = count_common_states(first, renumbered(second, ways[0]), exponent)
    competitiveness = (alone - 2 * common) / (alone - common)
    if abs(competitiveness - target[0]) >= least:
        return np.inf
    most = common
    for way in range(1, len(ways)):
        most = max(most, count_common_states(first, renumbered(second, ways[way]), exponent))
    balance = most / (alone - most)
    return np.sqrt((competitiveness - target[0]) ** 2 + (balance - target[1]) ** 2)
