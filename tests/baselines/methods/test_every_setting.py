"""Every setting of every method of the table reaches the algorithm: with another value the run is another one.

Each case is a run of some dozen steps beside one with the usual value. What is compared is what was learned, played and
evaluated, not that the run's settings are written down. Every day each setting is tried with the first method that
inherits it and the first of its module that has it; the trainer's own with one method.
"""

import atexit
import dataclasses
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unittest import mock

import pytest
import torch
from torch import nn

from procgen_bench.baselines.method_table import METHODS, Method
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.alphanpi_x import alphanpi_x
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.scripted.policies import NoopPolicy
from procgen_bench.baselines.training import curve_scores, run_folder, trainer
from procgen_bench.baselines.training.settings import CurriculumConfiguration, option
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.row_thread_pool import RowThreadPool
from procgen_bench.testing.runs import Run, kept
from procgen_bench.testing.states import differences
from tests.baselines.methods import tried_values as tried
from tests.testing.smallest import TRAINED, benchmark_of


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


def known(method: str) -> Method:
    """A method by its name, or by ``NAME@ENVIRONMENT`` as it is in a family; that one can be trained everywhere."""
    name, _, environment_id = method.partition("@")
    return METHODS[name].within(environment_id) if environment_id else METHODS[name]


def benchmark_in(method: str, name: str) -> str:
    """Where a setting of a method matters."""
    return tried.MATTERS_IN.get(name) or benchmark_of(known(method))


def cases():
    """Every method and field."""
    seen = set()
    agents = (f"{name}@XLandSmall-v0" for name in TRAINED if METHODS[name].families)
    for method in (*TRAINED, "alphanpi-x", *agents):
        configuration = known(method).load("configuration")
        for field in dataclasses.fields(configuration):
            if not known(method).suits(get_benchmark(benchmark_in(method, field.name)).environment_id):
                continue
            keys = {(declaring(configuration, field.name), field.name), (configuration.__module__, field.name)}
            if field.name in OF_THE_LOOP:
                keys = {field.name}
            is_slow = not seen.isdisjoint(keys) or method in tried.SLOW_METHODS or (method, field.name) in tried.SLOW
            marks = [pytest.mark.slow] * is_slow
            seen |= keys
            yield pytest.param(method, field.name, marks=marks, id=f"{method}-{field.name}")


def sign_of(configuration: type) -> str | None:
    """The setting that says that a method learns from whole episodes alone; ``None``: it does not."""
    names = {field.name for field in dataclasses.fields(configuration)}
    return next((name for name in tried.WHOLE_STEPS if name in names), None)


def other_value(configuration: Any, name: str) -> Any:
    """A value that is not the configuration's."""
    usual, kind = getattr(configuration, name), get_type_hints(type(configuration))[name]
    sign = sign_of(type(configuration))
    other = tried.OTHER | (tried.WHOLE_OTHER | {"buffer_size": tried.LEAST_REPLAY[sign]} if sign else {})
    other |= tried.OTHER_OF.get(configuration.method, {})
    if name == "atomic" or (name == "begin_from" and configuration.method == "npi-goals"):
        return untrained_blocks()
    if name in ("teacher_policy", "begin_from"):
        return untrained_policy(configuration.method)
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


@cache
def untrained_blocks() -> str:
    """The folder of a policy of stage 1 that has learned nothing; it is there until the process ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    BlockPolicy("FetchBlocks-v0", False, 8).folder.write(Path(folder.name) / "policy")
    return str(Path(folder.name) / "policy")


@cache
def untrained_policy(method: str) -> str:
    """The folder of a policy of the method that has learned nothing; it is there until the process ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    own, environment_id = known(method), get_benchmark(benchmark_of(known(method))).environment_id
    fields = {field.name for field in dataclasses.fields(own.load("configuration"))}
    settings = {name: value for name, value in tried.USUAL.items() if name in fields}
    sizes = own.load("configuration")(**settings).sizes
    with torch.random.fork_rng():
        torch.manual_seed(5)
        weights = network_arrays(own.load("policy")(environment_id, True, **sizes).network)
    PolicyFolder(own.name, environment_id, {"stochastic": True, **sizes}, weights).write(Path(folder.name) / "policy")
    return str(Path(folder.name) / "policy")


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
    configuration = known(method).load("configuration")(**settings)
    run = Run(known(method), get_benchmark(benchmark_id), configuration, steps)
    done: list[Any] = []
    play, write, make_pool = curve_scores.play_episodes, run_folder.RunFolder.write_checkpoint, RowThreadPool.__init__
    make_folder = PlannerParts.folder

    def noted_play(policy, environment_id, tasks, seeds):
        if not isinstance(policy, NoopPolicy):  # it is played once for all runs
            done.append([getattr(policy, "stochastic", None), len(tasks)])
        return play(policy, environment_id, tasks, seeds)

    def noted_write(folder, arrays, values):
        done.append("checkpoint")
        write(folder, arrays, values)

    def noted_pool(pool, num_threads):
        done.append(f"{num_threads} threads of rows")
        make_pool(pool, num_threads)

    def noted_folder(parts, **about):
        done.append(f"plays {about['plays']}")
        return make_folder(parts, **about)

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(curve_scores, "play_episodes", noted_play),
        mock.patch.object(run_folder.RunFolder, "write_checkpoint", noted_write),
        mock.patch.object(RowThreadPool, "__init__", noted_pool),
        mock.patch.object(PlannerParts, "folder", noted_folder),
        mock.patch.object(run_folder, "provenance", dict),
        mock.patch.object(trainer, "TensorBoard", NoReports),
        mock.patch.object(alphanpi_x, "TensorBoard", NoReports),
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
    described = ("library", "parts")  # by which a run is recognised
    learned = {name: value for name, value in values.items() if not name.endswith(".json") and name not in described}
    return arrays, learned | {"done": done, "threads": threads}


def usual(method: str, name: str) -> dict[str, Any]:
    """The usual settings that a method has, and those beside which the one of this name matters."""
    configuration = known(method).load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = tried.USUAL | (tried.WHOLE if sign_of(configuration) else {}) | tried.USUAL_OF.get(method, {})
    settings |= tried.BESIDE_OF.get(method, {}).get(name) or tried.BESIDE.get(name, {})
    if name in ("distil", "distil_share"):
        settings |= {"teacher_policy": untrained_policy(method)}
    if name == "stay_near":
        settings |= {"begin_from": untrained_blocks()}
    return {name: value for name, value in settings.items() if name in fields}


@pytest.mark.parametrize(("method", "name"), [*cases()])
def test_every_setting_reaches_the_algorithm(method, name):
    configuration, settings = known(method).load("configuration"), usual(method, name)
    usual_steps = tried.STEPS_OF.get(method) or tried.WHOLE_STEPS.get(sign_of(configuration), tried.STEPS)
    steps, benchmark_id = tried.MORE_STEPS.get(name, usual_steps), benchmark_in(method, name)
    other = settings | {name: other_value(configuration(**settings), name)}
    with ExitStack() as replaced:
        outcome = result
        if (method, name) in tried.REPLACED:
            replaced.enter_context(mock.patch(*tried.REPLACED[method, name]))
            outcome = result.__wrapped__  # other cases have none of it
        base = outcome(method, benchmark_id, steps, frozenset(settings.items()))
        try:
            changed = outcome(method, benchmark_id, steps, frozenset(other.items()))
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
