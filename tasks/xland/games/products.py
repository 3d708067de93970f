"""Goals as signed sums of products of atoms, and how many truth assignments satisfy one goal, two or three.

By inclusion and exclusion the truth (0 or 1) of options joined by *or* is a sum, over sets of options, of the truth of
all of them joined by *and*, with signs that alternate. A product of r different literals over n atoms holds in
2^(n - r) of the 2^n assignments, so states are counted without a look at each one.

A product is int64 (3,): a mask of the atoms that it needs true, one of those that it needs false (the bit of an atom is
its local number), and its sign.
"""

import numpy as np

from procgen_bench.core.compiled import njit

#: Most products of one goal: twelve options that do not contradict each other.
MAX_PRODUCTS = 4095


@njit
def resolved_atoms(matrix, resolution):
    """Atoms over numbered players that a goal speaks of: places in ``PLAYER_ATOMS``, int64 (m,).

    Args:
        matrix: int8 (options, 212), a goal's.
        resolution: int16 (212, 2), what the player's atoms stand for.
    """
    found = np.empty(2 * matrix.shape[1], np.int64)
    count = 0
    for atom in range(matrix.shape[1]):
        used = False
        for option in range(matrix.shape[0]):
            used = used or matrix[option, atom] != 0
        if used:
            for place in resolution[atom]:
                if place >= 0:
                    found[count] = place
                    count += 1
    return found[:count]


@njit
def resolved_options(matrix, resolution, atoms):
    """The options of a goal as masks over ``atoms``: int64 (resolved options, 2), needed true and needed false.

    An option that needs one of two atoms becomes two that exclude each other: the first atom; the second without the
    first.
    """
    place = np.full(atoms.max() + 1, -1)
    for number, atom in enumerate(atoms):
        place[atom] = number
    total = 0
    for row in matrix:
        total += 1 << either_or(row, resolution)
    options = np.zeros((total, 2), np.int64)
    begin = 0
    for row in matrix:
        count = 1
        for atom in range(len(row)):
            if row[atom] == 0:
                continue
            first = 1 << place[resolution[atom, 0]]
            second = 1 << place[resolution[atom, 1]] if resolution[atom, 1] >= 0 else 0
            for option in range(begin, begin + count):
                if row[atom] < 0:
                    options[option, 1] |= first | second
                else:
                    if second:
                        options[option + count, 0] = options[option, 0] | second
                        options[option + count, 1] = options[option, 1] | first
                    options[option, 0] |= first
            if row[atom] > 0 and second:
                count *= 2
        begin += count
    return options


@njit
def either_or(row, resolution):
    """How many atoms an option needs of which each stands for one of two."""
    count = 0
    for atom in range(len(row)):
        count += row[atom] > 0 and resolution[atom, 1] >= 0
    return count


@njit
def signed_products(options):
    """Inclusion and exclusion over ``options``, int64 (options, 2): int64 (products, 3).

    Nothing, int64 (0, 3), where there would be more than ``MAX_PRODUCTS``.
    """
    products = np.empty((16, 3), np.int64)
    count = 0
    for option in range(len(options)):
        before = count
        for earlier in range(-1, before):
            true, false, sign = options[option, 0], options[option, 1], 1
            if earlier >= 0:
                true |= products[earlier, 0]
                false |= products[earlier, 1]
                sign = -products[earlier, 2]
            if true & false:
                continue
            if count == MAX_PRODUCTS:
                return products[:0]
            if count == len(products):
                products = np.concatenate((products, np.empty_like(products)))
            products[count, 0], products[count, 1], products[count, 2] = true, false, sign
            count += 1
    return products[:count]


@njit
def renumbered(products, numbers):
    """``products`` over other local numbers: atom ``i`` becomes ``numbers[i]``."""
    renamed = np.zeros_like(products)
    for i in range(len(products)):
        renamed[i, 2] = products[i, 2]
        for side in range(2):
            rest, atom = products[i, side], 0
            while rest:
                if rest & 1:
                    renamed[i, side] |= 1 << numbers[atom]
                rest >>= 1
                atom += 1
    return renamed


@njit
def states(literals, exponent):
    """How many of 2^exponent assignments satisfy a product of these literals (a mask of their atoms)."""
    while literals:  # the compiler knows this loop as a count of bits
        literals &= literals - 1
        exponent -= 1
    return 1 << exponent


@njit
def count_states(goal, exponent):
    """How many of 2^exponent assignments satisfy the goal of these products."""
    total = 0
    for i in range(len(goal)):
        total += goal[i, 2] * states(goal[i, 0] | goal[i, 1], exponent)
    return total


@njit
def count_common_states(goal, other, exponent):
    """How many of 2^exponent assignments satisfy both goals."""
    total = 0
    for i in range(len(goal)):
        for j in range(len(other)):
            true, false = goal[i, 0] | other[j, 0], goal[i, 1] | other[j, 1]
            if true & false == 0:
                total += goal[i, 2] * other[j, 2] * states(true | false, exponent)
    return total


@njit
def conjunction(goal, other):
    """The products of what satisfies both goals."""
    products = np.empty((len(goal) * len(other), 3), np.int64)
    count = 0
    for i in range(len(goal)):
        for j in range(len(other)):
            true, false = goal[i, 0] | other[j, 0], goal[i, 1] | other[j, 1]
            if true & false == 0:
                products[count, 0], products[count, 1] = true, false
                products[count, 2] = goal[i, 2] * other[j, 2]
                count += 1
    return products[:count]
