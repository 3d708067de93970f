"""What is made of a picture and of cuboids of blocks: all of them are seen, every type as another."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.core.registrations import environment_type

BLOCKS = environment_type("VoxelBuild-v0")


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    return GoalActorCritic(BLOCKS.observation_space, BLOCKS.action_space, anti_goal=True)


def empty():
    """A grey picture, and cuboids without a block."""
    seen = {name: torch.zeros(1, *leaf.shape, dtype=torch.uint8) for name, leaf in BLOCKS.observation_space.items()}
    return {**seen, "observation": seen["observation"] + 128, "anti_goal": seen["desired_goal"].clone()}


@pytest.mark.parametrize("name", ["achieved_goal", "desired_goal", "anti_goal"])
def test_every_type_of_block_is_seen_as_another(name, network):
    made, num_types = [], int(BLOCKS.observation_space["desired_goal"].high.max())
    for block in range(num_types + 1):
        seen = empty()
        seen[name][0, 5, 5, 0] = block
        with torch.no_grad():
            made.append(torch.cat([network.values(seen), network.actor(seen)[0]]).numpy())
    assert len(np.unique([float(of[0]) for of in made])) == num_types + 1
    assert len(np.unique([of[1:] for of in made], axis=0)) == (1 if name == "anti_goal" else num_types + 1)


def test_brightness_is_seen_as_a_share(network):
    rng = np.random.default_rng(0)
    seen = empty() | {
        "observation": torch.as_tensor(rng.integers(256, size=(1, *BLOCKS.observation_space["observation"].shape)))
    }
    encoder = network.actor[0]
    with torch.no_grad():
        expected = encoder.picture(seen["observation"].permute(0, 3, 1, 2) / 255)
        assert torch.equal(encoder.encode(seen), expected) and expected.any()


def test_actor_and_critic_share_the_pictures_network_and_no_other(network):
    actor, critic = network.actor[0], network.critic[0]
    assert critic.picture is actor.picture
    assert critic.cuboids[0].weight is not actor.cuboids[0].weight
    seen = empty()
    with torch.no_grad():
        outputs, values = network(seen)
        assert torch.equal(outputs, network.actor(seen)) and torch.equal(values, network.values(seen))
