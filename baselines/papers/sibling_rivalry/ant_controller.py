"""SparseAntMaze's low-level controller: PPO on ants that walk through chains of subgoals on a plain.

``python -m procgen_bench.baselines.papers.sibling_rivalry.ant_controller --out FOLDER`` trains the controller that the
package ships. Of the controllers that are evaluated on the way, the one that walks the maze best is kept: most goals,
then least steps.
"""

import json
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import gymnasium
import numpy as np
import torch
import typer
from gymnasium import spaces
from safetensors.numpy import save
from torch import nn
from torch.distributions import Normal

from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.ant_controller_scores import (
    maze_scores,
    plain_scores,
    validation_scores,
)
from procgen_bench.baselines.parts.actor_critic import Evaluated, dense
from procgen_bench.baselines.parts.low_level import encode, renamed
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.method import RowsOptions, rng_of
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.refusals import check_settings
from procgen_bench.baselines.training.run import make_rows, prepare_torch
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, NUMBER, SHARE, option
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.command_line import run as run_command
from procgen_bench.core.provenance import provenance
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.streams import advance, output
from procgen_bench.engine.outcomes import count_steps
from procgen_bench.envs.ant_maze import SparseAntMazeEnv, SparseAntMazeVectorEnv, kernel
from procgen_bench.envs.ant_maze.controller import NUM_FEATURES, NUM_HIDDEN, Controller
from procgen_bench.envs.ant_maze.environment import MAX_SUBGOAL
from procgen_bench.envs.ant_maze.model import MAX_TORQUE, NUM_JOINTS, STEP_SECONDS, plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS

_COMMAND = "python -m procgen_bench.baselines.papers.sibling_rivalry.ant_controller"
_WALK = "AntWalk-v0"


@dataclass(frozen=True)
class AntControllerConfiguration(PPOConfiguration):
    """Settings of proximal policy optimisation for one core."""

    method: ClassVar[str] = "ant-controller"

    num_envs: int = option(64, "Ants that walk at a time.", COUNT)
    rollout_steps: int = option(64, "Steps of every ant between updates.", COUNT)
    final_learning_rate: float = option(5e-5, "Learning rate of Adam in the end; it falls linearly.", AMOUNT)
    epochs: int = option(6, "Passes over each rollout.", COUNT)
    discount: float = option(0.97, "Discount factor.", SHARE)
    entropy_weight: float = option(0.0, "Weight of the entropy bonus.", AMOUNT)
    stochastic: bool = option(False, "Whether the trained policy draws its actions instead of taking the best.")
    evaluation_tasks: int | None = option(20, "Walks of an evaluation on the plain.", COUNT)
    fall_penalty: float = option(10.0, "What an ant that lies on its back loses, as its episode ends.", AMOUNT)
    tilt_penalty: float = option(1.0, "What a step costs an ant on its side; nothing upright.", AMOUNT)
    first_log_deviation: float = option(-0.7, "Logarithm of the actions' standard deviation at first.", NUMBER)


class AntWalkSimulation(AntMazeSimulation):
    """Ants on a plain; see :class:`AntWalkEnv`."""

    def __init__(self, num_rows: int, max_episode_steps: int | None, fall_penalty: float, tilt_penalty: float):
        super().__init__(num_rows, max_episode_steps)
        self.bodies = AntBodies(num_rows, plain_model)
        self._fall_penalty, self._tilt_penalty = fall_penalty, tilt_penalty

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``, in a random pose, moving a little."""
        super().start(rows, fresh)
        for row in np.flatnonzero(rows).tolist():
            rng, position = self._rng(row), self.bodies.positions[row]
            half = rng.uniform(-np.pi, np.pi) / 2
            position[3], position[6] = np.cos(half), np.sin(half)
            position[7:] += rng.uniform(-0.15, 0.15, NUM_JOINTS)
            self.bodies.velocities[row] = 0.1 * rng.standard_normal(self.bodies.velocities.shape[1])
        self._observe(rows)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by 0.1 s."""
        bodies, subgoals, before = self.bodies, self.observations["desired_goal"], self._distances()
        bodies.push(active, MAX_TORQUE * actions.clip(-1, 1))
        count_steps(self.outcomes, active, self.max_episode_steps)
        self._observe(active)
        approaches = (before - self._distances()) / STEP_SECONDS
        for row in np.flatnonzero(active & (self.elapsed % SUBGOAL_STEPS == 0)).tolist():
            subgoals[row] = bodies.positions[row, :2] + self._rng(row).uniform(-MAX_SUBGOAL, MAX_SUBGOAL, 2)
        _, x, y, _ = bodies.positions[:, 3:7].T
        upright = 1 - 2 * (x * x + y * y)
        fallen = upright < 0
        rewards = approaches - self._tilt_penalty * (1 - upright) - self._fall_penalty * fallen
        self.rewards[active] = rewards[active]
        self.terminations[active], self.successes[active] = fallen[active], ~fallen[active]

    def _observe(self, rows: np.ndarray) -> None:
        positions, velocities = self.bodies.positions, self.bodies.velocities
        kernel.observe_rows(rows, 0, positions, velocities, self.elapsed, self.horizon, self.observation_rows)

    def _distances(self) -> np.ndarray:
        return np.hypot(*(self.observations["desired_goal"] - self.bodies.positions[:, :2]).T)

    def _rng(self, row: int) -> np.random.Generator:
        self.streams[row] = advance(self.streams[row])
        return np.random.default_rng(int(output(self.streams[row])))


class AntWalkEnv(SparseAntMazeEnv):
    """SparseAntMaze's ant on a plain: every 20 steps it gets another subgoal, uniform up to (5, 5) away.

    The first subgoal is the task's goal. Actions are torques as shares of the greatest, cut to [-1, 1]. A step earns
    the speed of the approach to the subgoal (units a second), which is the paper's distance to the subgoal paid as it
    shrinks, less penalties. An episode ends with 200 steps, ten subgoals, or when the ant lies on its back;
    ``success``: it does not.

    Args:
        tasks: What resets without a task draw from; see :class:`SparseAntMazeEnv`.
        fall_penalty: What falling on the back takes from the step's reward.
        tilt_penalty: What lying on the side takes from every step's reward; leaning costs a part of it.
    """

    def __init__(self, tasks: Any = None, fall_penalty: float = 10.0, tilt_penalty: float = 1.0):
        self._penalties = fall_penalty, tilt_penalty
        super().__init__(tasks)
        self.action_space = spaces.Box(-np.inf, np.inf, (NUM_JOINTS,), np.float32)

    def make_simulation(self, num_rows: int, max_episode_steps: int | None, num_threads: int = 1) -> AntWalkSimulation:
        """A simulation of ``num_rows`` ants that are rewarded as this environment's is."""
        return AntWalkSimulation(num_rows, max_episode_steps, *self._penalties)


class AntWalkVectorEnv(SparseAntMazeVectorEnv):
    """N ants; see :class:`AntWalkEnv`."""

    single_env_type = AntWalkEnv  # type: ignore[assignment]  # it takes other options


gymnasium.register(
    _WALK,
    entry_point=AntWalkEnv,  # type: ignore[arg-type]  # it is called by keywords
    vector_entry_point=AntWalkVectorEnv,
    max_episode_steps=10 * SUBGOAL_STEPS,
    disable_env_checker=True,  # it cannot bear a first reset that is refused
)


class ControllerNetwork(nn.Module):
    """The controller as it learns, with a critic of its size.

    Args:
        first_log_deviation: Logarithm of the actions' standard deviation at first, whatever is observed.
    """

    memory_width = 0

    def __init__(self, first_log_deviation: float = 0.0):
        super().__init__()
        self.actor, self.critic = _layers(NUM_JOINTS, 0.01), _layers(1, 1.0)
        self.log_deviations = nn.Parameter(torch.full((NUM_JOINTS,), first_log_deviation))

    def prepare(self, observations: Tensors) -> Tensors:
        """What the controller sees, and which of its outputs is for which joint."""
        features, quarters = encode(observations["observation"], observations["desired_goal"])
        return {"features": features, "joints": renamed(-quarters)}

    def read(self, prepared: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What was prepared -> means and logarithms of deviations (n, 16), values (n,), and no memory."""
        efforts = self.actor(prepared["features"])
        means, logs = (
            torch.gather(part, 1, prepared["joints"]) for part in (efforts, self.log_deviations.expand_as(efforts))
        )
        return torch.cat([means, logs], dim=1), self.critic(prepared["features"])[:, 0], memory

    def forward(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same of observations by name (n, ...)."""
        return self.read(self.prepare(observations), memory)

    def evaluate(self, prepared: Tensors, memory: torch.Tensor, starts: torch.Tensor | None) -> Evaluated:
        """What is said of single steps."""
        outputs, values, _ = self.read(prepared, memory)
        return Evaluated(outputs, values, prepared["features"], prepared)

    @property
    def value_heads(self) -> list[nn.Linear]:
        """The critic's last layer."""
        return [layer for layer in self.critic if isinstance(layer, nn.Linear)][-1:]

    def update_normaliser(self, observations: Tensors) -> None:
        """Nothing is normalised: features are of the order of 1."""

    def controller_weights(self) -> Arrays:
        """The actor as the controller's arrays."""
        weights = {}
        for number, layer in enumerate(layer for layer in self.actor if isinstance(layer, nn.Linear)):
            weights[f"weights_{number}"] = layer.weight.detach().numpy().T.copy()
            weights[f"bias_{number}"] = layer.bias.detach().numpy().copy()
        return weights


def _layers(outputs: int, gain: float) -> nn.Sequential:
    first, second = dense(NUM_FEATURES, NUM_HIDDEN), dense(NUM_HIDDEN, NUM_HIDDEN)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), dense(NUM_HIDDEN, outputs, gain))


class NormalActions:
    """Normal distributions, from means and logarithms of deviations (n, 16)."""

    noise_width = NUM_JOINTS

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n, 8), and entropies (n,): sums over the joints."""
        means, logs = outputs.chunk(2, dim=1)
        distribution = Normal(means, logs.exp(), validate_args=False)
        return distribution.log_prob(actions).sum(dim=1), distribution.entropy().sum(dim=1)

    def play(self, outputs: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """Actions float32 (n, 8) that uniform ``noise`` (n, 8) in [0, 1) draws."""
        means, logs = outputs.chunk(2, dim=1)
        return means + logs.exp() * torch.special.ndtri(noise.clamp(min=2.0**-25))  # of 0 it is infinite


class ControllerPolicy(WeightedPolicy):
    """The controller's means."""

    def __init__(self) -> None:
        super().__init__(ControllerNetwork(), stochastic=False, noise_width=0)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, 8)."""
        return self.network(observations, noise)[0][:, :NUM_JOINTS], {}


class ControllerLearner(PolicyGradient):
    """PPO whose step size falls linearly over a run.

    Args:
        configuration: Settings.
        seed: Of the run.
        steps: Its environment steps.
    """

    network: Any
    configuration: AntControllerConfiguration

    def __init__(self, configuration: AntControllerConfiguration, seed: int, steps: int):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from_parts("network", seed))
            network: Any = ControllerNetwork(configuration.first_log_deviation)
        actions: Any = NormalActions()
        super().__init__(network, actions, configuration, rng_of("learner", seed), configuration.device)
        self._fall = (configuration.learning_rate - configuration.final_learning_rate) / steps

    def update(self, rollout: Rollout) -> dict[str, float]:
        """See :class:`PolicyGradient`."""
        rate = self.rates["learning_rate"] - self._fall * rollout.num_steps
        self.rates = {**self.rates, "learning_rate": rate}
        return super().update(rollout)


def train(configuration: AntControllerConfiguration, seed: int, steps: int, folder: Path, command: str) -> None:
    """Train for ``steps`` environment steps and write ``controller.safetensors`` and ``controller.json``.

    Args:
        configuration: Settings.
        seed: Of the network, its actions and the walks.
        steps: Environment steps; the last rollout is cut to fit.
        folder: Where the two files go.
        command: What the record says it was called by.

    Raises:
        InvalidOptionError: One of the settings is out of its range.
        TooFewStepsError: ``steps`` does not suffice for an action of every ant.
    """
    begun, origin = time.perf_counter(), provenance()  # as of now: the checkout may change while this runs
    benchmark = replace(get_benchmark("ant-maze/test"), id="ant-walk/test", environment_id=_WALK, plain_levels="space")
    penalties: dict[str, Any] = {"fall_penalty": configuration.fall_penalty, "tilt_penalty": configuration.tilt_penalty}
    check_settings(configuration, benchmark.environment_id, steps)
    prepare_torch(configuration)
    history: list[dict[str, float]] = []
    best, best_weights = (-1.0, 0.0), Arrays()
    with tempfile.TemporaryDirectory() as scratch:
        out, num_rows = Path(scratch) / "run", configuration.num_envs
        needs = RowsOptions(num_rows, configuration.rollout_steps, options=penalties)
        rows = make_rows(benchmark, configuration, seed, steps, needs)
        run = RunFolder(out, configuration.method, benchmark, configuration, seed, steps)
        learner = ControllerLearner(configuration, seed, steps)
        with Trainer(run, Player(learner, ControllerPolicy()), rows, configuration.rollout_steps) as trainer:
            for end in [*range(configuration.evaluate_every, steps, configuration.evaluate_every), steps]:
                trained = trainer.advance(end)
                weights = learner.network.controller_weights()
                scores = validation_scores(Controller(weights))
                history.append({"trained": trained, **scores})
                if (scores["success"], -scores["steps"]) > best:
                    best, best_weights = (scores["success"], -scores["steps"]), weights
    controller = Controller(best_weights)
    record = {
        "command": command,
        "configuration": asdict(configuration),
        "seed": seed,
        "steps": trained,
        "seconds": round(time.perf_counter() - begun),
        "validation": history,
        "scores": {"plain": plain_scores(controller), "maze": maze_scores(controller)},
        **origin,
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / "controller.safetensors", save(best_weights))
    write_text(folder / "controller.json", json.dumps(record, indent=2) + "\n")


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    out: Annotated[Path, typer.Option(help="Folder that the two files are written to.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0,
    steps: Annotated[int, typer.Option(min=1, help="Environment steps to train for.")] = 3_000_000,
) -> None:
    """Train SparseAntMaze's low-level controller with the published settings.

    Example: python -m procgen_bench.baselines.papers.sibling_rivalry.ant_controller --out envs/ant_maze/data
    """
    command = f"{_COMMAND} --out {out} --seed {seed} --steps {steps}"
    train(AntControllerConfiguration(), seed, steps, out, command)


if __name__ == "__main__":
    run_command(app, _COMMAND)
