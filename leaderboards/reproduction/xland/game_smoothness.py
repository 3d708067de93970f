"""Figure 8: games that differ little are alike in what they ask for (3.2.2, A.2.6)."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.lipschitz import MOST, draw_bound, lipschitz_constant
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.embedding import embed_games
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS, sample_game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.games.properties import game_distance, game_properties
from procgen_bench.tasks.xland.games.search import (
    count_modifications,
    is_proper,
    longest_option,
    matrix_products,
    modify,
)

#: Local modifications in a row that every game undergoes; it is compared with the game after each.
MODIFICATIONS = 8
#: The properties, with their names.
PROPERTIES = {"competitiveness": "competitiveness", "exploration_difficulty": "exploration difficulty"}


@dataclass(frozen=True)
class GameSmoothness:
    """Distances of games, and how their properties change.

    Attributes:
        distances: float64 (N, modifications), of every game and what becomes of it.
        changes: By property: float64 (N, modifications), the size of its change.
        values: By property: float64 (N,), of the games themselves.
        points: float64 (N, 2), the games' principal components.
        explained: float64 (2,), the part of the games' variance along each.
    """

    distances: np.ndarray
    changes: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    points: np.ndarray
    explained: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """Lipschitz constants, and how well the properties show in the plane."""
        numbers = [KeyNumber("pairs of games", f"{self.distances.size:,}")]
        for name, title in PROPERTIES.items():
            bounds = [lipschitz_constant(self.distances, self.changes[name], share) for share in (1.0, MOST)]
            numbers += [
                KeyNumber(f"{title}: change per distance, at most", f"{bounds[0]:.2f}", "some L"),
                KeyNumber(f"{title}: the same of {MOST:.0%} of pairs", f"{bounds[1]:.2f}"),
                KeyNumber(f"{title}: variance that is linear in the plane", f"{self._linear(name):.0%}", "visible"),
            ]
        return [*numbers, KeyNumber("games' variance in the plane", f"{self.explained.sum():.0%}")]

    def draw(self) -> Figure:
        """A column for each property: the bound above, the plane below."""
        picture = Figure(figsize=(9.5, 8.2), layout="constrained")
        for (above, below), (name, title) in zip(picture.subplots(2, len(PROPERTIES)).T, PROPERTIES.items()):
            draw_bound(above, self.distances.ravel(), self.changes[name].ravel())
            above.set(xlabel="distance of games", ylabel=f"change of {title}", title=title)
            dots = below.scatter(*self.points.T, c=self.values[name], s=14, cmap="viridis", vmin=0, vmax=1)
            x, y = (f"component {k + 1} ({part:.0%} of variance)" for k, part in enumerate(self.explained))
            below.set(xlabel=x, ylabel=y)
            picture.colorbar(dots, ax=below, label=title)
        return picture

    def _linear(self, name: str) -> float:
        """The part of a property's variance that a linear function of the points explains."""
        values = self.values[name] - self.values[name].mean()
        residuals = values - self.points @ np.linalg.lstsq(self.points, values, rcond=None)[0]
        return 1 - float(residuals @ residuals) / float(values @ values)


def measure_game_smoothness(samples: int, rng: np.random.Generator) -> GameSmoothness:
    """Modify ``samples`` random games of two players."""
    games = [draw_proper_game(rng) for _ in waiting(range(samples), "game")]
    trails = [_modified(game, rng) for game in waiting(games, "trail")]
    properties = [game_properties(game) for game in games]
    later = [[game_properties(other) for other in trail] for trail in trails]
    values = {name: np.array([getattr(found, name) for found in properties]) for name in PROPERTIES}
    changes = {
        name: np.abs(np.array([[getattr(found, name) for found in of_game] for of_game in later]) - of_games[:, None])
        for name, of_games in values.items()
    }
    distances = np.array([[game_distance(game, other) for other in trail] for game, trail in zip(games, trails)])
    points, explained = embed_games(games)
    return GameSmoothness(distances, changes, values, points, explained)


def draw_proper_game(rng: np.random.Generator) -> Game:
    """A naively drawn game, none of whose goals is trivial."""
    while True:
        game = sample_game(rng, int(rng.integers(1, MAX_OPTIONS + 1)), int(rng.integers(1, MAX_CONJUNCTIONS + 1)))
        if not game_properties(game).trivial:
            return game


def _modified(game: Game, rng: np.random.Generator) -> list[Game]:
    trail = [game]
    for _ in range(MODIFICATIONS):
        trail.append(modify_game(trail[-1], rng))
    return trail[1:]


def modify_game(game: Game, rng: np.random.Generator) -> Game:
    """The game after a random local modification of A.2.3 of one goal, which is not trivial then."""
    predicates = np.unique(np.concatenate([goal.atoms for goal in game.goals]))
    goals = [np.ascontiguousarray(goal.matrix[:, predicates]) for goal in game.goals]
    while True:
        player = int(rng.integers(2))
        changed = goals[player].copy()
        modify(changed, goals[1 - player], int(rng.integers(count_modifications(changed))))
        fits = longest_option(changed) <= MAX_CONJUNCTIONS and (changed != goals[player]).any()
        if fits and is_proper(changed, matrix_products(changed)):
            full = np.zeros((len(changed), len(ATOMS)), np.int8)
            full[:, predicates] = changed
            return Game(tuple(Goal(full) if number == player else goal for number, goal in enumerate(game.goals)))
