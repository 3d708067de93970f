"""Syllabus' curricula over the tasks of a suite, and stable-baselines3's PPO that learns them.

python examples/learners/syllabus_curriculum.py GridWorld-v0 --suite graded --steps 100000

A curriculum of Syllabus chooses among numbered tasks: here those of a suite. It hands the choice to ``reset`` of its
TaskWrapper, which passes it on as ``options={"task": ...}``. Suites are what benchmarks score: train on one and
evaluate on another, or number tasks of your own (``task_space.decode(task_space.sample(rng))``, ``task_space.mutate``).
"""

import gymnasium
from command_line import recipe_parser
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv
from syllabus.core import GymnasiumSyncWrapper, TaskWrapper, make_multiprocessing_curriculum
from syllabus.curricula import DomainRandomization, SequentialCurriculum
from syllabus.task_space import DiscreteTaskSpace

NUM_ENVS, ROLLOUT, EPOCHS = 4, 64, 4


class SuiteTasks(TaskWrapper):
    """An environment whose resets take the name of a task."""

    def reset(self, new_task: str | None = None, **kwargs):
        """Begin an episode of ``new_task``."""
        self.task = new_task
        observation, info = self.env.reset(seed=kwargs.get("seed"), options={"task": new_task})
        return observation, info | {"task_completion": 0.0, "task": new_task}

    def _task_completion(self, obs, rew, term, trunc, info) -> float:
        return float(info["is_success"])


if __name__ == "__main__":
    parser = recipe_parser(__doc__)
    parser.add_argument("--suite", help="the suite of tasks (default: the environment's first)")
    arguments = parser.parse_args()
    task_space = gymnasium.make(arguments.environment, **arguments.options).unwrapped.task_space
    suite = arguments.suite or task_space.suite_names[0]
    names = [f"{suite}/{name}" for name in task_space.suite(suite).task_names]
    numbered = DiscreteTaskSpace(len(names), names)
    stages = [list(range(len(names) // 2)), DomainRandomization(numbered)]
    halves = SequentialCurriculum(stages, stopping_conditions=["episodes>=20"], task_space=numbered)
    curriculum = make_multiprocessing_curriculum(halves)

    def make_row() -> gymnasium.Env:
        """An environment whose tasks the curriculum chooses."""
        env = gymnasium.make(arguments.environment, **arguments.options)
        return GymnasiumSyncWrapper(SuiteTasks(env), numbered, curriculum.components)

    rows = DummyVecEnv([make_row] * NUM_ENVS)
    policy = "MultiInputPolicy" if isinstance(rows.observation_space, spaces.Dict) else "MlpPolicy"
    model = PPO(policy, rows, n_steps=ROLLOUT, batch_size=ROLLOUT, n_epochs=EPOCHS, device="cpu", verbose=1)
    model.learn(arguments.steps)
    rows.close()
    curriculum.stop()
    print(f"trained for {model.num_timesteps:,} steps")
