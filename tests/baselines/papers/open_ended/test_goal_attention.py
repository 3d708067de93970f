"""A goal of options is followed by its best option; a goal of one is read by plain attention."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended import goal_attention
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentNetwork
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.papers.open_ended.goal_attention import Attended, GoalAttention, consistency
from procgen_bench.baselines.parts.popart import PopArt
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.environment_options import make_environment

train = METHODS["ppo"].within("XLandSmall-v0").train

torch.set_num_threads(1)

#: Numbers that are known in the toy, and of an option's embedding.
KNOWN, EMBEDDING = 2, 64


def module(seed=0):
    torch.manual_seed(seed)
    return GoalAttention(KNOWN, EMBEDDING)


def test_one_option_is_plain_attention_of_length_1():
    attention, known, option = module(), torch.randn(5, KNOWN), torch.randn(5, 1, EMBEDDING)
    read = attention(known, option, torch.ones(5, 1))
    rows = attention.rows(known).reshape(5, 32, 32)
    queries = attention.query(option.reshape(5, 2, 32))
    plain = functional.scaled_dot_product_attention(queries, attention.key(rows), attention.read(rows)).mean(dim=1)
    assert torch.allclose(read.state, plain / plain.norm(dim=1, keepdim=True), atol=1e-5)
    assert torch.allclose(read.values[:, 0], read.values[:, 1]) and torch.allclose(read.value, read.values[:, 0])
    critics = consistency(read, read.value)
    assert torch.allclose(critics, torch.zeros(5), atol=1e-8), "there is nothing to be consistent with"


def test_what_is_read_does_not_grow_with_the_weights():
    attention, known, options = module(), torch.randn(5, KNOWN), torch.randn(5, 2, EMBEDDING)
    read = attention(known, options, torch.ones(5, 2))
    with torch.no_grad():
        attention.read.weight *= 1_000
        attention.read.bias *= 1_000
    assert torch.allclose(attention(known, options, torch.ones(5, 2)).states, read.states, atol=1e-5)


def test_options_that_are_not_there_do_not_count():
    attention, known, options = module(), torch.randn(5, KNOWN), torch.randn(5, 2, EMBEDDING)
    read = attention(known, options, torch.ones(5, 2))
    padded = attention(known, functional.pad(options, (0, 0, 0, 3)), functional.pad(torch.ones(5, 2), (0, 3)))
    assert torch.allclose(read.state, padded.state, atol=1e-6) and torch.isinf(padded.values[:, 3:]).all()
    assert torch.allclose(consistency(read, read.value), consistency(padded, padded.value), atol=1e-6)


def test_the_losses_are_the_three_distances():
    states = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]], requires_grad=True)
    values = torch.tensor([[1.0, 3.0]], requires_grad=True)
    critic, of_state = torch.tensor([2.0], requires_grad=True), torch.tensor([0.5], requires_grad=True)
    loss = consistency(Attended(states, values, states.mean(dim=1), of_state), critic)
    assert loss.item() == pytest.approx((1 - 3) ** 2 + (1 + 4) + (2 - 0.5) ** 2)
    loss.sum().backward()
    assert values.grad.tolist() == [[-4.0, 0.0]], "the option's value is no goal's pupil"
    assert states.grad[0, 1].tolist() == [0.0, 0.0] and states.grad[0, 0].abs().sum() > 0
    assert critic.grad.item() == 3.0 and of_state.grad.item() == -3.0, "both critics learn from each other"


def error_on_goals_of_two_options(steps=120, rows=64):
    """Returns of either option are known numbers; only goals of one option are learned from, by a critic.

    The value of a goal of both is the greater one; no return of such a goal is shown.
    """
    attention, critic = module(), torch.nn.Linear(128, 1)
    generator = torch.Generator().manual_seed(0)
    embeddings = torch.randn(2, EMBEDDING, generator=generator)
    optimizer = torch.optim.Adam([*attention.parameters(), *critic.parameters()], 4e-3)
    for _ in range(steps):
        known = torch.randn(rows, KNOWN, generator=generator)
        which = torch.randint(2, (rows,), generator=generator)
        single = attention(known, embeddings[which][:, None], torch.ones(rows, 1))
        values = critic(single.state)[:, 0]
        returns = known.gather(1, which[:, None])[:, 0]
        loss = (values - returns).square().mean() + consistency(single, values).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    known = torch.randn(512, KNOWN, generator=generator)
    with torch.no_grad():
        both = attention(known, embeddings.expand(512, 2, EMBEDDING), torch.ones(512, 2))
        values = critic(both.state)[:, 0]
        options = both.values[:, 1:]
    assert (options - known).abs().mean() < 0.2, "values of options are those of goals of one"
    own = both.values[:, 0] < options.amax(dim=1)  # where the whole goal, of which nothing is known, says less
    return (values - known.amax(dim=1))[own].abs().mean().item()


def test_a_goal_of_two_options_has_the_value_of_the_better_one():
    assert error_on_goals_of_two_options() < 0.1


def the_worst_option(monkeypatch):
    monkeypatch.setattr(goal_attention, "_TEMPERATURE", -0.1)


def all_options_alike(monkeypatch):
    monkeypatch.setattr(goal_attention, "_TEMPERATURE", 1e6)


@pytest.mark.parametrize("sabotage", [the_worst_option, all_options_alike])
def test_sabotaged_copies_are_caught(sabotage, monkeypatch):
    sabotage(monkeypatch)
    assert error_on_goals_of_two_options() > 0.3


def states_of_xland(count=3):
    env_id = "XLandSmall-v0"
    with make_environment(env_id, {"observation": "state"}) as env:
        space = env.observation_space
        observations = [env.reset(seed=seed)[0] for seed in range(count)]
    return space, {name: torch.as_tensor(np.stack([one[name] for one in observations])) for name in observations[0]}


def network_for_xland(space, memory=8, goal_attention=True):
    torch.manual_seed(0)
    return AgentNetwork(space, [3, 3, 5, 3, 2, 2], 16, 1, memory, goal_attention=goal_attention)


def evaluated(network, observations):
    with torch.no_grad():
        return network.evaluate(network.prepare(observations), torch.zeros(3, 8), None)


@pytest.mark.parametrize("memory", [0, 8])
def test_features_depend_on_goals_only_without_goal_attention(memory):
    """Of these the atom predictor says which atoms hold."""
    space, observations = states_of_xland()
    for has_attention in (True, False):
        network = network_for_xland(space, memory, has_attention)
        features = evaluated(network, observations).features
        for part in ("goal_atoms", "goal_matrix"):
            others = observations | {part: observations[part].roll(1, 0)}
            assert torch.equal(evaluated(network, others).features, features) == has_attention, part


def test_what_acts_knows_the_goal():
    space, observations = states_of_xland()
    network = network_for_xland(space)
    others = observations | {name: observations[name].roll(1, 0) for name in ("goal_atoms", "goal_matrix")}
    said, otherwise = evaluated(network, observations), evaluated(network, others)
    assert said.features.shape == (3, network.features)
    assert not torch.allclose(said.values, otherwise.values)
    outputs, values, _ = network(observations, torch.zeros(3, 8))
    assert torch.allclose(outputs, said.outputs, atol=1e-5) and torch.allclose(values, said.values, atol=1e-5)


def test_all_values_stay_as_the_scale_of_returns_moves():
    space, observations = states_of_xland()
    network, scale = network_for_xland(space), PopArt(0.5)

    def values():
        states = evaluated(network, observations).attended.states
        return [scale.unnormalised(one) for one in (network.critic(states), network.goal_attention.value(states))]

    before = values()
    scale.update(np.array([3.0, 9.0]), network.value_heads)
    for first, second in zip(before, values(), strict=True):
        assert torch.allclose(first, second, atol=1e-4)


TINY = {"num_envs": 2, "rollout_steps": 8, "minibatches": 1, "epochs": 1, "width": 16, "layers": 1}
TINY |= {"evaluation_tasks": 1, "evaluation_episodes": 1}


@pytest.mark.parametrize("method", ["ppo", pytest.param("vmpo", marks=pytest.mark.slow)])
def test_methods_learn_by_it_and_their_policies_have_it(method, tmp_path):
    settings = TINY | {"goal_attention": True, "popart_share": 0.01, "memory": 8, "atom_weight": 1.0}
    agents = METHODS[method].within("XLandSmall-v0")
    run = agents.train(get_benchmark("xland/small"), agents.load("configuration")(**settings), 0, 64, tmp_path / "run")
    curve = (run.path / "curve.csv").read_text()
    assert "consistency_loss" in curve and "atom_loss" in curve
    assert load_policy(run.policy_path, "XLandSmall-v0").network.goal_attention is not None


@pytest.mark.parametrize(
    ("benchmark_id", "settings", "message"),
    [
        ("grid-world/graded", {"popart_share": 0.01}, "goal_attention is true, expected false where observations"),
        ("xland/small", {}, "popart_share is 0, expected more where goal_attention"),
    ],
)
def test_it_is_refused_where_it_means_nothing(benchmark_id, settings, message, tmp_path):
    configuration = AgentPPOConfiguration(**TINY, goal_attention=True, **settings)
    with pytest.raises(InvalidOptionError, match=message):
        train(get_benchmark(benchmark_id), configuration, 0, 64, tmp_path / "run")
    assert not (tmp_path / "run").exists()
