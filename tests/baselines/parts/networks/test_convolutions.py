"""Convolutions in bfloat16: nearly what float32 makes, in float32, and nowhere where it was not asked for."""

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.parts.convolutions import Convolutions, multiply_in
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.killed_runs import last_checkpoint


@pytest.fixture(params=["BitGrid-v0", "VoxelBuild-v0"])
def network_and_seen(request):
    """A network for the environment, and what 20 of its rows see after a few steps."""
    rows = gymnasium.make_vec(request.param, num_envs=20, vectorization_mode="vector_entry_point")
    rows.reset(seed=0)
    rows.action_space.seed(0)
    for _ in range(5):
        observations, *_ = rows.step(rows.action_space.sample())
    torch.manual_seed(0)
    network = GoalActorCritic(rows.single_observation_space, rows.single_action_space)
    rows.close()
    return network, tensors_of(observations)


def test_results_and_gradients_are_single_and_nearly_the_same(network_and_seen):
    network, seen = network_and_seen
    made = {}
    for precision in ("float32", "bfloat16"):
        multiply_in(precision, network)
        network.zero_grad()
        outputs, values = network(seen)
        (outputs.square().mean() + values.square().mean()).backward()
        gradients = torch.cat([weight.grad.flatten() for weight in network.parameters()])
        made[precision] = outputs.detach(), values.detach(), gradients
    for single, half in zip(made["float32"], made["bfloat16"], strict=True):
        assert single.dtype == half.dtype == torch.float32
        assert not torch.equal(single, half), "something is computed in another precision"
        assert (single - half).norm() < 0.05 * single.norm()


def test_single_precision_again_is_what_it_was(network_and_seen):
    network, seen = network_and_seen
    before = network(seen)
    multiply_in("bfloat16", network)
    multiply_in("float32", network)
    assert all(torch.equal(now, then) for now, then in zip(network(seen), before, strict=True))


def test_only_convolutions_are_halved():
    kinds = []
    layers = Convolutions(nn.Conv2d(3, 4, kernel_size=3), nn.Flatten())
    layers[0].register_forward_hook(lambda *made: kinds.append(made[2].dtype))
    network = nn.Sequential(layers, nn.Linear(36, 2))
    multiply_in("bfloat16", network)
    network[1].register_forward_hook(lambda *made: kinds.append(made[2].dtype))
    network(torch.as_tensor(np.random.default_rng(0).random((2, 3, 5, 5), np.float32)))
    assert kinds == [torch.bfloat16, torch.float32]


@pytest.mark.parametrize(
    "name", ["dqn-her", *(pytest.param(name, marks=pytest.mark.slow) for name in ("sibling-rivalry", "ppo-icm"))]
)
def test_a_run_learns_in_it_again_alike_and_otherwise_than_in_single(name, tmp_path):
    method, small = METHODS[name], {"rollouts": 4, "minibatches": 2, "evaluate_every": 200, "evaluation_tasks": 2}

    def trained(precision, out):
        configuration = method.load("configuration")(precision=precision, **small)
        run = method.train(get_benchmark("bit-grid/test"), configuration, 0, 400, tmp_path / out)
        return last_checkpoint(run)[0]

    first, second, single = trained("bfloat16", "first"), trained("bfloat16", "second"), trained("float32", "single")
    assert all(np.array_equal(first[key], second[key], equal_nan=True) for key in first)
    learned = [key for key in first if key.endswith("convolutions.2.weight") and "target" not in key]
    assert learned and not any(np.array_equal(first[key], single[key]) for key in learned)


@pytest.mark.parametrize("name", ["sibling-rivalry", "dqn-her"])
def test_what_is_no_precision_is_refused_before_a_run_begins(name, tmp_path):
    method, benchmark = METHODS[name], get_benchmark("bit-grid/test")
    with pytest.raises(InvalidOptionError, match=r"precision is 'half', expected one of \['float32', 'bfloat16'\]"):
        method.train(benchmark, method.load("configuration")(precision="half"), 0, 100, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("benchmark_id", "options"), [("point-maze/test", {}), ("voxel-build/test", {"observation": "pose"})]
)
def test_networks_without_convolutions_have_one_precision(benchmark_id, options, tmp_path):
    method = METHODS["sibling-rivalry"]
    configuration = method.load("configuration")(precision="bfloat16", **options)
    expected = "expected 'float32': the network has no convolutions"
    with pytest.raises(InvalidOptionError, match=expected):
        method.train(get_benchmark(benchmark_id), configuration, 0, 8_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()
