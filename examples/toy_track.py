"""Sibling Rivalry's toy task (figures 1 and 2 of the paper): A2C on a ring that is open beside the goal. Two minutes.

From the start the straight way to the goal is closed: whoever comes nearer to it ends at the near end of the track, a
local optimum of the distance. Three rewards are paid at the end of episodes of five steps: the distance alone; the
distance and a hand-made anti-goal at that end (equation 3); and siblings, two episodes of one start and goal. Each of
these has the other's end as its anti-goal, and the nearer one is learned from only if it reaches the goal (epsilon 0).

python examples/toy_track.py --out track.png
"""

import argparse
import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.tasks.point_maze.track import TRACK_HORIZON, TrackTask
from procgen_bench.tasks.point_maze.track.ring import END_X, END_Y, INNER_RADIUS, OUTER_RADIUS
from procgen_bench.tasks.point_maze.track.task import placed_on_track

REWARDS = ("distance", "anti-goal", "siblings")
#: Pairs of episodes between updates, and updates.
PAIRS, UPDATES = 100, 1_500
#: Of Adam, of the entropy bonus, and the weight of the critic's loss.
LEARNING_RATE, ENTROPY, VALUE_WEIGHT = 1e-3, 0.01, 0.5
#: Distance at which the goal counts as reached.
REACHED = 0.15
#: The end of the track that is near to the goals: where the distance alone leads.
NEAR_END = np.array([END_X, END_Y], np.float32)
_LEAST_DEVIATION = 0.05
#: Of a task, and what shows them at the start of an episode.
_PLACES = (("start", "observation"), ("goal", "desired_goal"))


@dataclass
class Learned:
    """What came of one reward.

    Attributes:
        success: Share of episodes that reach the goal, of each update.
        ends: Where the episodes of some updates end: update -> float32 (episodes, 2).
    """

    success: list[float] = field(default_factory=list)
    ends: dict[int, np.ndarray] = field(default_factory=dict)


class Actor(nn.Module):
    """A normal distribution of moves, by place and goal; the critic also sees the anti-goal."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
        self.critic = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def moves(self, seen: torch.Tensor) -> torch.distributions.Normal:
        """Of what is seen, (..., 4): place and goal."""
        means, deviations = self.policy(seen).chunk(2, dim=-1)
        return torch.distributions.Normal(means, nn.functional.softplus(deviations) + _LEAST_DEVIATION)


def learn(reward: str, updates: int, seed: int, kept: Sequence[int] = ()) -> Learned:
    """Train with one of :data:`REWARDS`; the ends of the updates ``kept`` are kept."""
    torch.manual_seed(seed)
    actor, learned = Actor(), Learned()
    optimiser = torch.optim.Adam(actor.parameters(), LEARNING_RATE)
    made = gymnasium.make_vec(
        "SparsePointMaze-v0", 2 * PAIRS, "vector_entry_point", kind="track", max_episode_steps=TRACK_HORIZON
    )
    with closing(made) as rows:
        rows.reset(seed=seed)
        for update in range(updates):
            seen, moves, played, ends, goals = play(rows, actor)
            distances = np.linalg.norm(ends - goals, axis=1)
            anti_goals, included = shaped_by(reward, ends, distances)
            rewards = torch.as_tensor(paid(reward, ends, distances, anti_goals))
            against = torch.as_tensor(np.broadcast_to(anti_goals, (TRACK_HORIZON, *ends.shape)).copy())
            values = actor.critic(torch.cat([seen, against], dim=-1))[..., 0]
            weights = torch.as_tensor(played & included)
            advantages = (rewards - values.detach())[weights]
            chosen = actor.moves(seen)
            likelihoods = chosen.log_prob(moves).sum(dim=-1)[weights]
            loss = -(likelihoods * advantages).mean() + VALUE_WEIGHT * ((rewards - values)[weights] ** 2).mean()
            loss = loss - ENTROPY * chosen.entropy().sum(dim=-1)[weights].mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            learned.success.append(float((distances <= REACHED).mean()))
            if update in kept:
                learned.ends[update] = ends
    return learned


def play(rows, actor: Actor) -> tuple[torch.Tensor, torch.Tensor, np.ndarray, np.ndarray, np.ndarray]:
    """An episode of every row, two rows to a task: what was seen (5, n, 4), moves (5, n, 2), steps that were played
    (5, n), ends (n, 2) and goals (n, 2)."""
    drawn, _ = rows.reset()
    starts, goals = ([placed_on_track(name, place) for place in drawn[key][::2]] for name, key in _PLACES)
    tasks = [task for places in zip(starts, goals) for task in [TrackTask(*places)] * 2]
    observations, _ = rows.reset(options={"task": tasks})
    aims, ends = observations["desired_goal"].copy(), observations["observation"].copy()
    seen, moves, played, running = [], [], [], np.ones(len(tasks), np.bool_)
    for _ in range(TRACK_HORIZON):
        seen.append(torch.as_tensor(np.concatenate([ends, aims], axis=1)))
        with torch.no_grad():
            moves.append(actor.moves(seen[-1]).sample())
        played.append(running.copy())
        observations, _, terminated, truncated, _ = rows.step(moves[-1].numpy().clip(-0.95, 0.95))
        ends[running] = observations["observation"][running]
        running &= ~(terminated | truncated)
    return torch.stack(seen), torch.stack(moves), np.stack(played), ends, aims


def shaped_by(reward: str, ends: np.ndarray, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every episode's anti-goal (n, 2), and whether it is learned from (n,)."""
    everyone = np.ones(len(ends), np.bool_)
    if reward != "siblings":
        return np.broadcast_to(NEAR_END, ends.shape), everyone
    others = np.arange(len(ends)) ^ 1
    return ends[others], (distances <= REACHED) | (distances > distances[others])


def paid(reward: str, ends: np.ndarray, distances: np.ndarray, anti_goals: np.ndarray) -> np.ndarray:
    """What episodes are paid at their ends, float32 (n,): 1 at the goal, else equation 2's or equation 3's."""
    away = np.linalg.norm(ends - anti_goals, axis=1)
    shaped = -distances if reward == "distance" else np.minimum(0, away - distances)
    return np.where(distances <= REACHED, 1, shaped).astype(np.float32)


def draw(results: dict[str, Learned], out: Path) -> None:
    """A column for each reward: where episodes end, early and late, and success over updates."""
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(2, len(results), figsize=(3.4 * len(results), 6), squeeze=False)
    turn = np.linspace(0.05 * math.tau, 0.95 * math.tau, 200)
    for (reward, learned), above, below in zip(results.items(), panels[0], panels[1]):
        for radius in (INNER_RADIUS, OUTER_RADIUS):
            above.plot(radius * np.cos(turn), radius * np.sin(turn), color="0.6", linewidth=1)
        for (update, ends), colour in zip(learned.ends.items(), ("tab:orange", "tab:blue")):
            above.scatter(*ends.T, s=6, color=colour, label=f"ends, update {update + 1:,}")
        above.plot(math.cos(math.pi / 6), -math.sin(math.pi / 6), "*", color="tab:green", markersize=12, label="goals")
        above.set(title=reward, aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
        above.legend(fontsize=7, loc="center")
        below.plot(learned.success)
        below.set(xlabel="updates", ylabel="success", ylim=(-0.02, 1.02))
    figure.tight_layout()
    figure.savefig(out, dpi=120)


def main(words: Sequence[str] | None = None) -> None:
    """Learn with each reward, print how often the goal is reached, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=UPDATES, help="updates of each learner; %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of weights, tasks and moves; %(default)s")
    parser.add_argument("--out", type=Path, help="where to draw it: a png or svg")
    given = parser.parse_args(words)
    torch.set_num_threads(1)
    kept, results = (given.updates // 20, given.updates - 1), {}
    for reward in REWARDS:
        results[reward] = learn(reward, given.updates, given.seed, kept)
        last = results[reward].success[-max(1, given.updates // 20) :]
        print(f"{reward}: {np.mean(last):.2f} of the latest episodes reach the goal", flush=True)
    if given.out:
        draw(results, given.out)


if __name__ == "__main__":
    main()
