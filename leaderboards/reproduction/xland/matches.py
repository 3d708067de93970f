"""Every pair of policies in the same worlds, with which of their goals' options are met."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import NoisyPolicy, Policy
from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.reproduction.measured import waiting
from procgen_bench.leaderboards.reproduction.xland.playing import (
    ENVIRONMENT,
    STEPS,
    load_player,
    one_torch_thread,
    viewing,
)
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task_of
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import options_met
from procgen_bench.tasks.xland.task import XLandTask


class Matches(NamedTuple):
    """Shares of steps of matches, first by player 1's policy, then by player 2's.

    Attributes:
        rewards: float64 (K, K, worlds, 2), shares of steps in which each player is rewarded.
        options: float64 (K, K, worlds, 2, 6), shares of steps in which each option of a player's goal is met, in the
            goal's order; 0 for options that it does not have.
    """

    rewards: np.ndarray
    options: np.ndarray


def load_players(policies: Sequence[str]) -> list[Policy]:
    """Policies that play in one world.

    Raises:
        InvalidOptionError: They observe otherwise than each other.
    """
    players = [load_player(source) for source in policies]
    for source, player in zip(policies, players):
        if viewing(player) != viewing(players[0]):
            raise InvalidOptionError(
                f"{source} observes by {viewing(player)}, expected {viewing(players[0])}, as {policies[0]} does: they "
                "play in one world"
            )
    return players


def play_matches(players: Sequence[Policy], tasks: Sequence[XLandTask], first_seed: int, steps: int = STEPS) -> Matches:
    """Play every pair in the same worlds, one episode each, in which a player of a seat draws the same numbers.

    Args:
        players: K different policies.
        tasks: Of two players each.
        first_seed: Of the first task's episodes, 0 to 2^31 - 1; the next one's is greater by 1, and so on.
        steps: Of an episode.
    """
    count, worlds = len(players), len(tasks)
    matches = [(first, second) for first in range(count) for second in range(count) for _ in tasks]
    plays = np.array(matches).ravel()  # player by row: worlds' rows are their players', the first one's first
    env = gymnasium.make_vec(
        ENVIRONMENT,
        num_envs=len(matches),
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        **viewing(players[0]) | {"players": "all"},
    )
    seeds: Any = [first_seed + number % worlds for number in range(len(matches))]
    with closing(env), one_torch_thread():
        observations, _ = env.reset(seed=seeds, options={"task": [*tasks] * count**2})
        rows = [np.flatnonzero(plays == number) for number in range(count)]
        for player, own in zip(players, rows):
            if isinstance(player, NoisyPolicy):
                for place, row in enumerate(own.tolist()):
                    player.begin_noise(place, first_seed + row % (2 * worlds))
        needs = np.array(observations["goal_matrix"])
        is_option = needs.any(axis=2)
        rewarded, met = np.zeros(len(plays)), np.zeros(is_option.shape)
        actions = np.zeros(env.action_space.shape or (), env.action_space.dtype)
        for number in Progress(range(steps), desc="matches", unit="step", delay=2, leave=False):
            for player, own in zip(players, rows):
                shown = {name: array[own] for name, array in observations.items()}
                actions[own] = player.act(shown, np.full(len(own), number == 0))
            observations, rewards, _, _, infos = env.step(actions)
            rewarded += rewards
            met += options_met(needs, infos["goal_truths"]) & is_option
    shape = count, count, worlds, 2
    return Matches(rewarded.reshape(shape) / steps, met.reshape(*shape, -1) / steps)


def play_game(game: Game, samples: int, rng: np.random.Generator, policies: Sequence[str]) -> Matches:
    """Play every pair of policies in the same ``samples`` worlds, at whose start somebody may be rewarded.

    Raises:
        InvalidOptionError: Policies observe otherwise than each other.
    """
    players = load_players(policies)
    draws = DrawOptions(**SMALL, earned=False)
    tasks = [draw_task_of(rng, game, draws) for _ in waiting(range(samples), "world")]
    return play_matches(players, tasks, int(rng.integers(2**31)))


def draw_shares(panel: Axes, shares: np.ndarray, texts: np.ndarray | None = None, **style: Any) -> AxesImage:
    """Shares (rows, columns) as colours, with what they are, a dash for nan, or ``texts`` in ``style`` on them."""
    for (row, column), share in np.ndenumerate(shares):
        shown = ("-" if np.isnan(share) else f"{share:.2f}") if texts is None else str(texts[row, column])
        panel.text(column, row, shown, ha="center", va="center", color="w" if share <= 0.6 else "k", **style)
    return panel.imshow(shares, vmin=0, vmax=1, cmap="viridis")


def names_of(policies: Sequence[str], kind: str = "checkpoint") -> list[str]:
    """Short names: the last parts of paths, or the place among those of their kind where these are alike."""
    last = [next(part for part in reversed(Path(one).parts) if part != "policy") for one in policies]
    short = [name.removesuffix(".onnx") for name in last]
    return short if len({*short}) == len(short) else [f"{kind} {place}" for place in range(1, len(short) + 1)]


def listed(names: Sequence[str], values: np.ndarray) -> str:
    """Each name and its number, or a dash where there is none."""
    return ", ".join(f"{name} {'-' if np.isnan(value) else f'{value:.2f}'}" for name, value in zip(names, values))
