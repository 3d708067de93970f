"""sb3 is stable-baselines3's algorithms, and sb3-contrib's where it is installed, and nothing else."""

import importlib.util
import random
import sys

import numpy as np
import pytest
import torch

from procgen_bench.baselines.action_kinds import UnsupportedActionsError
from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.methods import stable_baselines3 as method
from procgen_bench.baselines.methods.stable_baselines3_policy import (
    SB3Policy,
    algorithm_type,
    played_part,
    policy_type,
)
from procgen_bench.baselines.methods.stable_baselines3_settings import ALGORITHMS, FROM_ROLLOUTS, OF_VALUES
from procgen_bench.baselines.policies.arrays import named, network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.stable_baselines3 import CurriculumVecEnv, UnsupportedTeacherError
from procgen_bench.baselines.training.method import RowsOptions
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.run import make_rows
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, MissingExtraError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.engine.environment_options import make_environment

REPLAYED = "learning_starts=16,batch_size=8,buffer_size=1000"
ARGUMENTS = {"PPO": "n_steps=16,batch_size=16,n_epochs=2", "A2C": "n_steps=16", "TRPO": "n_steps=16,batch_size=16"}
ARGUMENTS["RecurrentPPO"] = ARGUMENTS["PPO"]
CONTRIB = () if importlib.util.find_spec("sb3_contrib") else ("RecurrentPPO", "TRPO", "QRDQN", "TQC")
#: Those of sb3-contrib are tested where it is installed (`make test-learners`).
INSTALLED = [name for name in ALGORITHMS if name not in CONTRIB]


def benchmark_of(algorithm):
    return get_benchmark("grid-world/graded" if algorithm in FROM_ROLLOUTS + OF_VALUES else "point-maze/test")


def configured(algorithm, name="sb3", **settings):
    settings = {"num_envs": 2, "arguments": ARGUMENTS.get(algorithm, REPLAYED), "evaluation_tasks": 1} | settings
    settings |= {"algorithm": algorithm} if name == "sb3" else {}
    return get_method(name).load("configuration")(**{"width": 16} | settings)


def trained(algorithm, out, steps=96, benchmark=None, name="sb3", **settings):
    benchmark = benchmark or benchmark_of(algorithm)
    return get_method(name).train(benchmark, configured(algorithm, name, **settings), 0, steps, out)


def weights_of(run):
    return network_arrays(load_policy(run.policy_path, run.benchmark.environment_id).network)


def are_equal(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("algorithm", INSTALLED)
def test_its_weights_are_those_of_its_own_learn(algorithm, tmp_path):
    """Evaluations, the teacher and the curve leave no trace in what is learned."""
    run = trained(algorithm, tmp_path / "run", evaluate_every=32)
    assert len(curve_of(run.path)) == 4
    rows = make_rows(run.benchmark, configured(algorithm), 0, 96, RowsOptions(2, rollout_steps=0))
    with torch.random.fork_rng(devices=[]):
        model = algorithm_type(algorithm)(
            policy_type(algorithm),
            CurriculumVecEnv(rows),
            policy_kwargs={"net_arch": [16, 16]},
            seed=seed_from_parts("stable-baselines3", 0) % 2**32,
            **configured(algorithm).given_arguments(),
        )
        model.learn(96)
    assert are_equal(weights_of(run), network_arrays(played_part(model.policy)))
    assert rows.steps == 96


@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "SAC"])
def test_older_names_train_the_same(algorithm, tmp_path):
    """And folders of before the algorithm was an option are loaded by the name."""
    name = f"sb3-{algorithm.lower()}"
    run, older = trained(algorithm, tmp_path / "run"), trained(algorithm, tmp_path / "older", name=name)
    assert are_equal(weights_of(run), weights_of(older)) and older.settings["method"] == name
    folder = PolicyFolder.read(older.policy_path)
    assert folder.configuration.pop("algorithm") == algorithm
    folder.write(tmp_path / "before")
    loaded = load_policy(tmp_path / "before", older.benchmark.environment_id)
    assert are_equal(network_arrays(loaded.network), weights_of(run))
    PolicyFolder("sb3", folder.environment, folder.configuration, folder.weights).write(tmp_path / "unnamed")
    with pytest.raises(InvalidPolicyError, match=r"configuration.algorithm is 'SB3', expected one of \('PPO'"):
        load_policy(tmp_path / "unnamed", older.benchmark.environment_id)


def test_a_stopped_run_begins_again_and_global_generators_are_put_back(tmp_path, monkeypatch):
    whole = trained("DQN", tmp_path / "whole", evaluate_every=32)
    finished, seen = method._Reports._evaluate, []

    def stop(self):
        seen.append(self)
        if len(seen) == 3:
            raise KeyboardInterrupt
        finished(self)

    before = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state()
    monkeypatch.setattr(method._Reports, "_evaluate", stop)
    with pytest.raises(KeyboardInterrupt):
        trained("DQN", tmp_path / "stopped", evaluate_every=32)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.random.get_rng_state()
    assert before[:2] == after[:2] and torch.equal(before[2], after[2])
    again = trained("DQN", tmp_path / "stopped", evaluate_every=32)
    assert are_equal(weights_of(whole), weights_of(again))
    assert [row["step"] for row in curve_of(again.path)] == [row["step"] for row in curve_of(whole.path)]
    modified = (again.policy_path / "weights.safetensors").stat().st_mtime_ns
    trained("DQN", tmp_path / "stopped", evaluate_every=32)
    assert (again.policy_path / "weights.safetensors").stat().st_mtime_ns == modified, "a finished run is left alone"


@pytest.mark.parametrize(("algorithm", "teacher"), [("PPO", "plr"), ("DQN", "apt-gen"), ("DQN", "learnability")])
def test_teachers(algorithm, teacher, tmp_path):
    """One that scores levels by the critic, one that reads whole episodes, one that probes and is charged for it."""
    options = {"learnability": "candidates=4,episodes=1,period=4,buffer_size=2"}.get(teacher, "")
    benchmark = get_benchmark("grid-world/target-a") if teacher == "apt-gen" else None
    run = trained(algorithm, tmp_path / "run", 400, benchmark, teacher=teacher, teacher_options=options)
    assert run.finished and curve_of(run.path)[-1]["step"] <= 400


@pytest.mark.parametrize(
    ("algorithm", "settings", "error", "message"),
    [
        ("PPO", {"teacher": "robust-plr"}, UnsupportedTeacherError, "not to be learned from"),
        ("DQN", {"teacher": "plr"}, UnsupportedTeacherError, "teacher plr scores levels by a critic"),
        ("PPO", {"teacher": "paired"}, UnsupportedTeacherError, "paired has the players student, .*, and sb3 trains"),
        ("SAC", {"benchmark": "grid-world/graded"}, UnsupportedActionsError, "expected a bounded Box"),
        ("DQN", {"benchmark": "point-maze/test"}, UnsupportedActionsError, "expected Discrete from 0"),
        ("CrossQ", {}, InvalidOptionError, "algorithm is 'CrossQ', expected one of .*'PPO'"),
        ("DQN", {"stochastic": True}, InvalidOptionError, "stochastic is True, expected False"),
        ("PPO", {"arguments": "n_step=4"}, InvalidOptionError, "names 'n_step', expected one of .*n_steps"),
        ("PPO", {"arguments": "seed=4"}, InvalidOptionError, "names 'seed', expected one of"),
        ("PPO", {"arguments": "n_steps"}, InvalidOptionError, "is 'n_steps', expected plain values by name"),
        ("PPO", {"arguments": "n_steps=open('x')"}, InvalidOptionError, "expected plain values by name"),
        ("PPO", {"steps": 31}, TooFewStepsError, "expected at least 32, one rollout"),
        ("DQN", {"arguments": "train_freq=(1,'episode')", "num_envs": 1}, InvalidOptionError, "a number of steps"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_written(algorithm, settings, error, message, tmp_path):
    if "benchmark" in settings:
        settings = {"benchmark": get_benchmark(settings["benchmark"])}
    with pytest.raises(error, match=message):
        trained(algorithm, tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_without_sb3_contrib_its_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(MissingExtraError, match="learners"):
        trained("TQC", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_whole_rollouts_fit(tmp_path):
    assert curve_of(trained("PPO", tmp_path / "run", 95).path)[-1]["step"] == 64


@pytest.mark.parametrize(
    ("algorithm", "environment_id"),
    [(name, benchmark_of(name).environment_id) for name in INSTALLED]
    + [("PPO", name) for name in ("GMiniWoB-v0", "SparsePointMaze-v0", "VoxelBuild-v0")],
)
def test_the_policy_acts_as_the_algorithm_predicts(algorithm, environment_id):
    """Pictures, several choices, reals; with what a recurrent network remembers, in the second step."""
    with make_environment(environment_id) as env, torch.random.fork_rng(devices=[]):
        kind = algorithm_type(algorithm)
        model = kind(policy_type(algorithm), env, policy_kwargs={"net_arch": [16, 16]}, seed=0)
        policy = SB3Policy(environment_id, False, 16, 2, algorithm)
        policy.load_weights(network_arrays(played_part(model.policy)))
        (seen, _), state = env.reset(seed=0), None
        for first in (True, False):
            batch, starts = {key: array[np.newaxis] for key, array in named(seen).items()}, np.array([first])
            expected, state = model.predict(seen, state, starts, deterministic=True)
            action = policy.act(batch, starts)[0]
            np.testing.assert_allclose(action, expected, rtol=1e-5, atol=1e-6)
            seen, *_ = env.step(action)


def test_drawn_actions_have_the_distribution_of_the_algorithm():
    """Reals are normal around the mean, before they are cut to their range."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        policy = SB3Policy("SparsePointMaze-v0", True, 16, 1, "PPO")
    with torch.no_grad():
        policy.network.log_std.fill_(-2.0)
    policy.seed(0)
    with make_environment("SparsePointMaze-v0") as env:
        seen, _ = env.reset(seed=0)
    batch = {key: np.repeat(array[np.newaxis], 4_000, axis=0) for key, array in seen.items()}
    drawn = policy.act(batch, np.ones(4_000, np.bool_))
    assert np.allclose(drawn.std(axis=0), np.exp(-2.0), rtol=0.1)


@pytest.mark.parametrize("algorithm", ["PPO", "SAC"])
def test_every_setting_reaches_the_algorithm(algorithm, tmp_path):
    """Those of the loop are tested where it is; ``stochastic`` is the policy's."""
    usual = weights_of(trained(algorithm, tmp_path / "usual"))
    others = {"num_envs": 4, "width": 8, "layers": 1, "arguments": f"{ARGUMENTS.get(algorithm, REPLAYED)},gamma=0.5"}
    for setting, value in others.items():
        assert not are_equal(weights_of(trained(algorithm, tmp_path / setting, **{setting: value})), usual), setting
    for stochastic in (None, False, True):
        run = trained(algorithm, tmp_path / f"stochastic {stochastic}", stochastic=stochastic)
        expected = algorithm in FROM_ROLLOUTS if stochastic is None else stochastic
        assert load_policy(run.policy_path, run.benchmark.environment_id).stochastic == expected
