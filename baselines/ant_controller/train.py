"""Training the controller, and writing it where the package ships it."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn
from tqdm import tqdm

from procgen_bench.baselines.ant_controller.configuration import AntControllerConfiguration
from procgen_bench.baselines.ant_controller.scores import maze_scores, plain_scores, validation_scores
from procgen_bench.baselines.ant_controller.walking import SubgoalWalk
from procgen_bench.baselines.training.settings import check_ranges
from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.core.provenance import provenance
from procgen_bench.envs.ant_maze.controller import NUM_HIDDEN, Controller


def train(configuration: AntControllerConfiguration, seed: int, steps: int, folder: Path, command: str) -> None:
    """Train for ``steps`` environment steps and write ``controller.safetensors`` and ``controller.json``.

    Args:
        configuration: Settings.
        seed: Of the network, its actions and the subgoals.
        steps: Environment steps, rounded up to whole rollouts.
        folder: Where the two files go.
        command: What the record says it was called by.

    Raises:
        InvalidOptionError: One of the settings is out of its range.
    """
    check_ranges(configuration)
    folder.mkdir(parents=True, exist_ok=True)
    origin = provenance()  # as of now: the checkout may change while this runs
    torch.set_num_threads(configuration.threads)
    walk = SubgoalWalk(
        configuration.num_envs,
        configuration.episode_steps,
        configuration.fall_penalty,
        configuration.tilt_penalty,
        seed,
    )
    learner = _learner(walk, configuration, seed)
    begun = time.perf_counter()
    validation = _Validation(steps, configuration.validate_every)
    learner.learn(steps, callback=validation)
    seconds = time.perf_counter() - begun
    controller = Controller(validation.best_weights)
    record = {
        "command": command,
        "configuration": asdict(configuration),
        "seed": seed,
        "steps": learner.num_timesteps,
        "seconds": round(seconds),
        "validation": validation.history,
        "scores": {"plain": plain_scores(controller), "maze": maze_scores(controller)},
        **origin,
    }
    write_bytes(folder / "controller.safetensors", save(validation.best_weights))
    write_text(folder / "controller.json", json.dumps(record, indent=2) + "\n")


def _learner(walk: SubgoalWalk, configuration: AntControllerConfiguration, seed: int) -> PPO:
    first, final = configuration.learning_rate, configuration.final_learning_rate
    return PPO(
        "MlpPolicy",
        walk,
        learning_rate=lambda remaining: final + (first - final) * remaining,
        n_steps=configuration.rollout_steps,
        batch_size=configuration.batch_size,
        n_epochs=configuration.epochs,
        gamma=configuration.discount,
        gae_lambda=configuration.gae_lambda,
        clip_range=configuration.clip_range,
        policy_kwargs={
            "net_arch": [NUM_HIDDEN, NUM_HIDDEN],
            "activation_fn": nn.ReLU,
            "log_std_init": configuration.first_log_deviation,
        },
        seed=seed,
        device="cpu",
    )


class _Validation(BaseCallback):
    """Walks the maze at regular steps and at the end, and keeps the weights of the best: most goals, then least steps.

    A policy gets faster to the end, but not always steadier.
    """

    model: PPO

    def __init__(self, steps: int, every: int):
        super().__init__()
        self.history: list[dict[str, float]] = []
        self.best_weights: dict[str, np.ndarray] = {}
        self._best = (-1.0, 0.0)
        self._every, self._next = every, every
        self._bar = tqdm(total=steps, desc="walking", unit="step", unit_scale=True, delay=2)

    def _on_step(self) -> bool:
        self._bar.update(self.training_env.num_envs)
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._next:
            self._next += self._every
            self._validate()

    def _on_training_end(self) -> None:
        self._validate()
        self._bar.close()

    def _validate(self) -> None:
        weights = _weights(self.model)
        scores = validation_scores(Controller(weights))
        self.history.append({"trained": self.num_timesteps, **scores})
        self._bar.set_postfix(scores)
        if (scores["success"], -scores["steps"]) > self._best:
            self._best, self.best_weights = (scores["success"], -scores["steps"]), weights


def _weights(learner: PPO) -> dict[str, np.ndarray]:
    """The policy's mean as the controller's arrays."""
    first, _, second, _ = learner.policy.mlp_extractor.policy_net
    weights = {}
    for number, layer in enumerate((first, second, learner.policy.action_net)):
        assert isinstance(layer, nn.Linear)
        weights[f"weights_{number}"] = layer.weight.detach().numpy().T.copy()
        weights[f"bias_{number}"] = layer.bias.detach().numpy().copy()
    return weights
