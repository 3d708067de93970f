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

import torch
import typer
from safetensors.numpy import save
from torch import nn
from torch.distributions import Normal

from procgen_bench.baselines.method_table import Method
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
from procgen_bench.baselines.policies.folders import KEPT_POLICIES_FOLDER, PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, NUMBER, SHARE, option
from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.command_line import run as run_command
from procgen_bench.core.provenance import provenance
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.ant_maze.controller import NUM_FEATURES, NUM_HIDDEN, Controller
from procgen_bench.envs.ant_maze.model import NUM_JOINTS
from procgen_bench.envs.ant_maze.walk import ANT_WALK


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
    tilt_penalty: float = option(1.0, "Penalty per step when tipped over (0 when upright).", AMOUNT)
    first_log_deviation: float = option(-0.7, "Logarithm of the actions' standard deviation at first.", NUMBER)


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

    def update_normaliser(self, observations: Tensors) -> None:
        """Nothing is normalised: features are of the order of 1."""


def controller_weights(weights: Arrays) -> Arrays:
    """The controller's arrays, of a :class:`ControllerNetwork`'s."""
    layers = sorted({name.rpartition(".")[0] for name in weights if name.startswith("actor.")})
    arrays = Arrays()
    for number, layer in enumerate(layers):
        arrays[f"weights_{number}"] = weights[f"{layer}.weight"].T.copy()
        arrays[f"bias_{number}"] = weights[f"{layer}.bias"]
    return arrays


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


def rows_options(environment_id: str, configuration: AntControllerConfiguration) -> RowsOptions:
    """Ants that are rewarded as the configuration says."""
    penalties = {"fall_penalty": configuration.fall_penalty, "tilt_penalty": configuration.tilt_penalty}
    return RowsOptions(configuration.num_envs, configuration.rollout_steps, options=penalties)


def make_players(context: Context) -> list[Player]:
    """The learner of the controller: PPO whose step size falls linearly over the run."""
    configuration, rng = context.configuration, context.rng("learner")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_from_parts("network", context.seed))
        network: Any = ControllerNetwork(configuration.first_log_deviation)
    actions: Any = NormalActions()
    learner = PolicyGradient(network, actions, configuration, rng, configuration.device)
    fall = 1 - configuration.final_learning_rate / configuration.learning_rate
    learner.share_left = lambda: 1 - fall * context.rows.steps / context.steps
    return [Player(learner, ControllerPolicy())]


_HERE = "procgen_bench.baselines.papers.sibling_rivalry.ant_controller"
METHOD = Method(
    AntControllerConfiguration.method,
    "SparseAntMaze's low-level controller.",
    policy=f"{_HERE}:ControllerPolicy",
    configuration=f"{_HERE}:AntControllerConfiguration",
    rows_options=f"{_HERE}:rows_options",
    make_players=f"{_HERE}:make_players",
)


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
    benchmark = replace(
        get_benchmark("ant-maze/test"), id="ant-walk/test", environment_id=ANT_WALK, plain_levels="space"
    )
    history: list[dict[str, float]] = []
    best, best_weights = (-1.0, 0.0), Arrays()
    with tempfile.TemporaryDirectory() as scratch:
        settings = replace(configuration, keep_policies=True)
        run = METHOD.train(benchmark, settings, seed, steps, Path(scratch) / "run")
        for trained in [int(row["step"]) for row in curve_of(run.path) if row["step"]]:
            policy = PolicyFolder.read(run.path / KEPT_POLICIES_FOLDER / f"{trained}")
            weights = controller_weights(policy.weights)
            scores = validation_scores(Controller(weights))
            history.append({"trained": trained, **scores})
            if (scores["success"], -scores["steps"]) > best:
                best, best_weights = (scores["success"], -scores["steps"]), weights
    controller = Controller(best_weights)
    record = {
        "command": command,
        "configuration": asdict(configuration),
        "seed": seed,
        "steps": history[-1]["trained"],
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
    command = f"python -m {_HERE} --out {out} --seed {seed} --steps {steps}"
    train(AntControllerConfiguration(), seed, steps, out, command)


if __name__ == "__main__":
    run_command(app, f"python -m {_HERE}")
