"""What networks make of TablePush's observations: places and heights are numbers, none of which is lost."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.apt_gen.task_discriminator import StateScore
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.observation_parts import Categories, Part, ScaledReals, part_for
from procgen_bench.baselines.parts.space_features import SpaceFeatures
from procgen_bench.baselines.policies.tensors import array_leaves, tensors_of
from procgen_bench.tasks.table_push.table import PIT_HEIGHT, ROADBLOCK_HEIGHT

pytest.importorskip("pybullet")
from procgen_bench.envs.table_push import TablePushEnv

SPACE, ACTIONS = TablePushEnv.observation_space, TablePushEnv.action_space
#: By place in a batch: pit, flat and roadblock; two places a push apart, and no place.
SEEN = {
    "goal": [(0.0, 0.0), (0.15, 0.3), (0.9, 0.6)],
    "landscape": [np.full((3, 4), height) for height in (PIT_HEIGHT, 0.0, ROADBLOCK_HEIGHT)],
    "objects": [np.full((3, 2), place) for place in (0.075, 0.225, -1.0)],
}


def batch() -> dict[str, torch.Tensor]:
    return tensors_of({name: np.array(values, np.float32) for name, values in SEEN.items()})


def student():
    return SpaceFeatures(SPACE, otherwise=ModalityEncoder)


def discriminator():
    return StateScore(SPACE)


def ppo():
    return ActorCritic(SPACE, [12], width=32, layers=2, memory=0)


def test_heights_and_places_are_scaled_numbers_well_apart():
    parts = {name: part_for(leaf) for name, leaf in array_leaves(SPACE).items()}
    assert all(type(part) is ScaledReals for part in parts.values())
    read = {name: part(batch()[name]) for name, part in parts.items()}
    assert {name: part.features for name, part in parts.items()} == {"goal": 2, "landscape": 12, "objects": 6}
    assert torch.allclose(read["landscape"], torch.tensor([[-1.0], [0.2], [1.0]]).expand(3, 12))
    here, pushed, absent = read["objects"][:, 0].tolist()
    assert pushed - here > 0.1 and here - absent > 0.7 and absent == -1


@pytest.mark.parametrize("network", [student, discriminator, ppo])
def test_every_network_reads_them_so(network):
    parts = [module for module in network().modules() if isinstance(module, Part)]
    assert len([part for part in parts if type(part) is ScaledReals]) >= 3
    assert not [part for part in parts if isinstance(part, Categories)]


@pytest.mark.parametrize("network", [student, ppo])
def test_every_number_counts(network):
    observations = {name: values.requires_grad_() for name, values in batch().items()}
    out = network()(observations) if network is student else network()(observations, torch.zeros(3, 0))[1]
    gradients = torch.autograd.grad(out.sum(), list(observations.values()))
    assert sum(gradient[0].numel() for gradient in gradients) == 20
    assert all((gradient.abs().amax(dim=0) > 1e-6).all() for gradient in gradients)


def test_apt_gen_learns_from_them():
    """From episodes of random pushes; categories would not do."""
    from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
    from procgen_bench.baselines.training.teacher_table import get_teacher
    from tests.baselines.curricula.students import levels_of

    options, rng = "warm_up=1,iterations=1,batch=4,steps=2", np.random.default_rng(0)
    teacher = get_teacher("apt-gen").make(options, levels_of("table-push/target-a", True), rng)
    teacher.setup(SPACE, ACTIONS)
    env, episodes, proposals = TablePushEnv(), [], teacher.propose(np.arange(4), 0)
    for proposal in proposals:
        seen, actions, rewards, terminated = [env.reset(options={"task": proposal.task})[0]], [], [], False
        while not terminated and len(actions) < 3:
            actions.append(int(rng.integers(12)))
            observation, reward, terminated, *_ = env.step(actions[-1])
            seen.append(observation)
            rewards.append(reward)
        stacked = {name: np.stack([one[name] for one in seen]) for name in SPACE}
        episodes.append(EpisodeSteps(stacked, np.array(actions), np.array(rewards, np.float32)))
    env.close()
    numbers, zeros = np.array([proposal.level for proposal in proposals]), np.zeros(4, np.float32)
    lengths, returns = (np.array(list(map(measure, episodes))) for measure in (len, lambda e: e.rewards.sum()))
    played = FinishedEpisodes(
        numbers, zeros, zeros == 0, returns, returns >= 1, lengths, zeros, zeros, zeros, tuple(episodes)
    )
    teacher.observe(played)
    measures = teacher.learn(None)
    assert measures["discriminator_loss"] > 0 and all(map(np.isfinite, measures.values()))
    assert all(len(proposal.task.objects) == 3 for proposal in teacher.propose(np.arange(4), 0))
