"""Our side of the comparison: PPO with memory on UEDMaze-v0 under one of our teachers; see :mod:`.__main__`.

``python -m tests.performance.rival_jaxued.ours ORDER``.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.curricula.plr import PLRTeacher
from procgen_bench.baselines.fast.ppo import FastPolicyGradient
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import RecurrentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.baselines.training.trainer import freed_memory_is_kept
from procgen_bench.core.benchmarks import get_benchmark

BENCHMARK = get_benchmark("ued-maze/random")


class Clock:
    """Processor seconds of some functions."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time is added."""

        def timed_function(*arguments: Any) -> Any:
            begun = time.process_time()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.process_time() - begun

        return timed_function


def main(order: dict[str, Any]) -> None:
    """Train for some updates whenever a line comes in; then say what all of them took."""
    settings = RecurrentPPOConfiguration(**order["settings"])
    torch.set_num_threads(1)
    torch.manual_seed(order["seed"])
    rng = np.random.default_rng(order["seed"])
    levels = LevelSource(BENCHMARK, settings.solvable)
    teacher = get_teacher(order["teacher"]).make(order["teacher_options"], levels, rng)
    rows = CurriculumVectorEnv(BENCHMARK.environment_id, settings.num_envs, teacher, order["seed"])
    policy = ActorPolicy(BENCHMARK.environment_id, settings.stochastic, **settings.sizes)
    learner = FastPolicyGradient.of(PolicyGradient(policy.network, policy.actions, settings, rng))
    assert learner is not None
    teaching, collecting, updating = Clock(), Clock(), Clock()
    teacher.propose, teacher.observe = (teaching.timed(own) for own in (teacher.propose, teacher.observe))
    rows.begin()
    collector = Collector(rows, learner, settings.rollout_steps)
    collect = collecting.timed(lambda: collector.collect())
    update, learned, proposing = updating.timed(learner.update), 0, 0.0
    weights = sum(weight.numel() for weight in policy.network.parameters())

    for _ in sys.stdin:
        for _ in range(order["updates"]):
            before = teaching.seconds
            rollout = collect()
            proposing += teaching.seconds - before
            teacher.observe(collector.finished_episodes(rollout))
            update(rollout)
            learned += int(rollout.train.sum())
        seconds = {"rollout": collecting.seconds - proposing, "teacher": teaching.seconds}
        seconds |= {"learning update": updating.seconds, "idle update": 0.0}
        stamp = {"ready": is_ready(teacher), "steps": rows.steps, "learned": learned, "seconds": seconds}
        print(json.dumps(stamp | {"weights": weights}), flush=True)


def is_ready(teacher: Any) -> bool:
    """Whether a teacher replays as often as it is set to."""
    if not isinstance(teacher, PLRTeacher):
        return True
    return len(teacher.buffer) >= teacher.configuration.replay_probability * teacher.buffer.capacity


if __name__ == "__main__":
    with freed_memory_is_kept():
        main(json.loads(sys.argv[1]))
