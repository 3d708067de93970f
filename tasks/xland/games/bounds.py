"""How many games there are (3.2.1): exact bounds on the games that differ in what they reward."""

from math import comb, factorial, prod

from procgen_bench.core.errors import InvalidTaskError


def games_lower_bound(atoms: int, options: int, conjunctions: int, players: int) -> int:
    """At least so many games: those in whose goals no atom is there twice.

    Args:
        atoms: Number of atoms, not counting negations, that can be made true one by one.
        options: Number of options of every goal, at least 1.
        conjunctions: Number of atoms, negated or not, in every option, at least 1.
        players: Number of players, at least 1.

    Raises:
        InvalidTaskError: A number below 1.
    """
    _check(atoms, options, conjunctions, players)
    ordered = prod(comb(max(atoms - taken * conjunctions, 0), conjunctions) << conjunctions for taken in range(options))
    return (ordered // factorial(options)) ** players


def games_upper_bound(atoms: int, options: int, conjunctions: int, players: int) -> int:
    """At most so many games: all texts of that size; see :func:`games_lower_bound`."""
    _check(atoms, options, conjunctions, players)
    return (comb(2 * atoms, conjunctions) ** options) ** players


def _check(atoms: int, options: int, conjunctions: int, players: int) -> None:
    numbers = {"atoms": atoms, "options": options, "conjunctions": conjunctions, "players": players}
    for name, number in numbers.items():
        if number < 1:
            raise InvalidTaskError(f"number of {name}", number, "1 or more")
