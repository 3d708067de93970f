"""Off-policy runs that are cut off and resumed, with replays that have gone round."""

import csv

import gymnasium
import numpy as np
import pytest
from safetensors.numpy import load_file

from procgen_bench.baselines.methods import get_method
from procgen_bench.baselines.policies import load_policy
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError

METHODS = {"ddpg-her": "point-maze/corridor-2", "dqn-her": "bit-grid/test", "dqn-dense": "bit-grid/test"}
STEPS = 4_000
SMALL = {
    "rollouts": 8,
    "minibatches": 2,
    "batch_size": 16,
    "buffer_size": 1_000,
    "evaluate_every": 800,
    "evaluation_tasks": 4,
    "checkpoint_every": 800,
}


class Killed(Exception):
    pass


def train(method, out, seed=0):
    configuration = get_method(method).load("configuration")(**SMALL)
    return get_method(method).load("train")(get_benchmark(METHODS[method]), configuration, seed, STEPS, out)


def train_killed(method, out, monkeypatch):
    """Kill the run when it is about to write its fourth checkpoint."""
    write, written = RunFolder.write_checkpoint, []

    def write_or_die(run, *arguments):
        if len(written) == 3:
            raise Killed
        written.append(run)
        write(run, *arguments)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(RunFolder, "write_checkpoint", write_or_die)
        train(method, out)


def curve(run):
    with (run.path / "curve.csv").open() as file:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]


def weights(run):
    return load_file(run.policy_path / "weights.safetensors")


@pytest.mark.parametrize("method", list(METHODS))
def test_a_killed_run_resumes_and_ends_with_the_same_weights(method, tmp_path, monkeypatch):
    whole = train(method, tmp_path / "whole")
    train_killed(method, tmp_path / "killed", monkeypatch)
    replay = load_file(tmp_path / "killed" / "checkpoint" / "arrays.safetensors")["replay.ep_length"]
    assert replay.shape == (125, 8), "the replay has not gone round"
    assert (replay == 0).any(), "no episode is under way or partly overwritten"
    resumed = train(method, tmp_path / "killed")
    assert resumed.finished
    assert all(np.array_equal(array, weights(resumed)[name]) for name, array in weights(whole).items())
    assert curve(whole) == curve(resumed)
    other = weights(train(method, tmp_path / "other", seed=1))
    assert not all(np.array_equal(array, other[name]) for name, array in weights(whole).items())
    environment = get_benchmark(METHODS[method]).environment_id
    assert not load_policy(whole.policy_path, environment).stochastic


def test_the_ant_is_trained_on_subgoals_and_counted_in_its_own_steps(tmp_path):
    """A run of 8 rows for 25 subgoals is 4,000 steps; its policy plays torques."""
    benchmark = get_benchmark("ant-maze/test")
    configuration = get_method("ddpg-her").load("configuration")(**{**SMALL, "evaluation_tasks": 1})
    run = get_method("ddpg-her").load("train")(benchmark, configuration, 0, STEPS, tmp_path / "run")
    assert [int(row["step"]) for row in curve(run)] == [0, STEPS]
    replay = load_file(run.path / "checkpoint" / "arrays.safetensors")
    assert replay["replay.actions"].shape[1:] == (8, 2)
    assert replay["replay.ep_length"].max() == 25
    policy = load_policy(run.policy_path, benchmark.environment_id)
    assert policy.network[-2].out_features == 2
    with gymnasium.make(benchmark.environment_id) as env:
        observation, _ = env.reset(seed=0)
        torques = policy.act({name: array[None] for name, array in observation.items()}, np.ones(1, np.bool_))
        assert env.action_space.contains(torques[0])


@pytest.mark.parametrize("method", list(METHODS))
def test_an_environment_that_the_method_does_not_learn_in_is_refused(method, tmp_path):
    with pytest.raises(UnknownNameError, match=r"unknown environment for this method 'GridWorld-v0'; known: "):
        get_method(method).load("train")(
            get_benchmark("grid-world/graded"), get_method(method).load("configuration")(), 0, STEPS, tmp_path / "run"
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", list(METHODS))
def test_every_option_is_described(method):
    for field in get_method(method).load("configuration").__dataclass_fields__.values():
        if field.name != "stochastic":
            assert field.metadata["description"].endswith(".")
