"""PPO in compiled code acts, learns and goes on as PPO in torch does."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.fast.actor_critic import is_compilable
from procgen_bench.baselines.fast.ppo import twin_of
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from tests.baselines.fast.agreement import assert_gradients_agree, assert_updates_agree

SETTINGS = PPOConfiguration(width=16, num_envs=40, rollout_steps=16, minibatches=3, epochs=2)
#: More samples than one pass takes, no multiple of it, and actions of several kinds at once.
SAMPLES = 600
SEVERAL = spaces.MultiDiscrete([3, 2, 4])
#: Units and kind of the memory, by how many numbers of a row it remembers.
MEMORIES = {0: (0, "gru"), 12: (12, "gru"), 24: (12, "lstm")}


@pytest.fixture(scope="module", params=[*MEMORIES], ids=["", "gru", "lstm"])
def rollout(request):
    """Of GridWorld, by a learner with random weights, without memory or with one of each kind."""
    levels = LevelSource(get_benchmark("grid-world/graded"), solvable=True)
    teacher = get_teacher("uniform").make("", levels, np.random.default_rng(0))
    rows = CurriculumVectorEnv("GridWorld-v0", SETTINGS.num_envs, teacher, 0)
    collected = Collector(
        rows, learners(rows.env.single_action_space, request.param)[1], SETTINGS.rollout_steps
    ).collect()
    rows.close()
    assert collected.ends.sum() > 20
    return collected


def learners(action_space, memory, **settings):
    """One that is compiled and one that is not, with the same weights, none of which is zero."""
    space, actions, (units, kind) = observation_space(), actions_of(action_space), MEMORIES[memory]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layers = settings.get("layers", SETTINGS.layers)
        network = ActorCritic(space, actions.sizes, SETTINGS.width, layers, units, memory_kind=kind)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape))
    configuration = replace(SETTINGS, **settings)
    compiled, plain = (
        PolicyGradient(deepcopy(network), actions, configuration, np.random.default_rng(1)) for _ in range(2)
    )
    return [twin_of(compiled), plain]


def memory_of(rollout):
    return rollout.memory.shape[1]


def observation_space():
    return spaces.Dict(
        {
            "objects": spaces.Box(-9, 9, (10,), np.float32),
            "position": spaces.Box(1, 8, (2,), np.float32),
            "view": spaces.Box(0, 2, (7, 7), np.float32),
        }
    )


def with_actions(rollout, action_space):
    """The rollout with actions of another space, and log-probabilities on both sides of the clip range."""
    rng = np.random.default_rng(3)
    steps, rows = rollout.rewards.shape
    size = (steps, rows, len(action_space.nvec)) if isinstance(action_space, spaces.MultiDiscrete) else (steps, rows)
    drawn = rng.integers(getattr(action_space, "nvec", getattr(action_space, "n", 0)), size=size)
    logs = torch.as_tensor(rng.normal(-1.5, 0.3, (steps, rows)).astype(np.float32))
    train = rng.random((steps, rows)) < 0.9
    aux = rollout.aux | {"log_probabilities": logs}
    return replace(rollout, actions=torch.as_tensor(drawn), aux=aux, train=train)


@pytest.mark.parametrize("action_space", [spaces.Discrete(4), SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize("clip_range", [0.2, 0.0])
def test_gradients_are_those_of_autograd(rollout, action_space, clip_range):
    plain = {"minibatches": 1, "epochs": 1, "learning_rate": 0.0, "clip_range": clip_range, "entropy_weight": 0.5}
    plain |= {"barrier_weight": 0.3}
    ours, theirs = learners(action_space, memory_of(rollout), max_gradient=1e9, **plain)
    given = with_actions(rollout, action_space)
    assert given.train.sum() > SAMPLES // 2 > 256
    measures = ours.update(given), theirs.update(given)
    assert measures[0] == pytest.approx(measures[1], rel=1e-4, abs=1e-6)
    assert_gradients_agree(ours, theirs, 2e-5)


@pytest.mark.parametrize("action_space", [spaces.Discrete(4), SEVERAL], ids=["one", "several"])
def test_gradient_norms_are_of_updates_on_one_episode_alone(rollout, action_space):
    alone = {"minibatches": 1, "epochs": 1, "learning_rate": 0.0, "clip_range": 0.0, "normalise": False}
    alone |= {"max_gradient": 1e9, "entropy_weight": 0.0, "value_weight": 0.0}
    ours, theirs = learners(action_space, memory_of(rollout), **alone)
    given = with_actions(rollout, action_space)
    compiled, plain = ours.gradient_norms(given), theirs.gradient_norms(given)
    np.testing.assert_allclose(compiled, plain, rtol=1e-3)
    parts = [*given.episode_parts]
    assert (
        sum(end - first for _, first, end in parts) == given.rewards.size and len(parts) == given.starts[1:].sum() + 40
    )
    advantages = theirs.advantages(given)
    for row, first, end in parts[::9]:
        train = np.zeros((len(given.rewards), 1), bool)
        train[first:end] = True
        theirs._advantages = advantages[:, [row]]
        theirs.update(replace(given.of(np.array([row])), train=train))
        gradients = [parameter.grad for parameter in theirs.network.parameters() if parameter.grad is not None]
        squared = sum(float(gradient.square().sum()) for gradient in gradients)
        assert plain[first:end, row] == pytest.approx(np.full(end - first, squared), rel=1e-4)
    assert len(np.unique(plain)) == len(parts)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"normalise": False},
        {"optimiser": "rmsprop", "clip_range": 0.0},
        {"max_gradient": 1e-3},
        {"layers": 1},
        {"entropy_target": 9.0},
        {"max_kl": 1e-4, "learning_rate": 3e-3},
    ],
    ids=["usual", "as they are", "a2c", "cut", "one layer", "adapted entropy", "bounded"],
)
def test_updates_are_those_of_torch(rollout, settings):
    ours, theirs = learners(spaces.Discrete(4), memory_of(rollout), **settings)
    assert_updates_agree(ours, theirs, rollout, 2e-3, 2e-4)
    assert ours.rates == pytest.approx(theirs.rates)
    arrays, others = ours.state()[0], theirs.state()[0]
    assert {name: array.shape for name, array in arrays.items()} == {name: a.shape for name, a in others.items()}


@pytest.mark.parametrize("action_space", [spaces.Discrete(4), SEVERAL], ids=["one", "several"])
def test_it_acts_as_torch_does(rollout, action_space):
    ours, theirs = learners(action_space, memory_of(rollout))
    seen = {name: array.flatten(0, 1)[:SAMPLES] for name, array in rollout.observations.items()}
    memory = torch.as_tensor(np.random.default_rng(4).normal(size=(SAMPLES, memory_of(rollout))), dtype=torch.float32)
    acted = [learner.act(seen, memory) for learner in (ours, theirs)]
    (actions, aux, after), (other_actions, other_aux, other_after) = acted
    assert torch.allclose(after, other_after, atol=1e-6)
    assert actions.dtype == other_actions.dtype and actions.shape == other_actions.shape
    assert len(np.unique(actions)) > 2 and (actions == other_actions).float().mean() > 0.999
    for name, column in aux.items():
        alike = (actions == other_actions).reshape(SAMPLES, -1).all(dim=1)
        assert torch.allclose(column[alike], other_aux[name][alike], atol=1e-5), name
    assert np.allclose(ours.advantages(rollout), theirs.advantages(rollout), atol=1e-4)


def test_a_learner_that_was_kept_goes_on_bit_for_bit(rollout):
    ours, again = (learners(spaces.Discrete(4), memory_of(rollout))[0] for _ in range(2))
    ours.update(rollout)
    again.restore(*deepcopy(ours.state()))
    for learner in (ours, again):
        learner.update(rollout)
    arrays, others = ours.state()[0], again.state()[0]
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())


def test_what_is_no_category_is_left_to_torch_from_then_on(rollout):
    ours, theirs = learners(spaces.Discrete(4), memory_of(rollout))
    for learner in (ours, theirs):
        learner.update(rollout)
    view = rollout.observations["view"].clone()
    view[3, 2, 1, 1] = 0.5
    between = replace(rollout, observations=rollout.observations | {"view": view})
    for learner in (ours, theirs):
        learner.update(between)
    assert ours.compiled is None
    for name, weights in ours.policy_weights().items():
        np.testing.assert_allclose(weights, theirs.policy_weights()[name], rtol=1e-3, atol=2e-4, err_msg=name)
    again = learners(spaces.Discrete(4), memory_of(rollout))[0]
    again.restore(*ours.state())
    assert again.compiled is None
    measures = [learner.update(rollout) for learner in (ours, again)]
    assert measures[0] == measures[1]


def test_what_compiled_code_does_not_compute_is_left_to_torch():
    def made(memory=0, action_space=None, network="", **leaves):
        space, actions = spaces.Dict(leaves), actions_of(action_space or spaces.Discrete(4))
        return is_compilable(ActorCritic(space, actions.sizes, 8, 1, memory, network), actions)

    view, box = spaces.Box(0, 2, (7, 7), np.float32), spaces.Box(-1.0, 1.0, (2,), np.float32)
    assert made(view=view) and made(view=view, reals=box) and made(view=view, memory=4)
    assert not made(view=view, action_space=box)
    assert not made(view=view, action_mask=spaces.Box(0, 1, (4,), np.int8))
    assert not made(picture=spaces.Box(0, 255, (40, 40, 3), np.uint8))
    assert not made(far=spaces.Box(-np.inf, np.inf, (2,), np.float32))
    assert not made(map=spaces.Box(0, 2, (16, 16), np.uint8))
    assert made(view=view, network="view") and made(view=view, network="view", reals=box, memory=4)
    assert not made(view=view, network="view", far=spaces.Box(-np.inf, np.inf, (2,), np.float32))


def test_weights_that_torch_changes_are_acted_by(rollout):
    """What compiled code derives from the weights is made again after a step, a restore, and a change by torch."""
    ours, theirs = learners(spaces.Discrete(4), memory_of(rollout))
    seen = {name: array.flatten(0, 1)[:SAMPLES] for name, array in rollout.observations.items()}

    def values(learner):
        return learner.act(seen, torch.zeros(SAMPLES, memory_of(rollout)))[1]["values"]

    before = values(ours)
    kept = deepcopy(ours.state())
    ours.update(rollout)
    after = values(ours)
    assert (after - before).abs().max() > 1e-3
    theirs.network.load_state_dict(ours.network.state_dict())
    assert torch.allclose(after, values(theirs), atol=1e-5)
    ours.restore(*kept)
    assert torch.equal(values(ours), before)
    theirs.network.load_state_dict(ours.network.state_dict())
    with torch.no_grad():
        for learner in (ours, theirs):
            for parameter in learner.network.parameters():
                parameter.mul_(0.5)
    assert torch.allclose(values(ours), values(theirs), atol=1e-5)
