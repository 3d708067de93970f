"""sb3: an algorithm of stable-baselines3 or sb3-contrib, unchanged, under a teacher, for comparison.

Its own ``learn`` collects and updates; a callback passes episodes to the teacher and evaluates. Algorithms can only be
saved by pickle, so a stopped run starts again, and ends the same.
"""

import inspect
import math
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit

from procgen_bench.baselines.action_kinds import check_bounded, check_choice, check_learnable
from procgen_bench.baselines.methods.stable_baselines3_policy import SB3Policy, algorithm_type, played_part, policy_type
from procgen_bench.baselines.methods.stable_baselines3_settings import FROM_ROLLOUTS, OF_VALUES, SB3Configuration
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.tensors import global_generators_kept
from procgen_bench.baselines.stable_baselines3 import CurriculumVecEnv, UnsupportedTeacherError
from procgen_bench.baselines.training.contracts import CRITICISM
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.player_evaluations import PlayerEvaluations, summary_of
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.reporting import TensorBoard, reporting_to
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings_table import show_settings
from procgen_bench.baselines.training.student_handle import StudentHandle
from procgen_bench.core.errors import InvalidOptionError, LearningDivergedError
from procgen_bench.core.seeding import seed_from_parts

#: Arguments of the algorithms that this file gives, or that no text can say.
_GIVEN = {"self", "policy", "env", "policy_kwargs", "seed", "device", "verbose", "tensorboard_log"}
_CLASSES = {"_init_setup_model", "replay_buffer_class", "rollout_buffer_class", "action_noise"}


class _Reports(BaseCallback):
    """Gives the teacher what was played, and evaluates the student between rollouts; it learns for ``steps`` at most.

    To its teacher the student is the policy, as it last was: the algorithm learns by itself.
    """

    def __init__(self, run: RunFolder, env: CurriculumVecEnv, policy: SB3Policy, sizes: dict[str, Any], steps: int):
        super().__init__()
        player = Player(None, policy, sizes)
        self._run, self._env, self._rows, self._policy, self._steps = run, env, env.curriculum, policy, steps
        self._student = StudentHandle(dict.fromkeys(self._rows.players, player), self._rows, run)
        self._evaluations = PlayerEvaluations(run, self._rows, [player])
        self._measures, self._bar = self._evaluations.measures[player.name], self._evaluations.bar()

    def _on_rollout_start(self) -> None:
        if self._evaluations.are_due:
            self._evaluate()

    def _on_step(self) -> bool:
        # Probes of the teacher are charged, too, and may leave no step; the last rollout is learned from all the same.
        return self.num_timesteps == self._steps or self._rows.steps + self._rows.steps_of_next <= self._run.steps

    def _on_rollout_end(self) -> None:
        rollout, teacher = getattr(self.model, "rollout_buffer", None), self._rows.teacher
        criticism = () if rollout is None else (rollout.values, rollout.advantages, (rollout.gamma, rollout.gae_lambda))
        finished = self._env.pop_finished_episodes(*criticism)
        teacher.observe(finished)
        self._measures.add(summary_of(finished))
        self._take_weights()
        self._measures.add({f"teacher_{name}": value for name, value in teacher.learn(self._student).items()})
        self._bar.update(self._rows.steps - self._bar.n)

    def _on_training_end(self) -> None:
        if not self._evaluations.are_complete:
            self._evaluate()
        self._bar.close()
        self._run.finish()

    def _evaluate(self) -> None:
        self._take_weights()
        self._evaluations.add(self._bar)

    def _take_weights(self) -> None:
        weights = network_arrays(played_part(self.model.policy))
        if not all(math.isfinite(array.sum()) for array in weights.values()):
            raise LearningDivergedError(f"a weight is not finite after {self._rows.steps:,} steps")
        self._policy.load_weights(weights)


def arguments_of(configuration: SB3Configuration) -> dict[str, Any]:
    """The algorithm's own arguments, read.

    Raises:
        InvalidOptionError: The algorithm lacks one.
    """
    given = configuration.given_arguments()
    known = inspect.signature(algorithm_type(configuration.algorithm)).parameters.keys() - _GIVEN - _CLASSES
    for name in given.keys() - known:
        raise InvalidOptionError(
            f"arguments names {name!r}, expected one of {', '.join(sorted(known))} of {configuration.algorithm}"
        )
    return given


def rows_options(environment_id: str, configuration: SB3Configuration) -> RowsOptions:
    """Rows as the environment has them; the algorithm decides how long its rollouts are."""
    arguments_of(configuration)
    return RowsOptions(configuration.num_envs or 1, rollout_steps=0)


def loop(run: RunFolder, context: Context) -> None:
    """Train for the run's environment steps, or as many of them as are whole rollouts; a stopped run begins again."""
    configuration, rows, name = context.configuration, context.rows, context.configuration.algorithm
    check = check_learnable if name in FROM_ROLLOUTS else check_choice if name in OF_VALUES else check_bounded
    check(rows.env.single_action_space)
    if len(rows.teacher.players) > 1:
        players = ", ".join(rows.teacher.players)
        raise UnsupportedTeacherError(
            f"teacher {configuration.teacher} has the players {players}, and sb3 trains one; choose ppo, or another "
            "teacher"
        )
    if name not in FROM_ROLLOUTS and rows.teacher.required_columns & CRITICISM:
        raise UnsupportedTeacherError(
            f"teacher {configuration.teacher} scores levels by a critic over whole rollouts, and {name} collects none; "
            "choose sb3 with --algorithm PPO, or dqn, or another teacher"
        )
    sizes = {"width": configuration.width, "layers": configuration.layers, "algorithm": name}
    # Stable-baselines3 seeds the generators of random, NumPy and torch.
    with global_generators_kept():
        policy = SB3Policy(run.benchmark.environment_id, configuration.stochastic, **sizes)
        env = CurriculumVecEnv(rows)  # type: ignore[arg-type]  # a run has these
        model = _model(env, configuration, run.seed)
        length = _rollout_length(model) * env.num_envs
        if run.steps < length:
            least = f"at least {length}, one rollout; give more steps, or arguments=n_steps=128"
            raise TooFewStepsError(f"steps is {run.steps}, expected {least}")
        env.reset()  # what the rows refuse is refused before anything is written
        run.open()
        show_settings(run)
        if not run.finished:
            whole = run.steps - run.steps % length
            with reporting_to(TensorBoard(run.path / "tensorboard")):
                model.learn(whole, callback=_Reports(run, env, policy, sizes, whole))


def _model(env: CurriculumVecEnv, configuration: SB3Configuration, seed: int) -> BaseAlgorithm:
    """The algorithm; settings that it refuses are an :class:`InvalidOptionError`."""
    try:
        return algorithm_type(configuration.algorithm)(
            policy_type(configuration.algorithm),
            env,
            policy_kwargs={"net_arch": [configuration.width] * configuration.layers},
            seed=seed_from_parts("stable-baselines3", seed) % 2**32,
            device=configuration.device,
            **arguments_of(configuration),
        )
    except (AssertionError, TypeError, ValueError) as error:
        raise InvalidOptionError(f"arguments is {configuration.arguments!r}: {' '.join(str(error).split())}") from None


def _rollout_length(model: Any) -> int:
    """Steps of every row between updates."""
    if isinstance(model, OnPolicyAlgorithm):
        return model.n_steps
    if isinstance(model.train_freq, TrainFreq) and model.train_freq.unit == TrainFrequencyUnit.STEP:
        return model.train_freq.frequency
    raise InvalidOptionError(f"train_freq is {model.train_freq}, expected a number of steps")
