"""Our side of the comparison: PPO with memory on GridMaze-v0 under one of our teachers; see :mod:`.__main__`.

``python -m tests.performance.rival_jaxued.ours ORDER.json``.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

from procgen_bench.baselines.fast.ppo import twin_of
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import RecurrentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.curve_scores import evaluate
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.performance.rival_jaxued.mazes import BENCHMARK


def main(order_path: str) -> None:
    """Carry out one order, and write what came of it."""
    order = json.loads(Path(order_path).read_text())
    settings = RecurrentPPOConfiguration(**order["settings"])
    torch.set_num_threads(1)
    torch.manual_seed(order["seed"])
    rng = np.random.default_rng(order["seed"])
    teacher = get_teacher(order["teacher"]).make(
        order["teacher_options"], LevelSource(BENCHMARK, settings.solvable), rng
    )
    rows = CurriculumVectorEnv(BENCHMARK.environment_id, settings.num_envs, teacher, order["seed"])
    sizes = {"width": settings.width, "layers": settings.layers, "memory": settings.memory}
    policy = ActorPolicy(BENCHMARK.environment_id, settings.stochastic, **sizes)
    learner = twin_of(PolicyGradient(policy.network, policy.actions, settings, rng))
    rows.begin()
    collector = Collector(rows, learner, settings.rollout_steps)
    weights = sum(weight.numel() for weight in policy.network.parameters())

    stamps = []
    wall, processor = time.perf_counter(), time.process_time()
    while time.process_time() - processor < order["seconds"]:
        for _ in range(order["updates_between_evaluations"]):
            rollout = collector.collect()
            teacher.observe(collector.finished_episodes(rollout))
            learner.update(rollout)
        stamp = {
            "step": rows.steps,
            "wall": time.perf_counter() - wall,
            "processor": time.process_time() - processor,
            "solved": evaluate(policy, BENCHMARK)["success"],
        }
        stamps.append(stamp)
        print(json.dumps(stamp), flush=True)
    Path(order["out"]).write_text(json.dumps({"weights": weights, "stamps": stamps}))


if __name__ == "__main__":
    main(sys.argv[1])
