"""The one training loop of the methods on stable-baselines3: learn, evaluate, checkpoint, resume."""

import time
from collections.abc import Callable

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm import tqdm

from procgen_bench.baselines.learning.evaluation import evaluate
from procgen_bench.baselines.methods import get_method
from procgen_bench.baselines.policies import PolicyFolder
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.sb3.checkpoint import restore_state, save_state
from procgen_bench.baselines.sb3.resumable import Resumable
from procgen_bench.baselines.weighted_policy import WeightedPolicy


def run_training(algorithm: Resumable, run: RunFolder) -> None:
    """Train ``algorithm`` to the run's last step, from its checkpoint if there is one.

    Args:
        algorithm: A fresh :class:`Resumable` algorithm over a :class:`TaskVecEnv`; its configuration is in the run.
        run: Where everything is kept. ``run.configuration`` has ``evaluate_every``, ``checkpoint_every`` (both in
            steps), ``stochastic`` and, where the benchmark's tasks are too many, ``evaluation_tasks``.
    """
    if run.finished:
        return
    algorithm.set_logger(configure(str(run.path / "tensorboard"), ["tensorboard"]))
    callback = _EvaluationCallback(run)
    checkpoint = run.read_checkpoint()
    if checkpoint is not None:
        arrays, values = checkpoint
        restore_state(algorithm, arrays, values["algorithm"])
        callback.curve, callback.seconds = values["curve"], values["seconds"]
    if algorithm.num_timesteps < run.steps:
        algorithm.learn(run.steps - algorithm.num_timesteps, callback, reset_num_timesteps=checkpoint is None)
    callback.close()
    run.finish()


class _EvaluationCallback(BaseCallback):
    """Evaluates and checkpoints between rollouts, when the algorithm's state is whole."""

    model: Resumable

    def __init__(self, run: RunFolder):
        super().__init__()
        self.run = run
        self.curve: list[dict[str, float]] = []
        self.seconds = 0.0
        self._started = time.perf_counter()
        self._checkpointed = 0
        policy_type: Callable[[str, bool], WeightedPolicy] = get_method(run.method).load("policy")
        self._policy = policy_type(run.benchmark.environment_id, run.configuration.stochastic)
        self._bar = tqdm(total=run.steps, unit="step", desc=f"{run.method} {run.benchmark.id}", smoothing=0.05)

    @property
    def _steps(self) -> int:
        """Steps so far by the algorithm's own count; the callback's rests between its calls of ``on_step``."""
        return self.model.num_timesteps

    def _on_training_start(self) -> None:
        self._started = time.perf_counter() - self.seconds
        self._checkpointed = self._steps
        self._bar.update(self._steps)

    def _on_rollout_start(self) -> None:
        self._bar.update(self._steps - self._bar.n)
        evaluated = self.curve[-1]["step"] if self.curve else -1
        if self._steps // self.run.configuration.evaluate_every > evaluated // self.run.configuration.evaluate_every:
            self._evaluate()
            if self._steps - self._checkpointed >= self.run.configuration.checkpoint_every:
                self._checkpoint()

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._bar.update(self._steps - self._bar.n)
        if self.curve[-1]["step"] < self._steps:
            self._evaluate()
        self._checkpoint()

    def _evaluate(self) -> None:
        self._policy.load_weights(self.model.policy_weights())
        scores = evaluate(self._policy, self.run.benchmark, getattr(self.run.configuration, "evaluation_tasks", None))
        self.seconds = time.perf_counter() - self._started
        self.curve.append({"step": self._steps, "seconds": round(self.seconds, 1), **scores})
        self.model.after_evaluation(self.curve[-1])
        self.run.write_curve(self.curve)
        for name, value in scores.items():
            self.logger.record(f"evaluation/{name}", value)
        self.logger.dump(self._steps)
        self._bar.set_postfix({name: f"{value:.3f}" for name, value in scores.items()})
        # Before the policy: a kill between the two leaves a list of too many tasks, not of too few.
        self.run.write_training_tasks(self.model.env.recorder.fingerprints())
        configuration = {"stochastic": self.run.configuration.stochastic, "training_steps": self._steps}
        policy = PolicyFolder(
            self.run.method, self.run.benchmark.environment_id, configuration, self.model.policy_weights()
        )
        policy.write(self.run.policy_path)

    def _checkpoint(self) -> None:
        arrays, values = save_state(self.model)
        self.run.write_checkpoint(arrays, {"algorithm": values, "curve": self.curve, "seconds": self.seconds})
        self._checkpointed = self._steps

    def close(self) -> None:
        """Close the progress bar."""
        self._bar.close()
