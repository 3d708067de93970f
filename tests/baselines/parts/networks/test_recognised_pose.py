"""Blocks around an agent that tells its pose from a picture."""

import pytest
import torch

from procgen_bench.baselines.parts.block_encoders import RecognisedPoseEncoder
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.envs.voxel_build import VoxelBuildEnv, VoxelBuildVectorEnv


@pytest.fixture(scope="module")
def network() -> GoalActorCritic:
    torch.manual_seed(0)
    env = VoxelBuildEnv(observation="picture+pose")
    return GoalActorCritic(env.observation_space, env.action_space, anti_goal=True, recognises=True)


@pytest.fixture(scope="module")
def seen() -> dict[str, torch.Tensor]:
    """What 60 agents see after a while, with cuboids of others as anti-goals."""
    rows = VoxelBuildVectorEnv(60, observation="picture+pose")
    rows.reset(seed=0)
    rows.action_space.seed(0)
    for _ in range(20):
        shown = rows.step(rows.action_space.sample())[0]
    return tensors_of({**shown, "anti_goal": shown["achieved_goal"][::-1].copy()})


def sure_of(encoder: RecognisedPoseEncoder, poses: torch.Tensor) -> torch.Tensor:
    """Logits (n, k) that leave no doubt of poses (n, 5)."""
    numbers = (poses - encoder.lowest).long()
    return torch.cat([torch.eye(size)[numbers[:, place]] for place, size in enumerate(encoder.sizes)], dim=1) * 50


def test_a_pose_that_is_recognised_is_as_good_as_one_that_is_observed(network, seen, monkeypatch):
    encoder = network.actor[0]
    with torch.no_grad():
        expected = encoder.blocks(seen | {"observation": seen["pose"]})
        assert torch.equal(encoder(seen | {"recognised": seen["pose"]}), expected)
        assert not torch.equal(encoder(seen), expected)  # it has not learned anything
    monkeypatch.setattr(encoder, "encode", lambda observations: sure_of(encoder, seen["pose"]))
    assert torch.equal(encoder.recognise(seen), seen["pose"])
    loss, right = encoder.loss(seen)
    assert float(loss) < 1e-6 and right == 1
    other = seen["pose"].clone()
    other[0, 3] = (other[0, 3] + 1) % 4
    loss, right = encoder.loss(seen | {"pose": other})
    assert right == pytest.approx(1 - 1 / 60) and float(loss) == pytest.approx(50 / 60, rel=1e-4)


def test_brightness_is_seen_as_a_share_around_nothing(network, seen):
    encoder = network.actor[0]
    first = encoder.reader[0][0]
    pictures = seen["observation"].permute(0, 3, 1, 2).float()
    with torch.no_grad():
        expected = torch.nn.functional.conv2d(pictures / 255 - 0.5, first.weight, first.bias, first.stride)
        assert torch.allclose(first(pictures), expected, atol=1e-4)


def test_actor_and_critic_share_what_tells_the_pose_and_what_is_known_changes_nothing(network, seen):
    actor, critic = network.actor[0], network.critic[0]
    assert critic.reader is actor.reader and critic.blocks.table is not actor.blocks.table
    with torch.no_grad():
        outputs, values = network(network.recognised(seen))
        assert torch.equal(outputs, network.actor(seen)) and torch.equal(values, network.values(seen))
        elsewhere = seen | {"pose": torch.zeros_like(seen["pose"])}
        assert torch.equal(network.actor(elsewhere), outputs)


def test_an_update_goes_by_the_poses_that_actions_were_drawn_by(network, seen):
    kept = network.recognised(seen)
    with torch.no_grad():
        before, weight = network.actor(kept), network.actor[0].reader[-1].weight
        weight.neg_()
        assert torch.equal(network.actor(kept), before) and not torch.equal(network.actor(seen), before)
        weight.neg_()


def test_it_learns_where_it_is(network, seen):
    optimizer, losses = torch.optim.Adam(network.actor[0].reader.parameters(), 1e-3), []
    for _ in range(60):
        loss, _ = network.recognition_loss(seen)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 2
    assert all(parameter.grad is None for parameter in network.actor[0].blocks.parameters())
