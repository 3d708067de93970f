"""EpisodePPO: stable-baselines3's PPO, fed with whole episodes whose rewards a labeller decides."""

from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.utils import update_learning_rate

from procgen_bench.baselines.episodic.actor_critic import GoalActorCritic, tensors_of
from procgen_bench.baselines.episodic.buffer import EpisodeBuffer
from procgen_bench.baselines.episodic.episodes import EpisodePlayer, Episodes, Siblings
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.sb3.resumable import Resumable
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.engine.goal_env import GoalVectorEnv


class EpisodePPO(Resumable, PPO):
    """PPO that plays one whole episode in every row between updates (appendix F, "Proximal Policy Optimization").

    The number of epochs and of minibatches is fixed; the minibatches' sizes follow the episodes' lengths.

    Args:
        env: The rows.
        labeller: Decides rewards, inclusion and what the critic sees.
        siblings: What the rows of a pair share.
        anti_goal: Whether the labeller gives the critic an anti-goal.
        minibatches: Gradient steps per epoch.
        learning_rate_decay: Factor of the learning rate after every update.
        steps_per_action: Steps of the environment, as it is scored, that an action lasts.
        bootstrap: Whether the critic's value of the last state follows an episode that was cut off.
        **keywords: PPO's own.
    """

    policy: GoalActorCritic  # type: ignore[assignment]  # it has what PPO calls of an ActorCriticPolicy

    def __init__(
        self,
        env: TaskVecEnv,
        labeller: Labeller,
        siblings: Siblings,
        anti_goal: bool,
        minibatches: int,
        learning_rate_decay: float,
        bootstrap: bool,
        steps_per_action: int = 1,
        **keywords,
    ):
        super().__init__(
            GoalActorCritic,  # type: ignore[arg-type]  # as above
            env,
            rollout_buffer_class=EpisodeBuffer,  # type: ignore[arg-type]  # likewise of a RolloutBuffer
            policy_kwargs={"anti_goal": anti_goal},
            normalize_advantage=False,  # the buffer does, over all minibatches
            max_grad_norm=np.inf,
            device="cpu",
            **keywords,
        )
        self._steps_per_action = steps_per_action
        assert isinstance(env.rows, GoalVectorEnv)  # whole episodes are for goals
        self._player = EpisodePlayer(env.rows, siblings)
        self._labeller = labeller
        self._minibatches, self._learning_rate_decay, self._bootstrap = minibatches, learning_rate_decay, bootstrap
        #: Sums of the labellers' measures since the last evaluation, and of how many rollouts.
        self._measures: dict[str, float] = {}
        self._measured = 0

    @staticmethod
    def _wrap_env(env, verbose: int = 0, monitor_wrapper: bool = True) -> TaskVecEnv:
        """The rows as they are: episodes are played on them directly, and pictures keep their channels last."""
        return env

    def collect_rollouts(self, env, callback, rollout_buffer, n_rollout_steps: int) -> bool:
        """Play, label and keep one episode per row."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        episodes = self._player.play(self.policy.act)
        env.record_tasks(np.ones(env.num_envs, np.bool_))
        labels = self._labeller.label(episodes)
        self._keep(episodes, labels, rollout_buffer)
        self._measure(episodes, labels)
        self.num_timesteps += episodes.num_steps * self._steps_per_action
        if not callback.on_step():
            return False
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        """PPO's own, with as many minibatches as asked for."""
        assert isinstance(self.rollout_buffer, EpisodeBuffer)  # see above
        self.batch_size = -(-len(self.rollout_buffer) // self._minibatches)
        super().train()

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The actor's weights."""
        return {name: tensor.numpy().copy() for name, tensor in self.policy.actor.state_dict().items()}

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Add the means of the labeller's measures since the last evaluation."""
        for name, total in self._measures.items():
            scores[name] = total / max(self._measured, 1)
        self._measures, self._measured = dict.fromkeys(self._measures, 0.0), 0

    def own_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The labeller's state and the measures so far."""
        arrays, values = self._labeller.state()
        return arrays, {"labeller": values, "measures": self._measures, "measured": self._measured}

    def restore_own_state(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`own_state` returned."""
        self._labeller.restore(arrays, values["labeller"])
        self._measures, self._measured = values["measures"], values["measured"]

    def _keep(self, episodes: Episodes, labels: Labels, buffer: EpisodeBuffer) -> None:
        values = self._values(episodes, labels.anti_goals)
        final_values = np.zeros(len(episodes.lengths))
        if self._bootstrap:
            final_values = np.where(episodes.successes, 0.0, self._final_values(episodes, labels.anti_goals))
        buffer.fill(episodes, labels.rewards, values, final_values, labels.included, labels.anti_goals)

    @torch.inference_mode()
    def _values(self, episodes: Episodes, anti_goals: np.ndarray | None) -> np.ndarray:
        """float32 (T, N)."""
        played = episodes.played
        seen = {name: array[played] for name, array in episodes.observations.items()}
        if anti_goals is not None:
            seen["anti_goal"] = anti_goals[np.nonzero(played)[1]]
        values = np.zeros(played.shape, np.float32)
        values[played] = self.policy.predict_values(tensors_of(seen))[:, 0].numpy()
        return values

    @torch.inference_mode()
    def _final_values(self, episodes: Episodes, anti_goals: np.ndarray | None) -> np.ndarray:
        """float32 (N,)."""
        seen = dict(episodes.final_observations)
        if anti_goals is not None:
            seen["anti_goal"] = anti_goals
        return self.policy.predict_values(tensors_of(seen))[:, 0].numpy()

    def _measure(self, episodes: Episodes, labels: Labels) -> None:
        measures = {"training_success": float(episodes.successes.mean()), **labels.measures}
        for name, value in measures.items():
            self._measures[name] = self._measures.get(name, 0.0) + value
        self._measured += 1
        returns = labels.rewards.sum(axis=0)
        self.ep_info_buffer.extend(
            {"r": float(return_), "l": int(length), "t": 0.0} for return_, length in zip(returns, episodes.lengths)
        )
        self.ep_success_buffer.extend(episodes.successes.tolist())

    def _update_learning_rate(self, optimizers) -> None:
        rate = self.lr_schedule(1.0) * self._learning_rate_decay ** (self._n_updates // self.n_epochs)
        self.logger.record("train/learning_rate", rate)
        update_learning_rate(optimizers, rate)
