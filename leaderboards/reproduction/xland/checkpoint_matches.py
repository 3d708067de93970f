"""Figure 22: checkpoints of a run against each other at hide and seek, and their Nash equilibrium (6.4.3)."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from matplotlib.figure import Figure

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import NoisyPolicy, Policy
from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.playing import (
    ENVIRONMENT,
    STEPS,
    load_player,
    one_torch_thread,
    viewing,
)
from procgen_bench.leaderboards.xland.matrix_games import best_mixture, game_value
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task_of
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.task import XLandTask

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
        shown = panel.imshow(means, vmin=0, vmax=1, cmap="viridis")
        errors = self.found.std(axis=2) / self.found.shape[2] ** 0.5
        for (seeker, hider), share in np.ndenumerate(means):
            text = f"{share:.2f}\n±{errors[seeker, hider]:.2f}"
            panel.text(hider, seeker, text, ha="center", va="center", color="k" if share > 0.6 else "w")
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
    players = [load_player(source) for source in policies]
    for source, player in zip(policies, players):
        if viewing(player) != viewing(players[0]):
            raise InvalidOptionError(
                f"{source} observes by {viewing(player)}, expected {viewing(players[0])}, as {policies[0]} does: they "
                "play in one world"
            )
    # In hide and seek somebody is always rewarded, at the start as well.
    draws = DrawOptions(**SMALL, earned=False)
    tasks = [draw_task_of(rng, HIDE_AND_SEEK, draws) for _ in waiting(range(samples), "world")]
    found = play_matches(players, tasks)
    payoffs = found.mean(axis=2)
    seeking, hiding = best_mixture(payoffs), best_mixture(1 - payoffs.T)
    return CheckpointMatches(names_of(policies), found, seeking, hiding, game_value(payoffs))


def play_matches(players: Sequence[Policy], tasks: Sequence[XLandTask], steps: int = STEPS) -> np.ndarray:
    """Shares of steps in which seekers are rewarded, float64 (seekers, hiders, worlds).

    Args:
        players: K different policies.
        tasks: Worlds for :data:`HIDE_AND_SEEK`.
        steps: Of an episode.
    """
    count, worlds = len(players), len(tasks)
    matches = [(seeker, hider) for seeker in range(count) for hider in range(count) for _ in tasks]
    plays = np.array(matches).ravel()  # player by row: worlds' rows are their players', the first one's first
    env = gymnasium.make_vec(
        ENVIRONMENT,
        num_envs=len(matches),
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        **viewing(players[0]) | {"players": "all"},
    )
    seeds: Any = [number % worlds for number in range(len(matches))]
    with closing(env), one_torch_thread():
        observations, _ = env.reset(seed=seeds, options={"task": [*tasks] * count**2})
        rows = [np.flatnonzero(plays == number) for number in range(count)]
        for player, own in zip(players, rows):
            if isinstance(player, NoisyPolicy):
                for place, row in enumerate(own.tolist()):
                    player.begin_noise(place, row)
        found, actions = np.zeros(len(matches)), np.zeros(env.action_space.shape or (), env.action_space.dtype)
        for number in Progress(range(steps), desc="matches", unit="step", delay=2, leave=False):
            for player, own in zip(players, rows):
                shown = {name: array[own] for name, array in observations.items()}
                actions[own] = player.act(shown, np.full(len(own), number == 0))
            observations, rewards, _, _, _ = env.step(actions)
            found += rewards[::2]
    return found.reshape(count, count, worlds) / steps


def names_of(policies: Sequence[str], kind: str = "checkpoint") -> list[str]:
    """Short names: the parts of paths that differ, or the place among those of their kind."""
    short = [next(part for part in reversed(Path(one).parts) if part != "policy") for one in policies]
    return short if len({*short}) == len(short) else [f"{kind} {place}" for place in range(1, len(short) + 1)]


def listed(names: Sequence[str], values: np.ndarray) -> str:
    """Each name and its number."""
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(names, values))
