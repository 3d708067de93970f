"""Process vector environments over families that have native ones, to compare with; and single environments at fault.

The classes live in a module of their own because worker processes import them.
"""

import os
import signal
import time
from functools import partial

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv

from procgen_bench.envs.ant_maze import SparseAntMazeEnv
from procgen_bench.envs.bit_grid import BitGridEnv
from procgen_bench.envs.grid_world import GridWorldEnv
from procgen_bench.goal_env import GoalRows
from procgen_bench.process_vector_env import ProcessVectorEnv


class GridWorldProcessVectorEnv(ProcessVectorEnv):
    single_env_type = GridWorldEnv


class BitGridProcessVectorEnv(GoalRows, ProcessVectorEnv):
    single_env_type = BitGridEnv


class SparseAntMazeProcessVectorEnv(GoalRows, ProcessVectorEnv):
    single_env_type = SparseAntMazeEnv


PROCESS_FORMS = {
    "GridWorld-v0": GridWorldProcessVectorEnv,
    "BitGrid-v0": BitGridProcessVectorEnv,
    "SparseAntMaze-v0": SparseAntMazeProcessVectorEnv,
}


def make_process_vec(environment_id: str, form: type[ProcessVectorEnv] | None = None, **options) -> VectorEnv:
    """What ``gymnasium.make_vec`` would make, had the id this process form as its vector entry point."""
    limit = gymnasium.spec(environment_id).max_episode_steps
    if "num_workers" in options:
        options["num_workers"] = min(options["num_workers"], options["num_envs"])
    env = (form or PROCESS_FORMS[environment_id])(**{"max_episode_steps": limit} | options)
    env.spec = EnvSpec(environment_id)
    return env


make_grid_worlds = partial(make_process_vec, "GridWorld-v0")


class FaultyGridWorldEnv(GridWorldEnv):
    """Counts its steps, and fails in the one that ``fault`` names, if its seed was ``culprit``."""

    def __init__(self, tasks=None, render_mode=None, fault: str = "error", step: int = 3, culprit: int = 0):
        super().__init__(tasks, render_mode)
        self.fault, self.fault_step, self.culprit = fault, step, culprit
        self.steps, self.at_fault = 0, False

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        if seed is not None:
            self.at_fault = seed == self.culprit
        if self.at_fault and self.fault == "reset":
            raise LookupError("the world fell apart in reset")
        observation, info = super().reset(seed=seed, options=options)
        return observation, info | ({"level": 7, "why": "told"} if self.fault == "info" and self.at_fault else {})

    def step(self, action):
        self.steps += 1
        observation, reward, terminated, truncated, info = super().step(action)
        if self.at_fault and self.steps == self.fault_step:
            match self.fault:
                case "error":
                    raise ArithmeticError("the world fell apart", 5)
                case "unsendable":
                    error = ArithmeticError("the world fell apart")
                    error.reason = lambda: None
                    raise error
                case "exit":
                    os._exit(3)
                case "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "sleep":
                    time.sleep(1.0)
                case "hang":
                    time.sleep(600)
                case "reason":
                    return observation, reward, terminated, True, info | {"reason": "diverged"}
        return observation, reward, terminated, truncated, info


class FaultyGridWorldProcessVectorEnv(ProcessVectorEnv):
    single_env_type = FaultyGridWorldEnv


make_faulty = partial(make_process_vec, "GridWorld-v0", FaultyGridWorldProcessVectorEnv)
