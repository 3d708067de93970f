"""What an agent that knows where it is makes of cuboids: the same, wherever the world is turned to."""

import gymnasium
import numpy as np
import pytest
import torch
from torch.nn import functional

from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.turned_blocks import TurnedBlocksEncoder
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.registrations import environment_type

SMALL = environment_type("VoxelBuildSmall-v0")
CUBOIDS = ("achieved_goal", "desired_goal", "anti_goal")


@pytest.fixture(scope="module")
def network() -> GoalActorCritic:
    torch.manual_seed(0)
    return GoalActorCritic(SMALL.observation_space, SMALL.action_space, anti_goal=True)


@pytest.fixture(scope="module")
def seen() -> dict[str, torch.Tensor]:
    """What 40 agents see after a while, and other cuboids as anti-goals."""
    rows = gymnasium.make_vec("VoxelBuildSmall-v0", num_envs=40, vectorization_mode="vector_entry_point")
    rows.reset(seed=0)
    rows.action_space.seed(0)
    for _ in range(60):
        shown = rows.step(rows.action_space.sample())[0]
    assert shown["achieved_goal"].any(axis=(1, 2, 3)).mean() > 0.2
    return tensors_of({**shown, "anti_goal": shown["achieved_goal"][::-1].copy()})


def made(network: GoalActorCritic, seen: dict[str, torch.Tensor]) -> np.ndarray:
    with torch.no_grad():
        return torch.cat([network.actor(seen), network.values(seen)[:, None]], dim=1).numpy()


def quarter_turned(seen: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The world after a quarter turn to the right: x and y of a cell become 4 - y and x."""
    turned = {name: torch.rot90(seen[name], -1, dims=(1, 2)) for name in CUBOIDS}
    x, y, z, heading, pitch = seen["observation"].unbind(dim=1)
    return {**turned, "observation": torch.stack([4 - y, x, z, (heading + 1) % 4, pitch], dim=1)}


def test_a_turned_world_is_the_same_world(network, seen):
    first, world = made(network, seen), seen
    for _ in range(3):
        world = quarter_turned(world)
        assert not torch.equal(world["observation"], seen["observation"])
        assert np.allclose(made(network, world), first, atol=1e-5)
    pose_alone = seen | {"observation": quarter_turned(seen)["observation"]}
    assert not np.allclose(made(network, pose_alone), first, atol=1e-2)


def test_cells_lie_ahead_and_aside_as_they_should(network):
    """From cell (4, 2): what is ahead to the east is nothing, and to the west the line y = 2."""
    encoder = network.actor[0]
    assert isinstance(encoder, TurnedBlocksEncoder)
    poses = torch.tensor([[4, 2, 0, 3, 3], [4, 2, 0, 1, 3], [-5, 2, 0, 1, 3]], dtype=torch.int32)
    west, east, away = encoder.cells_around(poses).reshape(3, 5, 5).tolist()
    assert west[2] == [9 * (4 + ahead) + 4 for ahead in (4, 3, 2, 1, 0)]
    assert east[2] == [9 * (4 - behind) + 4 for behind in (4, 3, 2, 1, 0)]
    assert west[3][4] == 9 * 4 + 3 and east[3][4] == 9 * 4 + 5  # south is left of west, and right of east
    assert away == [[-1] * 5] * 5


@pytest.mark.parametrize("name", CUBOIDS)
@pytest.mark.parametrize("cell", [(0, 0, 0), (4, 1, 1), (2, 2, 2)])
def test_every_type_of_block_is_seen_as_another(name, cell, network):
    seen = {name: torch.zeros(4, 5, 5, 3, dtype=torch.uint8) for name in CUBOIDS}
    seen["observation"] = torch.tensor([[2, 3, 0, 1, 1]] * 4, dtype=torch.int8)
    seen[name][:, *cell] = torch.arange(4, dtype=torch.uint8)
    found = made(network, seen)
    assert len(np.unique(found[:, -1])) == 4
    assert len(np.unique(found[:, :-1], axis=0)) == (1 if name == "anti_goal" else 4)


@pytest.mark.parametrize(("entry", "values"), [(2, (0, 1, 3)), (4, (0, 2, 6))])
def test_heights_and_pitches_are_seen(entry, values, network):
    seen = {name: torch.zeros(len(values), 5, 5, 3, dtype=torch.uint8) for name in CUBOIDS}
    poses = np.array([[2, 3, 0, 1, 1]] * len(values), np.int8)
    poses[:, entry] = values
    assert len(np.unique(made(network, seen | {"observation": torch.as_tensor(poses)}), axis=0)) == len(values)


def test_the_first_layer_s_gradients_are_those_of_looked_up_rows(network, seen):
    encoder = network.critic[0]
    encoder.zero_grad()
    encoder(seen).square().sum().backward()
    found = encoder.table.grad.clone()
    encoder.zero_grad()
    blocks = torch.cat([seen[name] for name in encoder.names], dim=3).flatten(1, 2).int()
    rows = encoder.rows(seen["observation"].int(), blocks)
    padded = torch.cat([encoder.table, encoder.table.new_zeros(1, encoder.features)])
    encoder.dense(functional.embedding(rows, padded).sum(dim=1)).square().sum().backward()
    assert found.abs().max() > 0.01 and torch.allclose(found, encoder.table.grad, atol=1e-3)
