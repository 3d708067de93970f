"""A network of the user's own: under every learner, kept, exported, and never imported because a file says so."""

import dataclasses
import importlib
import json
import subprocess
import sys

import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.parts.encoders import OwnEncoder, OwnNetworkError
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.onnx.export import export_folder
from procgen_bench.baselines.training.curve_scores import evaluate
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.envs.bit_grid import BitGridEnv

NETWORKS = """
import torch
from torch import nn


class Flat(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.features, self.rows_seen = 16, 0
        self.dense = nn.Linear(sum(leaf.high.size for leaf in space.values()), 16)

    def forward(self, observations):
        return torch.relu(self.dense(torch.cat([array.flatten(1).float() for array in observations.values()], 1)))

    def update_normaliser(self, observations):
        self.rows_seen += len(next(iter(observations.values())))


class Silent(nn.Module):
    def __init__(self, space):
        super().__init__()


class Lying(Flat):
    def __init__(self, space):
        super().__init__(space)
        self.features = 7


def nothing(space):
    return None
"""
SMALL = {
    "num_envs": 8,
    "rollout_steps": 8,
    "minibatches": 2,
    "batch_size": 8,
    "learning_starts": 64,
    "updates_per_step": 0.1,
    "width": 8,
    "evaluation_tasks": 2,
}
BENCHMARKS = {
    "ppo": "bit-grid/test",
    "recurrent-ppo": "bit-grid/test",
    "dqn": "bit-grid/test",
    "sac": "point-maze/test",
}


@pytest.fixture(scope="module", autouse=True)
def networks(tmp_path_factory):
    """A module in the folder that the process was started in, as it were."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "their_networks.py").write_text(NETWORKS)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setattr(sys, "path", [str(folder), *sys.path])
        yield folder
    sys.modules.pop("their_networks", None)


def train(name, out):
    method = METHODS[name]
    configuration = method.load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = {key: value for key, value in SMALL.items() if key in fields} | {"network": "their_networks:Flat"}
    benchmark = get_benchmark(BENCHMARKS[name])
    return method.train(benchmark, configuration(**settings), 0, 256, out), benchmark


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ("recurrent-ppo", "dqn") else pytest.mark.slow) for name in BENCHMARKS],
)
def test_it_is_trained_kept_and_exported_by_every_learner(name, tmp_path):
    run, benchmark = train(name, tmp_path / "run")
    policy = load_policy(run.policy_path, benchmark.environment_id)
    own = [module for module in policy.network.modules() if type(module).__name__ == "Flat"]
    assert len(own) == 1
    untrained = type(policy)(benchmark.environment_id, True, width=8, network="their_networks:Flat")
    fresh = next(module for module in untrained.network.modules() if type(module).__name__ == "Flat")
    assert not torch.equal(own[0].dense.weight, fresh.dense.weight)
    (tmp_path / "policy.onnx").write_bytes(export_folder(run.path))
    exported = load_policy(tmp_path / "policy.onnx", benchmark.environment_id)
    assert evaluate(exported, benchmark, 4) == evaluate(policy, benchmark, 4)


def test_it_is_given_what_training_sees():
    importlib.import_module("their_networks")
    encoder = OwnEncoder(BitGridEnv().observation_space, "their_networks:Flat")
    encoder.update_normaliser({"bits": torch.zeros(5, 3)})
    assert encoder.own.rows_seen == 5


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("their_networks:Flut", "cannot be imported: .*Flut"),
        ("no_such_networks:Flat", "no_such_networks:Flat is code that is not imported because a file names it"),
        ("flat", "'flat' names no code, expected module:attribute"),
        ("their_networks:Silent", "makes a Silent with features = None, expected a torch.nn.Module"),
        ("their_networks:nothing", "makes a NoneType"),
        ("their_networks:Lying", r"turns 2 observations into \(2, 16\), expected \(2, 7\)"),
    ],
)
def test_what_is_no_network_is_refused(network, message):
    importlib.import_module("their_networks")
    with pytest.raises(OwnNetworkError, match=message):
        OwnEncoder(BitGridEnv().observation_space, network)


def test_a_refused_network_leaves_no_run(tmp_path):
    with pytest.raises(OwnNetworkError, match="No module named"):
        METHODS["ppo"].train(
            get_benchmark("bit-grid/test"),
            METHODS["ppo"].load("configuration")(network="no_such_networks:Flat"),
            0,
            1_000,
            tmp_path / "run",
        )
    assert not (tmp_path / "run").exists()


def test_a_folder_that_names_code_does_not_import_it(networks, tmp_path):
    run, _ = train("ppo", tmp_path / "run")
    (networks / "trap.py").write_text("raise SystemExit('imported')")
    description = json.loads((run.policy_path / "policy.json").read_text())
    description["configuration"]["network"] = "trap:Flat"
    (run.policy_path / "policy.json").write_text(json.dumps(description))
    with pytest.raises(OwnNetworkError, match="procgen-bench --import trap"):
        load_policy(run.policy_path, "BitGrid-v0")
    description["configuration"]["network"] = ["trap:Flat"]
    (run.policy_path / "policy.json").write_text(json.dumps(description))
    with pytest.raises(InvalidPolicyError, match="module:Class or ''"):
        load_policy(run.policy_path, "BitGrid-v0")


@pytest.mark.slow
def test_who_trusts_it_evaluates_it_on_the_command_line(networks, tmp_path):
    run, _ = train("ppo", tmp_path / "run")

    def evaluated(*options):
        words = ["evaluate", "bit-grid/test", "--policy", run.policy_path, "-o", tmp_path / "entry"]
        command = [sys.executable, "-m", "procgen_bench.cli", *options, *map(str, words)]
        return subprocess.run(command, cwd=networks, capture_output=True, text=True)

    refused = evaluated()
    assert refused.returncode == 2 and "--import their_networks" in refused.stderr
    assert evaluated("--import", "their_networks").returncode == 0
