"""Which atoms two recoloured goals share: all that recolourings can change about a game's counts."""

import numpy as np

from procgen_bench.core.compiled import njit


@njit
def distinct_rows(rows):
    """The different rows of an array of integers, each where it is first: int64 (distinct, columns)."""
    kept = np.empty(rows.shape, np.int64)
    count = 0
    for row in rows:
        kept[count] = row
        if first_of(kept, kept[count]) == count:
            count += 1
    return kept[:count]


@njit
def first_of(rows, row):
    """The place of the first of ``rows`` that equals ``row``, which is one of them."""
    for place in range(len(rows)):
        equal = True
        for column in range(len(row)):
            if rows[place, column] != row[column]:
                equal = False
                break
        if equal:
            return place
    return len(rows)


@njit
def local_numbers(atoms, known, numbers):
    """Local numbers of ``atoms``: of those among ``known`` theirs, of others new ones from ``len(known)`` on.

    Args:
        atoms: integers (m,).
        known: integers (k,); the local number of each is the first place where it is.
        numbers: int64 (m,), written.
    """
    for i in range(len(atoms)):
        numbers[i] = len(known) + i
        for place in range(len(known)):
            if known[place] == atoms[i]:
                numbers[i] = place
                break


@njit
def overlaps(first, second, recoloured):
    """The different ways in which recolourings of the atoms ``second`` overlap the atoms ``first``.

    Args:
        first: int64 (m,), places in a list of atoms.
        second: int64 (k,), places in a list of atoms.
        recoloured: int16 (216, atoms), what each atom becomes; row 0 changes nothing.

    Returns:
        int64 (ways, k): a local number for every one of ``second``, see :func:`local_numbers`; row 0 for the goals as
        they are.
    """
    ways = np.empty((len(recoloured), len(second)), np.int64)
    place = np.full(recoloured.shape[1], -1)
    for number, atom in enumerate(first):
        place[atom] = number
    for recolouring in range(len(recoloured)):
        for i in range(len(second)):
            there = place[recoloured[recolouring, second[i]]]
            ways[recolouring, i] = there if there >= 0 else len(first) + i
    return distinct_rows(ways)
