"""Runs of the methods that learn from whole episodes: the paper's figures, resumption, the command line's errors."""

import dataclasses
import functools

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from procgen_bench.baselines.configuration import for_environment
from procgen_bench.baselines.episodic.algorithm import EpisodePPO
from procgen_bench.baselines.episodic.configuration import TABLE_1
from procgen_bench.baselines.episodic.training import training_tasks
from procgen_bench.baselines.methods import get_method
from procgen_bench.baselines.policies import load_policy
from procgen_bench.baselines.rollout import play_episodes
from procgen_bench.baselines.run_folder import RunFolder, read_curve, read_training_record
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.registrations import environment_type
from tests.baselines.killed_runs import KilledError, last_checkpoint

METHODS = ["sibling-rivalry", "ppo-naive", "ppo-icm", "ppo-rnd", "ppo-grid-oracle"]
SMALL = {"rollouts": 2, "evaluate_every": 200, "checkpoint_every": 200, "evaluation_tasks": 2}
STEPS = 600


def train(method, out, benchmark="point-maze/corridor-2", seed=3, **options) -> RunFolder:
    configuration = get_method(method).load("configuration")(**SMALL | options)
    return get_method(method).load("train")(get_benchmark(benchmark), configuration, seed, STEPS, out)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """whole_run(method, benchmark) -> a run that nothing disturbed, made once."""

    @functools.cache
    def of(method: str, benchmark: str = "point-maze/corridor-2") -> RunFolder:
        return train(method, tmp_path_factory.mktemp("whole") / "run", benchmark)

    return of


def train_killed(method, out, monkeypatch, **options) -> None:
    """Train until some updates after the first checkpoint."""
    updates_left = 4

    def killed_update(algorithm):
        nonlocal updates_left
        updates_left -= (out / "checkpoint").exists()
        if not updates_left:
            raise KilledError
        whole_update(algorithm)

    whole_update = EpisodePPO.train
    with monkeypatch.context() as patched:
        patched.setattr(EpisodePPO, "train", killed_update)
        with pytest.raises(KilledError):
            train(method, out, **options)
    torch.manual_seed(0)  # the process that goes on has drawn nothing
    np.random.seed(0)


@pytest.mark.parametrize(
    ("method", "benchmark_id"),
    [
        *((method, "point-maze/corridor-2") for method in METHODS),
        *((method, "bit-grid/test") for method in ("ppo-icm", "ppo-rnd")),
    ],
)
def test_a_killed_run_resumes_and_ends_in_the_same_state(method, benchmark_id, whole_run, tmp_path, monkeypatch):
    whole = whole_run(method, benchmark_id)
    train_killed(method, tmp_path / "killed", monkeypatch, benchmark=benchmark_id)
    assert not RunFolder(
        tmp_path / "killed", method, whole.benchmark, whole.configuration, whole.seed, whole.steps
    ).finished
    killed = train(method, tmp_path / "killed", benchmark_id)
    (arrays, values, curve), (other_arrays, other_values, other_curve) = last_checkpoint(whole), last_checkpoint(killed)
    assert arrays.keys() == other_arrays.keys()
    assert not [name for name in arrays if not np.array_equal(arrays[name], other_arrays[name])]
    assert values == other_values
    assert curve == other_curve
    assert len(curve) > 3
    own = [name for name in arrays if name.startswith("own.")]
    assert bool(own) == (method in ("ppo-icm", "ppo-rnd")), "what the bonus learned is part of the state"
    weights, others = (load_file(run.policy_path / "weights.safetensors") for run in (whole, killed))
    assert all(np.array_equal(weights[name], others[name]) for name in weights)


def test_seeds_give_different_runs(whole_run, tmp_path):
    first, second = whole_run("ppo-icm"), train("ppo-icm", tmp_path / "other", seed=4)
    (arrays, *_), (others, *_) = last_checkpoint(first), last_checkpoint(second)
    for part in ("policy.critic.1.weight", "own.bonus.network.inverse_model.0.weight"):
        assert not np.array_equal(arrays[part], others[part])


def test_the_curve_tells_the_methods_measures(whole_run):
    measures = {
        "sibling-rivalry": {"distance", "sibling_distance", "included"},
        "ppo-naive": {"distance"},
        "ppo-icm": {"bonus", "bonus_scale", "inverse_loss", "forward_loss"},
        "ppo-rnd": {"bonus", "bonus_scale", "distillation_loss"},
        "ppo-grid-oracle": {"regions"},
    }
    for method in METHODS:
        run = whole_run(method)
        record = read_training_record(run.policy_path)
        shared = {"step", "seconds", "return", "success", "length", "training_success"}
        assert record.curve[-1].keys() == shared | measures[method]
        assert record.command.startswith(f"procgen-bench train {method} point-maze/corridor-2 --seed 3 --steps 600")


@pytest.mark.parametrize(
    ("method", "discount", "bootstrap"),
    [
        ("sibling-rivalry", 1.0, False),
        ("ppo-naive", 1.0, False),
        ("ppo-grid-oracle", 1.0, False),
        ("ppo-icm", 0.98, True),
        ("ppo-rnd", 0.98, True),
    ],
)
def test_table_1(method, discount, bootstrap):
    configuration = get_method(method).load("configuration")()
    assert (configuration.minibatches, configuration.learning_rate, configuration.gae_lambda) == (4, 1e-3, 0.98)
    maze, ant = (for_environment(configuration, f"Sparse{kind}Maze-v0", TABLE_1) for kind in ("Point", "Ant"))
    assert (maze.discount, maze.bootstrap) == (discount, bootstrap)
    assert (maze.epochs, maze.learning_rate_decay, maze.entropy_weight) == (4, 0.999, 0.025)
    assert (ant.epochs, ant.learning_rate_decay, ant.entropy_weight) == (2, 1.0, 0.025)
    given = for_environment(dataclasses.replace(configuration, epochs=7), "BitGrid-v0", TABLE_1)
    assert (given.epochs, given.entropy_weight) == (7, 0.025)
    for name in ("bonus_weight", "module_rate"):
        if hasattr(configuration, name):
            assert getattr(configuration, name) == {"bonus_weight": 0.01, "module_rate": 0.05}[name]


@pytest.mark.parametrize("method", METHODS)
def test_environments_without_goals_are_refused_before_anything_is_written(method, tmp_path):
    with pytest.raises(UnknownNameError, match="unknown environment for this method 'GridWorld-v0'; known: BitGrid-v0"):
        train(method, tmp_path / "run", "grid-world/graded")
    assert not (tmp_path / "run").exists()


def test_training_tasks_are_none_of_the_benchmarks():
    assert training_tasks(get_benchmark("point-maze/test"), 0) is None
    benchmark = get_benchmark("point-maze/corridor-2")
    tasks = training_tasks(benchmark, 0)
    assert len(tasks) == 20 * len(benchmark.task_suite().tasks)
    places = {task.start.tobytes() + task.goal.tobytes() for task in tasks}
    assert len(places) == len(tasks)
    assert not places & {task.start.tobytes() + task.goal.tobytes() for task in benchmark.task_suite().tasks}
    space = environment_type(benchmark.environment_id).task_space
    for task in tasks[::50]:
        space.validate(task)
    others = training_tasks(benchmark, 1)
    assert not places & {task.start.tobytes() + task.goal.tobytes() for task in others}


@pytest.mark.parametrize("method", METHODS)
def test_every_option_is_described(method):
    for field in dataclasses.fields(get_method(method).load("configuration")):
        assert field.metadata["description"].endswith("."), field.name


@pytest.mark.parametrize(
    ("method", "benchmark_id"),
    [
        ("ppo-naive", "voxel-build/test"),
        pytest.param("ppo-naive", "ant-maze/test", marks=pytest.mark.slow),
        pytest.param("sibling-rivalry", "ant-maze/test", marks=pytest.mark.slow),
        pytest.param("sibling-rivalry", "voxel-build/test", marks=pytest.mark.slow),
    ],
)
def test_subgoals_and_pictures_are_learned_from(method, benchmark_id, tmp_path):
    run = train(method, tmp_path / "run", benchmark_id)
    assert run.finished
    first, *_, last = read_curve(run.path / "curve.csv")
    assert first["step"] == 0 and last["step"] >= STEPS
    policy = load_policy(run.policy_path, run.benchmark.environment_id)
    (episode,) = play_episodes(policy, run.benchmark.environment_id, run.benchmark.task_suite().tasks[:1], [0])
    assert episode.finished and len(np.unique(episode.actions, axis=0)) > 1
