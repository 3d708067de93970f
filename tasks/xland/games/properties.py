"""Properties of games and distances between them (3.2), counted exactly over all predicate states.

A predicate state gives a truth to each of the n distinct atoms that the game uses, once me and opponent are resolved to
players (:mod:`procgen_bench.tasks.xland.games.resolution`); there are 2^n of them. Counts are integers below 2^53, and
a property is one division of two of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.games.overlaps import distinct_rows, local_numbers, overlaps
from procgen_bench.tasks.xland.games.products import (
    MAX_PRODUCTS,
    conjunction,
    count_common_states,
    count_states,
    either_or,
    renumbered,
    resolved_atoms,
    resolved_options,
    signed_products,
)
from procgen_bench.tasks.xland.games.recolouring import RECOLOURED_PLAYER_ATOMS
from procgen_bench.tasks.xland.games.resolution import RESOLUTION

#: Most atoms of a game, each player's counted apart: sums of counts stay exact as floats.
MAX_GAME_ATOMS = 51


class GameProperties(NamedTuple):
    """What a game is like (definitions 4 to 7), fractions of predicate states in [0, 1].

    Attributes:
        exploration_difficulty: States in which no player is rewarded, of all.
        cooperativeness: States in which all players are rewarded, of those in which one is.
        competitiveness: 1 - cooperativeness.
        balance: The greatest cooperativeness where each player's goal is recoloured in its own way.
        trivial: Whether some goal is rewarded in every state, or in none.
    """

    exploration_difficulty: float
    cooperativeness: float
    competitiveness: float
    balance: float
    trivial: bool


class GoalTerms(NamedTuple):
    """A player's goal, resolved: ready to be counted.

    Attributes:
        atoms: int64 (m,), places in ``PLAYER_ATOMS``; the local number of each is its place here.
        products: int64 (products, 3), see :mod:`procgen_bench.tasks.xland.games.products`.
    """

    atoms: np.ndarray
    products: np.ndarray


def goal_terms(goal: Goal, player: int, players: int) -> GoalTerms:
    """The goal of ``player`` (from 0) in a game of so many.

    Raises:
        InvalidTaskError: A goal too large to be counted: over 51 atoms, or 4,095 products.
    """
    resolution = RESOLUTION[players - 1, player]
    atoms = resolved_atoms(goal.matrix, resolution)
    check_size(len(atoms))
    too_many = "a goal that expands into at most " + f"{MAX_PRODUCTS} products of atoms, as twelve options do"
    if max(either_or(row, resolution) for row in goal.matrix) > 12:
        raise InvalidTaskError("goal", str(goal), too_many)
    products = signed_products(resolved_options(goal.matrix, resolution, atoms))
    if len(products) == 0:
        raise InvalidTaskError("goal", str(goal), too_many)
    return GoalTerms(atoms, products)


def game_terms(game: Game) -> list[GoalTerms]:
    """All goals, resolved; see :func:`goal_terms`."""
    terms = [goal_terms(goal, player, game.num_players) for player, goal in enumerate(game.goals)]
    check_size(sum(len(atoms) for atoms, _ in terms))
    return terms


def check_size(atoms: int) -> None:
    """Raise :class:`InvalidTaskError` where so many atoms are too many to count states exactly."""
    if atoms > MAX_GAME_ATOMS:
        raise InvalidTaskError("number of atoms, each player's apart", atoms, f"at most {MAX_GAME_ATOMS}")


def game_properties(game: Game) -> GameProperties:
    """All properties of ``game``, exact.

    Raises:
        InvalidTaskError: The game has over 51 atoms, each player's counted apart, or a goal over twelve options or so.
    """
    terms = game_terms(game)
    exponent = sum(len(atoms) for atoms, _ in terms)
    every_state = 1 << exponent
    rewarded = [count_states(products, exponent) for _, products in terms]
    trivial = any(count in (0, every_state) for count in rewarded)
    if game.num_players == 1:
        some = everyone = rewarded[0]
        balance = 1.0
    elif game.num_players == 2:
        (first_atoms, first), (second_atoms, second) = terms
        ways = overlaps(first_atoms, second_atoms, RECOLOURED_PLAYER_ATOMS)
        everyone, most = common_of_two(first, second, ways, exponent)
        some = sum(rewarded) - everyone
        balance = most / (sum(rewarded) - most)
    else:
        one, two, three = _most_recolourings_first(terms)
        some, everyone, balance = counts_of_three(*one, *two, *three, exponent, RECOLOURED_PLAYER_ATOMS)
    return GameProperties(1 - some / every_state, everyone / some, (some - everyone) / some, float(balance), trivial)


def competitiveness_and_balance(games: Iterable[Game]) -> np.ndarray:
    """Competitiveness and balance of many games: float64 (games, 2)."""
    measured = [game_properties(game) for game in games]
    return np.array([(game.competitiveness, game.balance) for game in measured]).reshape(-1, 2)


def goal_distance(goal: Goal, other: Goal, players: int = 2) -> float:
    """The fraction of predicate states in which one of two goals of a player rewards and the other does not.

    Args:
        goal: A goal.
        other: Another one.
        players: Number of players of their games, 1 to 3: of two opponents, one decides an atom that names them.
    """
    return _distance(goal_terms(goal, 0, players), goal_terms(other, 0, players))


def game_distance(game: Game, other: Game) -> float:
    """The mean over players of the distances of their goals.

    Raises:
        InvalidTaskError: The games' numbers of players differ.
    """
    if game.num_players != other.num_players:
        raise InvalidTaskError("number of players of the other game", other.num_players, str(game.num_players))
    distances = [_distance(*pair) for pair in zip(game_terms(game), game_terms(other))]
    return sum(distances) / len(distances)


def _distance(goal: GoalTerms, other: GoalTerms) -> float:
    check_size(len(goal.atoms) + len(other.atoms))
    return float(distance_of_goals(*goal, *other))


@njit
def distance_of_goals(atoms, products, other_atoms, other_products):
    """The fraction of states in which one of two goals holds and the other does not."""
    exponent = len(atoms) + len(other_atoms)
    numbers = np.empty(len(other_atoms), np.int64)
    local_numbers(other_atoms, atoms, numbers)
    common = count_common_states(products, renumbered(other_products, numbers), exponent)
    differing = count_states(products, exponent) + count_states(other_products, exponent) - 2 * common
    return differing / (1 << exponent)


@njit
def common_of_two(first, second, ways, exponent):
    """States that reward both players: in the game as it is, and the most of any recolouring.

    Recolourings change nothing about how often each goal is rewarded alone, so the most common states make the greatest
    cooperativeness; and recolouring both goals in one way changes nothing, so the first goal keeps its colours.
    """
    as_it_is = count_common_states(first, renumbered(second, ways[0]), exponent)
    most = as_it_is
    for way in range(1, len(ways)):
        most = max(most, count_common_states(first, renumbered(second, ways[way]), exponent))
    return as_it_is, most


def _most_recolourings_first(terms: list[GoalTerms]) -> list[GoalTerms]:
    """The goal of the most recolourings is first, where it keeps its colours."""
    return sorted(terms, key=lambda goal: -len(distinct_rows(RECOLOURED_PLAYER_ATOMS[:, goal.atoms])))


@njit
def counts_of_three(atoms1, goal1, atoms2, goal2, atoms3, goal3, exponent, recoloured):
    """States that reward some player and every player as the game is, and its balance.

    The first goal keeps its colours. Pairs of recolourings of the others are passed over where even the fewest common
    states of two goals, as common to all three, would not raise the balance.
    """
    alone1, alone2, alone3 = (
        count_states(goal1, exponent),
        count_states(goal2, exponent),
        count_states(goal3, exponent),
    )
    alone = alone1 + alone2 + alone3
    colours2, colours3 = distinct_rows(recoloured[:, atoms2]), distinct_rows(recoloured[:, atoms3])
    common12, common13 = np.empty(len(colours2), np.int64), np.empty(len(colours3), np.int64)
    numbers2, numbers3 = np.empty(len(atoms2), np.int64), np.empty(len(atoms3), np.int64)
    for i in range(len(colours2)):
        local_numbers(colours2[i], atoms1, numbers2)
        common12[i] = count_common_states(goal1, renumbered(goal2, numbers2), exponent)
    for j in range(len(colours3)):
        local_numbers(colours3[j], atoms1, numbers3)
        common13[j] = count_common_states(goal1, renumbered(goal3, numbers3), exponent)
    known = np.empty(len(atoms1) + len(atoms2), np.int64)
    copy(atoms1, known[: len(atoms1)])
    some_as_it_is = everyone_as_it_is = 0
    balance = -1.0
    for i in np.argsort(-common12, kind="mergesort"):
        local_numbers(colours2[i], atoms1, numbers2)
        copy(colours2[i], known[len(atoms1) :])
        recoloured2 = renumbered(goal2, numbers2)
        first_two = conjunction(goal1, recoloured2)
        for j in range(len(colours3)):
            as_it_is = i == 0 and j == 0
            fewest = min(common12[i], common13[j])
            # Some player is rewarded at least where one of two is.
            least_some = max(alone1 + alone2 - common12[i], alone1 + alone3 - common13[j])
            if fewest / least_some <= balance and not as_it_is:
                continue
            local_numbers(colours3[j], known, numbers3)
            recoloured3 = renumbered(goal3, numbers3)
            common23 = count_common_states(recoloured2, recoloured3, exponent)
            everyone = count_common_states(first_two, recoloured3, exponent)
            some = alone - common12[i] - common13[j] - common23 + everyone
            balance = max(balance, everyone / some)
            if as_it_is:
                some_as_it_is, everyone_as_it_is = some, everyone
    return some_as_it_is, everyone_as_it_is, balance
