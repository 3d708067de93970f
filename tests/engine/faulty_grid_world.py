"""FaultyGridWorldEnv, in a module of its own because worker processes import it."""

import os
import signal
import sys
import time

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.grid_world import GridWorldEnv


class FaultyGridWorldEnv(GridWorldEnv):
    """Counts its steps, and shows ``fault`` if its seed was ``culprit``: once in step ``step``, or in ``reset``.

    ``reset``'s further option ``level`` is a whole number, repeated in the info.
    """

    reset_options = GridWorldEnv.reset_options | {"level"}

    def __init__(self, tasks=None, render_mode=None, fault: str = "", step: int = 3, culprit: int = 0, given=None):
        super().__init__(tasks, render_mode)
        self.fault, self.fault_step, self.culprit = fault, step, culprit
        self.steps, self.at_fault = 0, False

    def requested_parts(self, options):
        if not isinstance((options or {}).get("level", 0), int):
            raise InvalidOptionError(f"level is {options['level']!r}, expected a whole number")
        return {}

    def reset(self, *, seed=None, options=None):
        level = {name: value for name, value in (options or {}).items() if name == "level"}
        rest = {name: value for name, value in (options or {}).items() if name != "level"}
        observation, info = super().reset(seed=seed, options=rest)
        self.steps = 0
        if seed is not None:
            self.at_fault = seed == self.culprit
        if self.at_fault and self.fault == "reset":
            raise LookupError("the world fell apart in reset")
        return observation, info | level

    def step(self, action):
        self.steps += 1
        observation, reward, terminated, truncated, info = super().step(action)
        if self.at_fault and self.steps == self.fault_step:
            self.at_fault = False
            match self.fault:
                case "error":
                    raise ArithmeticError("the world fell apart", 5)
                case "unsendable":
                    error = ArithmeticError("the world fell apart")
                    error.reason = lambda: None
                    raise error
                case "leave":
                    sys.exit(0)
                case "close":
                    raise GeneratorExit
                case "exit":
                    os._exit(3)
                case "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "sleep":
                    time.sleep(0.5)
                case "hang":
                    time.sleep(600)
                case "reason":
                    return observation, reward, terminated, True, info | {"reason": "diverged"}
        return observation, reward, terminated, truncated, info
