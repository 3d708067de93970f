"""What a person plays: episodes of an environment, one after the other."""

from typing import TYPE_CHECKING, Any

from procgen_bench.core.success import counted_success

if TYPE_CHECKING:
    import gymnasium

    from procgen_bench.core.task import Task
    from procgen_bench.engine.task_env import TaskEnv

RESTART, NEW_TASK, QUIT = "r", "n", ("q", "escape")
#: What these keys do, for captions.
COMMANDS = "r: restart   n: new task   q: quit"
RUNNING = "running"


class Game:
    """Episodes that a person plays.

    Attributes:
        over: Whether the person has quit.
        steps, reward, episode_return, outcome: How the episode goes; ``reward`` is the last step's.

    Args:
        env: The environment.
        seed: Seed of the first reset.
        task: Name of the first task; ``None``: drawn by the environment.
        given: That task itself, where ``task`` is no name that the environment knows.
    """

    def __init__(self, env: "gymnasium.Env", seed: int, task: str | None, given: "Task | None" = None):
        assert env.spec is not None  # it was made by its id
        self.env, self.spec = env, env.spec
        self.seed = seed
        self.task, self._given = task, given
        self.over = False
        self.restart()

    @property
    def family(self) -> "TaskEnv":
        """The environment without its wrappers."""
        from procgen_bench.engine.task_env import TaskEnv

        env = self.env.unwrapped
        assert isinstance(env, TaskEnv)  # no other is played
        return env

    def restart(self) -> None:
        """Begin the same episode again: the same task, the same seed."""
        task = self.task if self._given is None else self._given
        self.env.reset(seed=self.seed, options=None if task is None else {"task": task})
        self.steps, self.reward, self.episode_return, self.outcome = 0, 0.0, 0.0, RUNNING

    def command(self, key: str) -> bool:
        """Do what the key named ``key`` stands for between moves; whether it stands for anything."""
        if key in QUIT:
            self.over = True
        elif key == RESTART:
            self.restart()
        elif key == NEW_TASK:
            self.seed, self.task, self._given = self.seed + 1, None, None
            self.restart()
        else:
            return False
        return True

    def act(self, action: Any) -> None:
        """Take a step; after the end of the episode, do nothing."""
        if self.outcome != RUNNING:
            return
        _, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        self.reward = float(reward)
        self.episode_return += self.reward
        if terminated:
            self.outcome = "solved" if counted_success(info) else "failed"
        elif truncated:
            self.outcome = "out of time"

    def what(self) -> str:
        """What is played."""
        return f"{self.spec.id}   {self.task or 'drawn task'}   seed {self.seed}"

    def status(self) -> str:
        """How it goes."""
        return f"step {self.steps} of {self.spec.max_episode_steps}   return {self.episode_return:.3f}   {self.outcome}"

    def score(self) -> dict[str, str]:
        """How it goes, number by number, as pages show it."""
        return {
            "return": f"{self.episode_return:.3f}",
            "reward": f"{self.reward:+.3f}" if self.steps else "\u2013",
            "steps": f"{self.steps} of {self.spec.max_episode_steps}",
        }
