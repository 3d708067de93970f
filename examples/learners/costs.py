"""What each library's way of stepping an environment costs, and write it as docs/learners.md's second table.

python examples/learners/costs.py

Random actions are played in GridWorld-v0, flat, and steps of all rows are counted by the processor's time. No learner
learns. Libraries that are not installed are left out.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv

PAGE = Path(__file__).resolve().parents[2] / "docs" / "learners.md"
ENVIRONMENT, OPTIONS = "GridWorld-v0", {"flat": True, "tasks": "graded"}
NUM_ENVS, SECONDS = 64, 2.0
FIRST, LAST = "<!-- costs -->\n", "<!-- end of the costs -->\n"
#: Steps all rows by random actions, once.
Step = Callable[[], Any]


def make_row() -> gymnasium.Env:
    """One environment."""
    return gymnasium.make(ENVIRONMENT, **OPTIONS)


def make_rows(mode: str = "vector_entry_point", **options: Any) -> VectorEnv:
    """Gymnasium's vector environment, by default the native one."""
    return gymnasium.make_vec(ENVIRONMENT, num_envs=NUM_ENVS, vectorization_mode=mode, **OPTIONS, **options)


def actions() -> np.ndarray:
    """Of all rows, the same ones every time: to draw them takes longer than to play them."""
    return np.random.default_rng(0).integers(4, size=NUM_ENVS)


def of_gymnasium(rows: VectorEnv) -> Step:
    """Gymnasium's interface."""
    rows.reset(seed=0)
    played = actions()
    return lambda: rows.step(played)


def of_stable_baselines3(rows: Any) -> Step:
    """stable-baselines3's interface, which SuperSuit and Syllabus take part in."""
    rows.reset()
    played = actions()
    return lambda: rows.step(played)


def baselines_rows() -> Step:
    """stable-baselines3's own vector environment."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    return of_stable_baselines3(DummyVecEnv([make_row] * NUM_ENVS))


def torchrl_rows() -> Step:
    """TorchRL's, as in its recipe."""
    import torch
    from torchrl.envs import GymWrapper, SerialEnv

    rows = SerialEnv(NUM_ENVS, lambda: GymWrapper(make_row(), categorical_action_encoding=True))
    now, played = [rows.reset()], torch.as_tensor(actions())

    def step() -> None:
        now[0]["action"] = played
        _, now[0] = rows.step_and_maybe_reset(now[0])

    return step


def skrl_rows() -> Step:
    """skrl's, as in its recipe."""
    import torch
    from skrl.envs.wrappers.torch import wrap_env

    rows = wrap_env(make_rows(autoreset_mode=AutoresetMode.SAME_STEP), wrapper="gymnasium")
    rows.reset()
    played = torch.as_tensor(actions())[:, None]
    return lambda: rows.step(played)


def supersuit_rows() -> Step:
    """SuperSuit's, as in its recipe."""
    import supersuit

    stacked = supersuit.frame_stack_v1(make_row(), 4)
    return of_stable_baselines3(supersuit.stable_baselines3_vec_env_v0(stacked, NUM_ENVS))


def native_rows() -> Step:
    """What others cost beside."""
    return of_gymnasium(make_rows())


def task_rows() -> Step:
    """The native vector environment for stable-baselines3."""
    return of_stable_baselines3(TaskVecEnv(ENVIRONMENT, NUM_ENVS, **OPTIONS))


def sync_rows() -> Step:
    """Gymnasium's own, one environment after the other."""
    return of_gymnasium(make_rows("sync"))


#: What is measured: how it is called, the package that it takes, and how it is made; the native one first.
WAYS: tuple[tuple[str, str, Callable[[], Step]], ...] = (
    ("`make_vec(ID, vectorization_mode='vector_entry_point')`: native", "gymnasium", native_rows),
    ("skrl's `wrap_env` of the native ones", "skrl", skrl_rows),
    ("`TaskVecEnv`: the native ones for stable-baselines3 and sb3-contrib", "stable_baselines3", task_rows),
    ("`make_vec(ID, vectorization_mode='sync')`, as RLlib and CleanRL step", "gymnasium", sync_rows),
    ("stable-baselines3's `DummyVecEnv`, as in Syllabus' recipe", "stable_baselines3", baselines_rows),
    ("SuperSuit's `frame_stack_v1` in its `stable_baselines3_vec_env_v0`", "supersuit", supersuit_rows),
    ("TorchRL's `SerialEnv` of `GymWrapper`", "torchrl", torchrl_rows),
)


def steps_a_second(step: Step, seconds: float) -> float:
    """Steps of all rows for each second of the processor's, after a first one."""
    step()
    calls, begun = 0, time.process_time()
    while (passed := time.process_time() - begun) < seconds:
        step()
        calls += 1
    return calls * NUM_ENVS / passed


def table(seconds: float) -> str:
    """The table in Markdown."""
    lines = ["| Rows | Steps a processor second | Slowdown |", "| --- | --- | --- |"]
    native = 0.0
    for title, package, make in WAYS:
        if importlib.util.find_spec(package) is None:
            continue
        speed = steps_a_second(make(), seconds)
        native = native or speed
        lines.append(f"| {title} | {float(f'{speed:.2g}'):,.0f} | {float(f'{native / speed:.2g}'):g}x |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, and write the page's table if it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds that each is stepped for")
    parser.add_argument("--write", action="store_true", help="write the table into docs/learners.md")
    arguments = parser.parse_args()
    measured = table(arguments.seconds)
    print(measured, end="")
    if arguments.write:
        before, _, after = PAGE.read_text(encoding="utf-8").partition(FIRST)
        PAGE.write_text(before + FIRST + measured + LAST + after.partition(LAST)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
