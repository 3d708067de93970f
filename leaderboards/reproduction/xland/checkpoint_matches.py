"""Figure 22: checkpoints of a run against each other at hide and seek, and their Nash equilibrium (6.4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber
from procgen_bench.leaderboards.reproduction.xland.matches import draw_shares, listed, names_of, play_game
from procgen_bench.leaderboards.xland.matrix_games import best_mixture, game_value
from procgen_bench.tasks.xland.games.game import parse_game

#: What is played: player 1 seeks, player 2 hides, and exactly one of them is rewarded in every step (A.9.1).
HIDE_AND_SEEK = parse_game("see(me,opponent)\n~see(opponent,me)")


@dataclass(frozen=True)
class CheckpointMatches:
    """Every seeker against every hider.

    Attributes:
        names: Of the checkpoints, the earliest first.
        found: float64 (seekers, hiders, worlds), shares of steps in which the seeker sees the hider.
        seeking, hiding: float64 (K,), the weights of checkpoints in the Nash equilibrium of the means over worlds.
        value: The seeker's share in it.
    """

    names: list[str]
    found: np.ndarray
    seeking: np.ndarray
    hiding: np.ndarray
    value: float

    def key_numbers(self) -> list[KeyNumber]:
        """What later checkpoints are worth in both roles."""
        means, last = self.found.mean(axis=2), self.names[-1]
        return [
            KeyNumber("found, by seeker", listed(self.names, means.mean(axis=1)), "rises with training"),
            KeyNumber("found, by hider", listed(self.names, means.mean(axis=0)), "falls with training"),
            KeyNumber("seekers in equilibrium", listed(self.names, self.seeking), "around the newest"),
            KeyNumber("hiders in equilibrium", listed(self.names, self.hiding), "around the newest"),
            KeyNumber("found, in equilibrium", f"{self.value:.2f}"),
            KeyNumber(f"found, {last} by itself", f"{means[-1, -1]:.2f}"),
        ]

    def draw(self) -> Figure:
        """Seekers by hiders, with their weights in equilibrium."""
        means, count = self.found.mean(axis=2), len(self.names)
        picture = Figure(figsize=(4.2 + 0.8 * count, 3.4 + 0.6 * count), layout="constrained")
        panel = picture.subplots()
        errors = self.found.std(axis=2) / self.found.shape[2] ** 0.5
        texts = np.vectorize("{:.2f}\n±{:.2f}".format)(means, errors)
        shown = draw_shares(panel, means, texts)
        for axis, role, weights in ((panel.yaxis, "seeker", self.seeking), (panel.xaxis, "hider", self.hiding)):
            labels = [f"{name}\n{weight:.0%}" for name, weight in zip(self.names, weights)]
            axis.set_ticks(range(count), labels, fontsize=8)
            axis.set_label_text(f"{role} (weight in equilibrium)")
        picture.colorbar(shown, ax=panel, label="share of steps in which the hider is seen")
        return picture


def measure_checkpoint_matches(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> CheckpointMatches:
    """Play every pair in the same ``samples`` worlds.

    Raises:
        InvalidOptionError: Policies observe otherwise than each other.
    """
    found = play_game(HIDE_AND_SEEK, samples, rng, policies).rewards[..., 0]
    payoffs = found.mean(axis=2)
    seeking, hiding = best_mixture(payoffs), best_mixture(1 - payoffs.T)
    return CheckpointMatches(names_of(policies), found, seeking, hiding, game_value(payoffs))
