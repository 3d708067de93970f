"""Every setting of every method of the table reaches the algorithm: with another value the run is another one.

Each case is a run of some dozen steps beside one with the usual value. What is compared is what was learned, played and
evaluated, not that the run's settings are written down. Every day each setting is tried with the first method that
inherits it and the first of its module that has it; the trainer's own with one method.
"""

import dataclasses
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unittest import mock

import pytest
import torch
from torch import nn

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.ppo import PPOConfiguration
from procgen_bench.baselines.training import evaluation, run_folder, trainer
from procgen_bench.baselines.training.settings import CurriculumConfiguration, option
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.testing.runs import Run, kept
from procgen_bench.testing.states import differences
from tests.testing.smallest import TRAINED, benchmark_of

#: The usual values of those names that a method has: all parts of it in use after a few steps.
USUAL: dict[str, Any] = {
    "num_envs": 4,
    "rollout_steps": 4,
    "minibatches": 2,
    "epochs": 2,
    "width": 8,
    "batch_size": 4,
    "learning_starts": 8,
    "updates_per_step": 0.5,
    "buffer_size": 64,
    "bonus_starts": 8,
    "bonus_width": 8,
    "target_update_interval": 4,
    "evaluation_tasks": 1,
    "evaluation_episodes": 1,
    "evaluate_every": 10**9,
    "checkpoint_every": 24,
}
#: Of methods that learn from whole episodes of 50 steps, as one of these settings says.
WHOLE = {"rollouts": 4, "num_envs": 2, "buffer_size": 800, "updates_per_step": 0.1}
STEPS, WHOLE_STEPS = 48, {"rollouts": 400, "hindsight": 160}
#: Other values where another number of the same kind would not do.
OTHER: dict[str, Any] = {
    "teacher": "robust-plr",
    "teacher_options": "buffer_size=2,replay_probability=1.0",
    "device": "meta",
    "network": f"{__name__}:Sums",
    "low_level": "shipped",
    "precision": "bfloat16",
    "rollouts": 2,
    "group_size": 2,
    "max_gradient": 1e-4,
    "clip_range": 1e-4,
    "buffer_size": 16,
    "exploration_fraction": 0.9,
    "exploration_final": 0.9,
    "minibatches": 4,
    "bootstrap": True,
    "per_step": True,
    "epochs": 1,
    "learning_rate_decay": 0.5,
    "entropy_weight": 0.3,
    "discount": 0.5,
    "epsilon": 0.01,
    "action_l2": 3.0,
    "hindsight": 0,
    "relabelled": 0,
    "updates_per_step": 1.0,
    "evaluate_every": 24,
    "checkpoint_every": 10**9,
    "target_update_interval": 32,
    "bonus_starts": 40,
    "target_period": 50,
    "popart_share": 1.0,
}
WHOLE_OTHER = {"learning_starts": 140, "updates_per_step": 0.2, "evaluate_every": 100}
#: The least replays that hold an episode of each row.
LEAST_REPLAY = {"rollouts": 200, "hindsight": 120}
#: What else is set in both runs, for the setting to matter.
BESIDE: dict[str, dict[str, Any]] = {
    "teacher_options": {"teacher": "plr"},
    "checkpoint_every": {"evaluate_every": 24},
    "clip_targets": {"reward_offset": 5.0},
}
#: Where it matters, if not everywhere: in the others all levels can be solved.
MATTERS_IN = {"solvable": "grid-world/graded"}
#: Steps until it matters: returns bound values as soon as episodes have ended.
MORE_STEPS = {"clip_next_values": 240}


class Sums(nn.Module):
    """A network of the user's own."""

    def __init__(self, observation_space):
        super().__init__()
        self.features = len(observation_space)

    def forward(self, observations):
        """One number for each part of the observation."""
        return torch.stack([array.flatten(1).float().sum(dim=1) for array in observations.values()], dim=1)


def declaring(configuration: type, name: str) -> type:
    """The class that gives a field its meaning: the last that declares it."""
    return next(kind for kind in configuration.__mro__ if name in vars(kind).get("__annotations__", ()))


#: Settings of the trainer's, which is the same for all methods.
OF_THE_LOOP = {field.name for field in dataclasses.fields(CurriculumConfiguration)}


def cases():
    """Every method and field."""
    tried = set()
    for method in TRAINED:
        configuration = METHODS[method].load("configuration")
        for field in dataclasses.fields(configuration):
            matters_in = MATTERS_IN.get(field.name, benchmark_of(METHODS[method]))
            if not METHODS[method].suits(get_benchmark(matters_in).environment_id):
                continue
            keys = {(declaring(configuration, field.name), field.name), (configuration.__module__, field.name)}
            if field.name in OF_THE_LOOP:
                keys = {field.name}
            marks = [pytest.mark.slow] * (not tried.isdisjoint(keys))
            tried |= keys
            yield pytest.param(method, field.name, marks=marks, id=f"{method}-{field.name}")


def sign_of(configuration: type) -> str | None:
    """The setting that says that a method learns from whole episodes alone; ``None``: it does not."""
    names = {field.name for field in dataclasses.fields(configuration)}
    return next((name for name in WHOLE_STEPS if name in names), None)


def other_value(configuration: Any, name: str) -> Any:
    """A value that is not the configuration's."""
    usual, kind = getattr(configuration, name), get_type_hints(type(configuration))[name]
    sign = sign_of(type(configuration))
    other = OTHER | (WHOLE_OTHER | {"buffer_size": LEAST_REPLAY[sign]} if sign else {})
    if name in other and other[name] != usual:
        return other[name]
    if get_origin(kind) is Literal:
        return next(choice for choice in get_args(kind) if choice != usual)
    if isinstance(usual, bool):
        return not usual
    if isinstance(usual, int):
        return usual + 1
    if isinstance(usual, float):
        return usual / 2 if usual else 0.5
    raise AssertionError(f"{name} is {usual!r}: say in OTHER what else it can be")


class NoReports:
    """In the place of TensorBoard, which takes most of the time of so short a run."""

    def __init__(self, folder):
        """Nothing is opened."""

    def tell(self, folder, settings, row):
        """Nothing is written."""

    def close(self, failed):
        """Nothing was open."""


@cache
def result(method: str, benchmark_id: str, steps: int, items: frozenset[tuple[str, Any]]) -> Any:
    """What comes of a run with these settings: what is learned, and how it is evaluated and kept."""
    settings = dict(items)
    configuration = METHODS[method].load("configuration")(**settings)
    run = Run(METHODS[method], get_benchmark(benchmark_id), configuration, steps)
    done: list[Any] = []
    play, write = evaluation.play_episodes, run_folder.RunFolder.write_checkpoint

    def noted_play(policy, environment_id, tasks, seeds):
        done.append([getattr(policy, "stochastic", None), len(tasks)])
        return play(policy, environment_id, tasks, seeds)

    def noted_write(folder, arrays, values):
        done.append("checkpoint")
        write(folder, arrays, values)

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(evaluation, "play_episodes", noted_play),
        mock.patch.object(run_folder.RunFolder, "write_checkpoint", noted_write),
        mock.patch.object(run_folder, "provenance", dict),
        mock.patch.object(trainer, "TensorBoard", NoReports),
    ):
        try:
            arrays, values = kept(run.train(Path(folder) / "run", seed=0, noise=0))
        except NotImplementedError:  # what computes on the device "meta" has no numbers
            return "no numbers"
        finally:
            threads = torch.get_num_threads()
            torch.set_num_threads(1)
    for name in values:
        if name.startswith("player."):
            values[name]["rates"] = None  # they are settings themselves
    learned = {name: value for name, value in values.items() if not name.endswith(".json")}
    return arrays, learned | {"done": done, "threads": threads}


def usual(method: str, beside: dict[str, Any]) -> dict[str, Any]:
    """The usual settings that a method has."""
    configuration = METHODS[method].load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = USUAL | (WHOLE if sign_of(configuration) else {}) | beside
    return {name: value for name, value in settings.items() if name in fields}


@pytest.mark.parametrize(("method", "name"), [*cases()])
def test_every_setting_reaches_the_algorithm(method, name):
    configuration, settings = METHODS[method].load("configuration"), usual(method, BESIDE.get(name, {}))
    steps = MORE_STEPS.get(name) or WHOLE_STEPS.get(sign_of(configuration), STEPS)
    benchmark_id = MATTERS_IN.get(name) or benchmark_of(METHODS[method])
    other = settings | {name: other_value(configuration(**settings), name)}
    base = result(method, benchmark_id, steps, frozenset(settings.items()))
    try:
        changed = result(method, benchmark_id, steps, frozenset(other.items()))
    except InvalidOptionError as refusal:
        assert name in str(refusal), "a setting that means nothing in an environment is refused by its name"
        return
    assert base != "no numbers"
    assert changed == "no numbers" if name == "device" else differences(base, changed)


@dataclasses.dataclass(frozen=True)
class IdleConfiguration(PPOConfiguration):
    """One of whose settings nobody reads."""

    idle: float = option(0.1, "Nothing.")


def test_a_setting_that_nobody_reads_is_noticed(monkeypatch):
    idle = dataclasses.replace(METHODS["ppo"], name="idle", configuration=f"{__name__}:IdleConfiguration")
    monkeypatch.setitem(METHODS.data, "idle", idle)
    test_every_setting_reaches_the_algorithm("idle", "learning_rate")
    with pytest.raises(AssertionError):
        test_every_setting_reaches_the_algorithm("idle", "idle")
