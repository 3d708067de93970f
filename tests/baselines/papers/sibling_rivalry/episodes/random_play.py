"""Whole episodes of random play under a teacher that keeps what it proposed."""

import numpy as np
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeAdvantages, EpisodeCollector
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import EpisodeRows, Labels
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.benchmarks import get_benchmark

#: Where random play ends episodes early, and at different steps; and where it seldom does.
MAZE, BITS = "point-maze/corridor-2", "bit-grid/test"


class Fresh(Teacher):
    """Proposes a fresh level to everyone, every third without learning, and keeps what it proposed and heard."""

    def __init__(self, benchmark):
        super().__init__(LevelSource(benchmark, solvable=True), np.random.default_rng(0), None)
        self.proposed = []

    def propose(self, rows, step):
        proposals = [
            Proposal(number, task, train=number % 3 > 0)
            for number, task in ((self.next_number(), task) for task in self.levels.draw_plain(self.rng, len(rows)))
        ]
        self.proposed += proposals
        return proposals


class Random:
    """Acts at random, never by the same log-probability twice, and keeps what it was asked and what it answered."""

    device, memory_width = torch.device("cpu"), 0

    def __init__(self, space):
        self.space, self.calls, self.given = space, [], 0
        space.seed(0)

    def act(self, observations, memory):
        count = len(memory)
        actions = np.stack([self.space.sample() for _ in range(count)])
        log_probabilities = -np.arange(self.given + 1, self.given + count + 1, dtype=np.float32)
        self.given += count
        seen = {name: array.numpy().copy() for name, array in observations.items()}
        self.calls.append((seen, actions, log_probabilities))
        return torch.as_tensor(actions), {"log_probabilities": torch.as_tensor(log_probabilities)}, memory

    def estimate_advantages(self, episodes):
        """Every state is worth its step, every step as much as its row."""
        steps, rows = np.mgrid[: len(episodes.actions), : len(episodes.lengths)].astype(np.float32)
        labels = Labels(np.zeros(steps.shape), np.ones(len(episodes.lengths), bool), None, {})
        return EpisodeAdvantages(labels, np.where(episodes.played, steps, 0), np.where(episodes.played, rows, 0))


def collector_of(benchmark_id, count=20, siblings="none", steps_per_action=1):
    benchmark = get_benchmark(benchmark_id)
    rows = EpisodeRows(benchmark.environment_id, count, Fresh(benchmark), 3, steps_per_action, siblings=siblings)
    return EpisodeCollector(rows, Random(rows.env.single_action_space), 50)
