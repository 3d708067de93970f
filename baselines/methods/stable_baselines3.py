"""sb3-ppo, sb3-dqn, sb3-sac: stable-baselines3's algorithms, unchanged, under a teacher, for comparison.

Its own ``learn`` collects and updates; a callback passes episodes to the teacher and evaluates. Its algorithms can only
be saved by pickle, so a stopped run starts again, and ends the same.
"""

import ast
import inspect
import math
import time
from types import MappingProxyType
from typing import Any, ClassVar

import gymnasium
import torch
from gymnasium import spaces
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy, MultiInputActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit
from stable_baselines3.common.vec_env import VecTransposeImage
from stable_baselines3.dqn.policies import MultiInputPolicy as DQNPolicy
from stable_baselines3.sac.policies import MultiInputPolicy as SACPolicy
from torch import nn

from procgen_bench.baselines.methods.stable_baselines3_settings import StableBaselines3Configuration
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.policies.arrays import Arrays, named_space, network_arrays
from procgen_bench.baselines.policies.folders import KEPT_POLICIES_FOLDER, PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors, global_generators_kept, normal_draws
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.stable_baselines3 import CurriculumVecEnv, UnsupportedTeacherError
from procgen_bench.baselines.training.contracts import CRITICISM
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.evaluation import evaluate
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.reporting import TensorBoard, reporting_to
from procgen_bench.baselines.training.rollouts import EpisodeScores, UnfinishedEpisodes, finished_episodes_of
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings_table import show_settings
from procgen_bench.baselines.training.student_handle import StudentHandle
from procgen_bench.baselines.training.task_records import ProposedLevels
from procgen_bench.baselines.training.trainer import MeanMeasures, is_evaluation_due, summary_of
from procgen_bench.core.errors import InvalidOptionError, LearningDivergedError
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts

#: Arguments of the algorithms that this file gives, or that no text can say.
_RESERVED = frozenset({"self", "policy", "env", "policy_kwargs", "seed", "device", "verbose", "tensorboard_log"})
_CLASSES = frozenset({"_init_setup_model", "replay_buffer_class", "rollout_buffer_class", "action_noise"})


class _Played(WeightedPolicy):
    """The part of a stable-baselines3 policy that plays.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws its actions.
        width: Units in each dense layer.
        layers: Dense layers.
    """

    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    policy_type: ClassVar[type[BasePolicy]]

    def __init__(self, environment_id: str, stochastic: bool, width: int = 64, layers: int = 2):
        with gymnasium.make(environment_id) as env:
            seen, self.action_space = named_space(env.observation_space), env.action_space
        # Pictures are seen with their colours first.
        self._pictures = [
            name
            for name, own in seen.items()
            if isinstance(own, spaces.Box) and is_image_space(own) and not is_image_space_channels_first(own)
        ]
        shown = {name: VecTransposeImage.transpose_space(seen[name]) for name in self._pictures}  # type: ignore[arg-type]
        space = spaces.Dict({**seen, **shown})
        policy = self.policy_type(space, self.action_space, lr_schedule=lambda _: 0.0, net_arch=[width] * layers)
        super().__init__(self.part_of(policy), stochastic, self.noise_needed())

    @staticmethod
    def part_of(policy: BasePolicy) -> nn.Module:
        """The module of an algorithm's policy that plays."""
        return policy

    def noise_needed(self) -> int:
        """Uniform numbers that drawing an action takes."""
        return 0

    def seen(self, observations: Tensors) -> Tensors:
        """Observations as stable-baselines3's networks take them."""
        pictures = {name: observations[name].permute(0, 3, 1, 2) for name in self._pictures}
        return {**observations, **pictures}


class PPOPolicy(_Played):
    """Plays what ``PPO`` of stable-baselines3 has learned; see the arguments of its configuration."""

    network: MultiInputActorCriticPolicy
    policy_type = MultiInputActorCriticPolicy

    def noise_needed(self) -> int:
        """Two for every real number, or what a draw of a choice takes."""
        if isinstance(self.action_space, spaces.Box):
            return 2 * self.action_space.shape[0]
        return actions_of(self.action_space).noise_width

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions of the action space's type; there is no state."""
        network = self.network
        # Actor and critic share what reads observations, which is not said in its types.
        features = network.extract_features(self.seen(observations))  # type: ignore[arg-type]
        outputs = network.action_net(network.mlp_extractor.forward_actor(features))  # type: ignore[arg-type]
        if not isinstance(self.action_space, spaces.Box):
            return actions_of(self.action_space).play(outputs, noise if self.stochastic else None), {}
        if self.stochastic:
            outputs = outputs + network.log_std.exp() * normal_draws(noise)
        return _within(self.action_space, outputs), {}


class QPolicy(_Played):
    """Plays what ``DQN`` of stable-baselines3 has learned: the action of the greatest value."""

    policy_type = DQNPolicy

    @staticmethod
    def part_of(policy: BasePolicy) -> nn.Module:
        """The network of the actions' values."""
        assert isinstance(policy, DQNPolicy)
        return policy.q_net

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions int64 (n,); there is no state."""
        return self.network(self.seen(observations)).argmax(dim=1), {}


class SoftPolicy(_Played):
    """Plays what ``SAC`` of stable-baselines3 has learned; see the arguments of its configuration."""

    policy_type = SACPolicy

    @staticmethod
    def part_of(policy: BasePolicy) -> nn.Module:
        """The actor."""
        assert isinstance(policy, SACPolicy)
        return policy.actor

    def noise_needed(self) -> int:
        """Two for every number of an action."""
        return 2 * self.action_space.shape[0]  # type: ignore[index]  # a vector

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, k); there is no state."""
        space = self.action_space
        assert isinstance(space, spaces.Box)
        chosen, log_deviations, _ = self.network.get_action_dist_params(self.seen(observations))  # type: ignore[operator]
        if self.stochastic:
            chosen = chosen + log_deviations.exp() * normal_draws(noise)
        low, high = torch.as_tensor(space.low), torch.as_tensor(space.high)
        return _within(space, low + (torch.tanh(chosen) + 1) / 2 * (high - low)), {}


def _within(space: spaces.Box, actions: torch.Tensor) -> torch.Tensor:
    return torch.minimum(torch.maximum(actions, torch.as_tensor(space.low)), torch.as_tensor(space.high))


_POLICIES: dict[type[BaseAlgorithm], type[_Played]] = {PPO: PPOPolicy, DQN: QPolicy, SAC: SoftPolicy}
#: By the names that configurations have for them.
ALGORITHMS: dict[str, type[BaseAlgorithm]] = {"PPO": PPO, "DQN": DQN, "SAC": SAC}


class _Reports(BaseCallback):
    """Gives the teacher what was played, and evaluates the student between rollouts."""

    model: BaseAlgorithm

    def __init__(self, run: RunFolder, rows: CurriculumVectorEnv, steps: int, policy: _Played, sizes: dict[str, int]):
        super().__init__()
        self.run, self.rows, self.policy, self._steps, self._sizes = run, rows, policy, steps, sizes
        # The algorithm learns by itself; to its teacher the student is the policy, as it last was.
        self._student = StudentHandle({name: Player(None, policy) for name in rows.players}, rows, run)
        self._levels = ProposedLevels(run.path, rows.env.task_space, run.benchmark.trainable_tasks)
        self._measures, self._curve = MeanMeasures(), list[dict[str, float]]()
        self._scores, self._unfinished = EpisodeScores(rows.num_rows), UnfinishedEpisodes(rows.num_rows)
        self._started = time.perf_counter()
        self._bar = Progress(total=run.steps, unit="step", desc=f"{run.method} {run.benchmark.id}", smoothing=0.05)

    def _on_rollout_start(self) -> None:
        if is_evaluation_due(self.rows.steps, self.run.configuration.evaluate_every, self._curve):
            self.evaluate()

    def _on_step(self) -> bool:
        # Probes of the teacher are charged, too, and may leave no step; the last rollout is learned from all the same.
        return self.num_timesteps == self._steps or self.rows.steps + self.rows.steps_at_once <= self.run.steps

    def _on_rollout_end(self) -> None:
        played = self._vector_env.pop_rollout()
        values, advantages = None, None
        if isinstance(self.model, OnPolicyAlgorithm):
            values, advantages = self.model.rollout_buffer.values, self.model.rollout_buffer.advantages
        steps = None
        if "steps" in self.rows.teacher.required_columns:
            steps = self._unfinished.ended_in(played.columns, played.ends, played.end_observations)
        scores = self._scores.of(played.starts, played.ends, values, advantages)
        finished = finished_episodes_of(self.rows, scores, steps)
        self.rows.teacher.observe(finished)
        self._measures.add(summary_of(finished))
        self.policy.load_weights(self._weights())
        statistics = self.rows.teacher.learn(self._student)
        self._measures.add({f"teacher_{name}": value for name, value in statistics.items()})
        self._bar.update(self.rows.steps - self._bar.n)

    @property
    def _vector_env(self) -> CurriculumVecEnv:
        env = self.training_env
        while not isinstance(env, CurriculumVecEnv):  # stable-baselines3 wraps those that show pictures
            env = env.venv  # type: ignore[attr-defined]
        return env

    def evaluate(self) -> None:
        """Add a row to the curve, and write the policy."""
        run, settings = self.run, self.run.configuration
        weights = self._weights()
        if not all(math.isfinite(array.sum()) for array in weights.values()):
            raise LearningDivergedError(f"a weight is not finite after {self.rows.steps:,} steps")
        self.policy.load_weights(weights)
        levels = self._levels.add(self.rows.steps, self.rows.pop_proposed_tasks())
        run.write_training_tasks(self.rows.recorder.fingerprints())
        scores = evaluate(self.policy, run.benchmark, settings.evaluation_tasks, settings.evaluation_episodes)
        row = {"step": self.rows.steps, "seconds": round(time.perf_counter() - self._started, 1)}
        self._curve.append(row | scores | self._measures.take() | levels)
        run.write_curve(self._curve)
        configuration = {"stochastic": settings.stochastic, "training_steps": self.rows.steps} | self._sizes
        folder = PolicyFolder(run.method, run.benchmark.environment_id, configuration, weights)
        folder.write(run.policy_path)
        if settings.keep_policies:
            folder.write(run.path / KEPT_POLICIES_FOLDER / f"{self.rows.steps}")
        self._bar.set_postfix({name: f"{value:.3f}" for name, value in scores.items()})

    def finish(self) -> None:
        """Evaluate what was learned last, and mark the run as finished."""
        if self._curve[-1]["step"] < self.rows.steps:
            self.evaluate()
        self._bar.close()
        self.run.finish()

    def _weights(self) -> Arrays:
        return network_arrays(self.policy.part_of(self.model.policy))


def arguments_of(configuration: StableBaselines3Configuration) -> dict[str, Any]:
    """The algorithm's own arguments, read.

    Raises:
        InvalidOptionError: They are not written as Python's keyword arguments, or the algorithm lacks one.
    """
    given, algorithm = configuration.arguments, ALGORITHMS[configuration.algorithm]
    try:
        call = ast.parse(f"f({given})", mode="eval").body
        assert isinstance(call, ast.Call) and not call.args
        read = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        raise InvalidOptionError(
            f"arguments is {given!r}, expected plain values by name: learning_rate=1e-4,batch_size=128"
        ) from None
    known = [*inspect.signature(algorithm).parameters.keys() - _RESERVED - _CLASSES]
    for name in read.keys() - set(known):
        raise InvalidOptionError(
            f"arguments names {name!r}, expected one of {', '.join(sorted(known))} of "
            f"stable-baselines3's {algorithm.__name__}"
        )
    return read


def rows_options(environment_id: str, configuration: StableBaselines3Configuration) -> RowsOptions:
    """Rows as the environment has them; the algorithm decides how long its rollouts are."""
    arguments_of(configuration)
    return RowsOptions(configuration.num_envs, rollout_steps=0)


def loop(run: RunFolder, context: Context) -> None:
    """Train for the run's environment steps, or as many of them as are whole rollouts.

    A run that was stopped begins again.
    """
    configuration, rows = context.configuration, context.rows
    arguments, algorithm = arguments_of(configuration), ALGORITHMS[configuration.algorithm]
    assert isinstance(rows, CurriculumVectorEnv)
    sizes = {"width": configuration.width, "layers": configuration.layers}
    # Stable-baselines3 seeds the generators of random, NumPy and torch.
    with global_generators_kept():
        policy = _POLICIES[algorithm](run.benchmark.environment_id, configuration.stochastic, **sizes)
        if not issubclass(algorithm, OnPolicyAlgorithm) and rows.teacher.required_columns & CRITICISM:
            raise UnsupportedTeacherError(
                f"teacher {configuration.teacher} scores levels by a critic over whole rollouts, and {run.method} "
                "collects none; choose sb3-ppo, or dqn, or another teacher"
            )
        env = CurriculumVecEnv(rows)
        try:
            model = algorithm(
                "MultiInputPolicy",
                env,
                policy_kwargs={"net_arch": [configuration.width] * configuration.layers},
                seed=seed_from_parts("stable-baselines3", run.seed) % 2**32,
                device=configuration.device,
                **arguments,
            )
        except (AssertionError, TypeError, ValueError) as error:
            raise InvalidOptionError(
                f"arguments is {configuration.arguments!r}: {' '.join(str(error).split())}"
            ) from None
        length = _rollout_length(model) * configuration.num_envs
        if run.steps < length:
            raise TooFewStepsError(
                f"steps is {run.steps}, expected at least {length}, one rollout; give more steps, or "
                "arguments=n_steps=128"
            )
        whole = run.steps - run.steps % length
        env.reset()  # what the rows refuse is refused before anything is written
        run.open()
        show_settings(run)
        if run.finished:
            return
        with reporting_to(TensorBoard(run.path / "tensorboard")):
            reports = _Reports(run, rows, whole, policy, sizes)
            model.learn(whole, callback=reports)
            reports.finish()


def _rollout_length(model: BaseAlgorithm) -> int:
    """Steps of every row between updates."""
    if isinstance(model, OnPolicyAlgorithm):
        return model.n_steps
    assert isinstance(model, OffPolicyAlgorithm)
    if isinstance(model.train_freq, TrainFreq) and model.train_freq.unit == TrainFrequencyUnit.STEP:
        return model.train_freq.frequency
    raise InvalidOptionError(f"train_freq is {model.train_freq}, expected a number of steps")
