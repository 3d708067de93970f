"""Learners of pairs on designs of a test's own."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.code.pair_ppo import PairPolicyGradient
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.method import Context
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.sites import SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.variation import NO_VARIATION

BENCHMARK = get_benchmark("gminiwob/test")


class Designs(Teacher):
    """Some designs, with newly drawn values and one of some variations; a level's number is its design's place."""

    def __init__(self, designs, variations=(NO_VARIATION,), seed=0):
        self.library, self.designs, self.variations = SiteTaskSpace().library, designs, variations
        super().__init__(None, np.random.default_rng(seed), None)

    def propose(self, rows, step):
        return [self.proposal(int(self.rng.integers(len(self.designs)))) for _ in rows]

    def proposal(self, place):
        fields, lists = self.designs[place].fields, self.library.value_lists
        places = {field: int(self.rng.integers(len(lists[field]))) for field in fields}
        variation = self.variations[int(self.rng.integers(len(self.variations)))]
        return Proposal(place, SiteTask(self.designs[place], self.library.profile(fields, places), variation))


def players_of(configuration, seed, names=("student",)):
    """The players of a run whose teacher has these."""
    rows = SimpleNamespace(teacher=SimpleNamespace(players=names), steps=0)
    return METHODS["pair-ppo"].load("make_players")(Context(BENCHMARK, configuration, seed, 600, rows))


def learning(designs, learner_type=PairPolicyGradient, variations=(NO_VARIATION,), **settings):
    """The player, steps so far, and the episodes that ended, of one rollout after the other."""
    configuration = replace(PairPPOConfiguration(), **settings)
    rows = CurriculumVectorEnv(
        "GMiniWoB-v0", configuration.num_envs, Designs(designs, variations), seed=0, observation="masked"
    )
    (player,) = players_of(configuration, 0)
    player.learner.__class__ = learner_type
    collector = Collector(rows, player.learner, configuration.rollout_steps)
    while True:
        rollout = collector.collect()
        player.learner.update(rollout)
        yield player, rows.steps, collector.finished_episodes(rollout)
