"""XLand's PPO in compiled code acts, learns and goes on as it does in torch."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.fast.set_layers import SetTable
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentNetwork
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.papers.open_ended.atom_predictor import AtomPredictor
from procgen_bench.baselines.papers.open_ended.compiled_scene import CompiledScene
from procgen_bench.baselines.papers.open_ended.fast_agents import FastAgentPolicyGradient, twin_of
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.envs.xland.entity_rows import NUM_ENTITIES, SEEN
from procgen_bench.tasks.xland.games.atoms import ATOMS
from tests.baselines.fast.agreement import assert_gradients_agree

SETTINGS = AgentPPOConfiguration(
    width=16, num_envs=16, rollout_steps=20, minibatches=2, epochs=2, popart_share=0.1, learning_rate=3e-3
)
#: Of players who are shown the worlds as they are: everything that goals name is there.
SHOWN = {"players": "all", "num_threads": 1, "privileged": True, "templates": 0.3, "pooled_games": 16}


@pytest.fixture(scope="module", params=[0, 12], ids=["", "memory"])
def rollout(request):
    """Of small worlds, by a learner with random weights, with memory or without: more samples than a pass takes."""
    levels = LevelSource(get_benchmark("xland/small"), solvable=False)
    teacher = get_teacher("uniform").make("", levels, np.random.default_rng(0))
    rows = CurriculumVectorEnv("XLandSmall-v0", SETTINGS.num_envs, teacher, 0, staggered=True, **SHOWN)
    learner = learners(rows.env.single_observation_space, rows.env.single_action_space, request.param)[1]
    collected = Collector(rows, learner, SETTINGS.rollout_steps).collect()
    rows.close()
    assert collected.ends.any() and not collected.observations["entities"][..., SEEN].all()
    return rows.env.single_observation_space, rows.env.single_action_space, collected


def learners(space, action_space, memory, **settings):
    """One that is compiled and one that is not, with the same weights, none of which is zero."""
    actions = actions_of(action_space)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = AgentNetwork(named_space(space), actions.sizes, SETTINGS.width, SETTINGS.layers, memory)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape))
    compiled, plain = (
        AgentPolicyGradient(
            deepcopy(network), actions, replace(SETTINGS, **settings), np.random.default_rng(1), auxiliary=()
        )
        for _ in range(2)
    )
    return [twin_of(compiled), plain]


def learners_of(rollout, **settings):
    space, action_space, collected = rollout
    twin, plain = learners(space, action_space, collected.memory.shape[1], **settings)
    assert isinstance(twin, FastAgentPolicyGradient) and twin.compiled is not None
    return twin, plain


def encoded(encoder, observations):
    """What a compiled scene writes, by set its elements of each sample, and all that is no set's."""
    scene, table = CompiledScene(encoder), SetTable()
    scene.compile_into(table, torch.nn.Linear(encoder.features, 3))
    written = scene.encode({name: array.numpy() for name, array in observations.items()})
    arrays = table.set_arrays(1)
    rows = []
    for _, width, number, column in arrays.inputs.tolist():
        first, owners = arrays.counts[number].tolist()
        if arrays.owners[number]:
            owners = 0
        rows.append(
            [
                sample[column : column + width * int(sample[first : first + owners].sum())].reshape(-1, width)
                for sample in written
            ]
        )
    return rows, written[:, arrays.width :]


def test_scenes_are_written_as_the_encoder_prepares_them(rollout):
    _, _, collected = rollout
    observations = {name: array.flatten(0, 1) for name, array in collected.observations.items()}
    encoder = learners_of(rollout)[1].network.encoder
    prepared = encoder.prepare(observations)
    (entities, atoms, _), ground = encoded(encoder, observations)
    np.testing.assert_allclose(ground, prepared["ground"].numpy(), atol=1e-6)
    for sample in range(len(ground)):
        rows = prepared["rows"][sample]
        np.testing.assert_allclose(entities[sample], rows[rows[:, SEEN] > 0].numpy(), atol=1e-6)
        used = prepared["atoms"][sample] < len(ATOMS)
        kinds = encoder.atom_kinds[prepared["atoms"][sample][used]]
        own = torch.cat([kinds, prepared["grounded"][sample][used]], dim=1)
        np.testing.assert_allclose(atoms[sample], own.numpy(), atol=1e-6)
    assert len({len(rows) for rows in entities}) > 2 < NUM_ENTITIES and len({len(rows) for rows in atoms}) > 2


def test_gradients_are_those_of_autograd(rollout):
    plain = {"minibatches": 1, "epochs": 1, "learning_rate": 0.0, "entropy_weight": 0.5, "max_gradient": 1e9}
    ours, theirs = learners_of(rollout, **plain)
    measures = ours.update(rollout[2]), theirs.update(rollout[2])
    assert measures[0] == pytest.approx(measures[1], rel=1e-4, abs=1e-5)
    assert_gradients_agree(ours, theirs, 2e-5, least=1e-5)


def test_updates_are_those_of_torch(rollout):
    ours, theirs = learners_of(rollout)
    before = ours.policy_weights()
    for _ in range(2):
        assert ours.update(rollout[2]) == pytest.approx(theirs.update(rollout[2]), rel=2e-3, abs=1e-4)
    for name, weights in ours.policy_weights().items():
        np.testing.assert_allclose(weights, theirs.policy_weights()[name], rtol=1e-3, atol=2e-4, err_msg=name)
        assert np.abs(weights - before[name]).max() > 1e-3, name
    assert ours.critic_scale() == pytest.approx(theirs.critic_scale())
    arrays, others = ours.state()[0], theirs.state()[0]
    assert {name: array.shape for name, array in arrays.items()} == {name: a.shape for name, a in others.items()}


def test_it_acts_as_torch_does(rollout):
    _, _, collected = rollout
    ours, theirs = learners_of(rollout)
    for learner in (ours, theirs):
        learner.update(collected)  # so that returns have a scale
    theirs.network.load_state_dict(ours.network.state_dict())
    seen = {name: array.flatten(0, 1) for name, array in collected.observations.items()}
    memory = torch.as_tensor(np.random.default_rng(4).normal(size=(len(seen["entities"]), collected.memory.shape[1])))
    acted = [learner.act(seen, memory.float()) for learner in (ours, theirs)]
    (actions, aux, after), (other_actions, other_aux, other_after) = acted
    assert torch.allclose(after, other_after, atol=1e-5)
    assert actions.dtype == other_actions.dtype and actions.shape == other_actions.shape
    alike = (actions == other_actions).all(dim=1)
    assert alike.float().mean() > 0.99
    for name, column in aux.items():
        assert torch.allclose(column[alike], other_aux[name][alike], rtol=1e-4, atol=1e-4), name


def test_a_learner_that_was_kept_goes_on_bit_for_bit(rollout):
    ours, again = (learners_of(rollout)[0] for _ in range(2))
    ours.update(rollout[2])
    again.restore(*deepcopy(ours.state()))
    for learner in (ours, again):
        learner.update(rollout[2])
    arrays, others = ours.state()[0], again.state()[0]
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())


def test_a_goal_may_have_no_literals(rollout):
    """Rows of players whose goals have no options: nothing of a goal is read."""
    _, _, collected = rollout
    ours, theirs = learners_of(rollout)
    seen = {name: array[0].clone() for name, array in collected.observations.items()}
    seen["goal_matrix"].zero_()
    memory = torch.zeros(len(seen["entities"]), collected.memory.shape[1])
    values = [learner.act(seen, memory)[1]["values"] for learner in (ours, theirs)]
    assert torch.allclose(*values, atol=1e-4)


def test_what_compiled_code_does_not_compute_is_left_to_torch(rollout):
    space, action_space, _ = rollout
    actions = actions_of(action_space)

    def twin(goal_attention=False, losses=()):
        network = AgentNetwork(named_space(space), actions.sizes, 8, 1, 0, goal_attention=goal_attention)
        made = AgentPolicyGradient(
            network, actions, SETTINGS, np.random.default_rng(0), auxiliary=[loss(network) for loss in losses]
        )
        return isinstance(twin_of(made), FastAgentPolicyGradient)

    assert twin()
    assert not twin(goal_attention=True)
    assert not twin(losses=[lambda network: AtomPredictor.of_network(network, 1.0)])
