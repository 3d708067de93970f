"""Random games: drawn naively, or by local search towards a competitiveness and a balance (A.2.3, A.2.5)."""

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS, OPPONENT
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.games.overlaps import overlaps
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.recolouring import RECOLOURED_ATOMS, RECOLOURED_PLAYER_ATOMS
from procgen_bench.tasks.xland.games.resolution import RESOLUTION
from procgen_bench.tasks.xland.games.search import climb, is_proper, matrix_products

#: Predicates of a game: half of them drawn, the others their recolourings.
PREDICATES = 6
#: Most predicates in an option, and most options in a goal (4.2).
MAX_CONJUNCTIONS = 3
MAX_OPTIONS = 3
#: How often the search begins again, and the most steps from one beginning.
RESTARTS = 10
ITERATIONS = 60

#: Places in ``ATOMS`` of those that a player alone can have in its goal.
_ATOMS_OF_ONE = np.array([place for place, atom in enumerate(ATOMS) if OPPONENT not in atom])
_NAMES_OBJECT = np.array([not set(OBJECTS).isdisjoint(atom) for atom in ATOMS])


def sample_game(rng: np.random.Generator, options: int, conjunctions: int, players: int = 2) -> Game:
    """The naive way: six random atoms, and random matrices over them.

    Competitiveness and balance are not asked for, and a goal may be trivial.

    Args:
        rng: The random generator.
        options: Options of every goal, 1 to 3, all different.
        conjunctions: Most predicates of an option, 1 to 3; how many of those there are is uniform.
        players: 2 or 3.

    Raises:
        InvalidTaskError: A number outside its range.
    """
    _check_sizes(options, conjunctions, players)
    predicates = rng.choice(len(ATOMS), PREDICATES, replace=False)
    goals = [_random_options(rng, rng.integers(1, conjunctions + 1, options)) for _ in range(players)]
    return Game(tuple(_goal(matrix, predicates) for matrix in goals))


def sample_game_of_one(rng: np.random.Generator, options: int, conjunctions: int) -> Game:
    """A game of one player, drawn naively until its goal is not trivial.

    Args:
        rng: The random generator.
        options: Options of the goal, 1 to 3, all different.
        conjunctions: Most predicates of an option, 1 to 3; how many of those there are is uniform. All are drawn from
            six atoms without an opponent.

    Raises:
        InvalidTaskError: A number outside its range.
    """
    _check_sizes(options, conjunctions)
    while True:
        predicates = rng.choice(_ATOMS_OF_ONE, PREDICATES, replace=False)
        matrix = _random_options(rng, rng.integers(1, conjunctions + 1, options))
        game = Game((_goal(matrix, predicates),))
        if not game_properties(game).trivial:
            return game


def generate_game(
    rng: np.random.Generator, options: int, conjunctions: int, competitiveness: float, balance: float, players: int = 2
) -> Game:
    """A game near a competitiveness and a balance by local search; no goal of it is trivial.

    The best (Euclidean distance) of ten climbs, or the first that meets the target. Not every target can be met:
    balance is at least 1 - competitiveness, say. A third player gets options of the other two, half of them negated,
    whatever that does to competitiveness and balance (A.2.5).

    Args:
        rng: The random generator.
        options: Options of every goal, 1 to 3.
        conjunctions: Predicates of the longest option in the first two goals, 1 to 3.
        competitiveness: The target, in [0, 1].
        balance: The target, in [0, 1].
        players: 2 or 3.

    Raises:
        InvalidTaskError: A number outside its range.
    """
    _check_sizes(options, conjunctions, players)
    for name, value in (("competitiveness", competitiveness), ("balance", balance)):
        if not 0 <= value <= 1:
            raise InvalidTaskError(name, value, "a number in [0, 1]")
    target = np.array([competitiveness, balance], np.float64)
    least, game = np.inf, None
    for _ in range(RESTARTS):
        predicates = sample_predicates(rng)
        goals = _random_game(rng, options, conjunctions, len(predicates))
        distance = climb(rng, goals, _ways(predicates), conjunctions, target, ITERATIONS)
        if distance < least:
            least, game = distance, Game(tuple(_goal(matrix, predicates) for matrix in goals))
        if least == 0:
            break
    assert game is not None  # every distance is below infinity
    return game if players == 2 else add_third_player(rng, game)


def sample_predicates(rng: np.random.Generator) -> np.ndarray:
    """Three random atoms and what one random recolouring makes of them: places in ``ATOMS``, int64 (3 to 6,).

    All are different. An atom without objects, such as ``see(me,opponent)``, has no recolouring and stays alone. Where
    no recolouring gives new atoms (as for one shape in all three colours), three others are drawn.
    """
    while True:
        drawn = rng.choice(len(ATOMS), PREDICATES // 2, replace=False)
        coloured = drawn[_NAMES_OBJECT[drawn]]
        new = RECOLOURED_ATOMS[:, coloured]
        fitting = np.flatnonzero(~(new[:, :, np.newaxis] == drawn).any(axis=(1, 2)))
        if len(fitting):
            return np.concatenate([drawn, new[rng.choice(fitting)]]).astype(np.int64)


def add_third_player(rng: np.random.Generator, game: Game) -> Game:
    """A game of three from one of two (A.2.5), the players in random order.

    The third player's options are drawn from those of the other two, as many as player 1 has; each is negated,
    predicate by predicate, with probability one half. They are drawn again where options repeat or a goal of the game
    is trivial.

    Raises:
        InvalidTaskError: The game is not of two players, or one of its goals is trivial.
    """
    if game.num_players != 2 or game_properties(game).trivial:
        raise InvalidTaskError("game to add a third player to", str(game), "two players, no goal trivial")
    pool = np.unique(np.concatenate([goal.matrix for goal in game.goals]), axis=0)
    while True:
        chosen = rng.choice(pool, len(game.goals[0].matrix), replace=False)
        signs = rng.choice(np.array([-1, 1], np.int8), (len(chosen), 1))
        matrix = chosen * signs
        if len(np.unique(matrix, axis=0)) == len(matrix):
            goals = (*game.goals, Goal(matrix))
            extended = Game(tuple(goals[player] for player in rng.permutation(MAX_PLAYERS)))
            if not game_properties(extended).trivial:
                return extended


def _ways(predicates: np.ndarray) -> np.ndarray:
    """How recolourings make each player's predicates overlap the other's: int64 (2, ways, predicates)."""
    first, second = RESOLUTION[1, :2, predicates, 0].astype(np.int64).T.copy()
    return np.stack([overlaps(*pair, RECOLOURED_PLAYER_ATOMS) for pair in ((first, second), (second, first))])


def _random_game(rng: np.random.Generator, options: int, conjunctions: int, predicates: int) -> np.ndarray:
    """Matrices of two goals, not trivial, their options all of one length: int8 (2, options, predicates)."""
    while True:
        lengths = np.full(options, conjunctions)
        goals = [_random_options(rng, lengths, predicates) for _ in range(2)]
        if all(is_proper(goal, matrix_products(goal)) for goal in goals):
            return np.stack(goals)


def _random_options(rng: np.random.Generator, lengths: np.ndarray, predicates: int = PREDICATES) -> np.ndarray:
    """A random matrix, int8 (options, predicates), whose options have these numbers of predicates and are different."""
    while True:
        matrix = np.zeros((len(lengths), predicates), np.int8)
        for row, length in zip(matrix, lengths):
            row[rng.permutation(predicates)[:length]] = rng.choice(np.array([-1, 1]), length)
        if len(np.unique(matrix, axis=0)) == len(matrix):
            return matrix


def _goal(matrix: np.ndarray, predicates: np.ndarray) -> Goal:
    full = np.zeros((len(matrix), len(ATOMS)), np.int8)
    full[:, predicates] = matrix
    return Goal(full)


def _check_sizes(options: int, conjunctions: int, players: int = MAX_PLAYERS) -> None:
    numbers = (
        ("number of options", options, 1, MAX_OPTIONS),
        ("number of conjunctions", conjunctions, 1, MAX_CONJUNCTIONS),
        ("number of players", players, 2, MAX_PLAYERS),
    )
    for name, number, least, most in numbers:
        if not least <= number <= most:
            raise InvalidTaskError(name, number, f"{least} to {most}")
