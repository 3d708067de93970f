"""What is made of bits: the published source's network, and its masks.

What is made of a picture and of cuboids of blocks: all of them are seen, every type as another.

What an agent that knows where it is makes of cuboids: the same, wherever the world is turned to.
"""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch.nn import functional

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.parts.block_encoders import TurnedBlocksEncoder
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic, goal_encoder, moves_that_leave
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.registrations import environment_type
from procgen_bench.tasks.bit_grid.task import MOVES

ROWS = 300


@pytest.fixture(scope="module")
def seen():
    """What agents see in 300 places of the grid."""
    rows = gymnasium.make_vec("BitGrid-v0", num_envs=ROWS, vectorization_mode="vector_entry_point")
    observations, _ = rows.reset(seed=0)
    yield rows, tensors_of(observations)
    rows.close()


def test_moves_that_would_leave_the_grid_are_masked_and_no_others(seen):
    rows, observations = seen
    torch.manual_seed(0)
    network = GoalActorCritic(rows.single_observation_space, rows.single_action_space)
    outputs = network.actor(observations)
    chances = torch.softmax(outputs, dim=1).detach().numpy()
    y, x = np.nonzero(observations["observation"][..., 1].numpy())[1:]
    arrives = np.stack([x, y], axis=1)[:, None] + MOVES
    leaves = ((arrives < 0) | (arrives > 12)).any(axis=2)
    assert 30 < leaves.any(axis=1).sum() < ROWS, "agents stand at the border and within"
    assert (chances[leaves] == 0).all() and (chances[~leaves] > 0.01).all()
    assert torch.equal(outputs[~leaves], network.actor.unmasked(observations)[~leaves])
    _, entropies = network.actions.evaluate(outputs, torch.full((ROWS,), 4))
    assert np.allclose(entropies.exp().detach(), (~leaves).sum(axis=1), rtol=0.1), "of what is left, nearly uniform"


def test_other_goals_have_no_masks():
    with gymnasium.make("SparsePointMaze-v0") as env:
        assert moves_that_leave(env.observation_space, 9) is None


@pytest.mark.parametrize("critic", [False, True])
def test_the_network_is_the_published_one(seen, critic):
    rows, observations = seen
    space = rows.single_observation_space
    encoder = goal_encoder(space, critic, beside=goal_encoder(space, anti_goal=False) if critic else None)
    shapes = [tuple(weight.shape) for weight in encoder.parameters() if weight.dim() > 1]
    channels = 4 if critic else 3
    assert shapes == [(32, channels, 3, 3), (32, 32, 3, 3), (32, 32, 3, 3), (64, 32, 3, 3), (64, 64)]
    anti_goals = {"anti_goal": observations["achieved_goal"]}
    places = []
    encoder.convolutions.register_forward_hook(lambda _, given, made: places.append(made))
    features = encoder(observations | anti_goals)
    (made,) = places
    assert made.shape == (ROWS, 64, 9, 9), "two of the four convolutions lose the border"
    pooled = made.mean(dim=(2, 3)) if critic else made.amax(dim=(2, 3))
    assert torch.allclose(encoder.dense(pooled), features, atol=1e-5)


def test_grids_too_small_for_it_are_refused():
    bits = spaces.Box(0, 1, (4, 4), np.float32)
    place = spaces.Box(0, 1, (4, 4, 2), np.float32)
    with pytest.raises(ValueError, match=r"no network for bits of shape \(4, 4\): sides below 5"):
        goal_encoder(spaces.Dict({"achieved_goal": bits, "desired_goal": bits, "observation": place}), anti_goal=False)


def test_critics_pool_by_the_mean_and_actors_by_the_maximum(seen):
    rows, _ = seen
    network = GoalActorCritic(rows.single_observation_space, rows.single_action_space)
    assert network.critic[0].pool_by_mean and not network.actor[0].pool_by_mean


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


SMALL = environment_type("VoxelBuildSmall-v0")
CUBOIDS = ("achieved_goal", "desired_goal", "anti_goal")


@pytest.fixture(scope="module")
def network_of_turned_blocks() -> GoalActorCritic:
    torch.manual_seed(0)
    return GoalActorCritic(SMALL.observation_space, SMALL.action_space, anti_goal=True)


@pytest.fixture(scope="module")
def seen_of_turned_blocks() -> dict[str, torch.Tensor]:
    """What 40 agents see after a while, and other cuboids as anti-goals."""
    rows = gymnasium.make_vec("VoxelBuildSmall-v0", num_envs=40, vectorization_mode="vector_entry_point")
    rows.reset(seed=0)
    rows.action_space.seed(0)
    for _ in range(60):
        shown = rows.step(rows.action_space.sample())[0]
    assert shown["achieved_goal"].any(axis=(1, 2, 3)).mean() > 0.2
    return tensors_of({**shown, "anti_goal": shown["achieved_goal"][::-1].copy()})


def made(network_of_turned_blocks: GoalActorCritic, seen_of_turned_blocks: dict[str, torch.Tensor]) -> np.ndarray:
    with torch.no_grad():
        return torch.cat(
            [
                network_of_turned_blocks.actor(seen_of_turned_blocks),
                network_of_turned_blocks.values(seen_of_turned_blocks)[:, None],
            ],
            dim=1,
        ).numpy()


def quarter_turned(seen_of_turned_blocks: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The world after a quarter turn to the right: x and y of a cell become 4 - y and x."""
    turned = {name: torch.rot90(seen_of_turned_blocks[name], -1, dims=(1, 2)) for name in CUBOIDS}
    x, y, z, heading, pitch = seen_of_turned_blocks["observation"].unbind(dim=1)
    return {**turned, "observation": torch.stack([4 - y, x, z, (heading + 1) % 4, pitch], dim=1)}


def test_a_turned_world_is_the_same_world(network_of_turned_blocks, seen_of_turned_blocks):
    first, world = made(network_of_turned_blocks, seen_of_turned_blocks), seen_of_turned_blocks
    for _ in range(3):
        world = quarter_turned(world)
        assert not torch.equal(world["observation"], seen_of_turned_blocks["observation"])
        assert np.allclose(made(network_of_turned_blocks, world), first, atol=1e-5)
    pose_alone = seen_of_turned_blocks | {"observation": quarter_turned(seen_of_turned_blocks)["observation"]}
    assert not np.allclose(made(network_of_turned_blocks, pose_alone), first, atol=1e-2)


def test_cells_lie_ahead_and_aside_as_they_should(network_of_turned_blocks):
    """From cell (4, 2): what is ahead to the east is nothing, and to the west the line y = 2."""
    encoder = network_of_turned_blocks.actor[0]
    assert isinstance(encoder, TurnedBlocksEncoder)
    poses = torch.tensor([[4, 2, 0, 3, 3], [4, 2, 0, 1, 3], [-5, 2, 0, 1, 3]], dtype=torch.int32)
    west, east, away = encoder.cells_around(poses).reshape(3, 5, 5).tolist()
    assert west[2] == [9 * (4 + ahead) + 4 for ahead in (4, 3, 2, 1, 0)]
    assert east[2] == [9 * (4 - behind) + 4 for behind in (4, 3, 2, 1, 0)]
    assert west[3][4] == 9 * 4 + 3 and east[3][4] == 9 * 4 + 5  # south is left of west, and right of east
    assert away == [[-1] * 5] * 5


@pytest.mark.parametrize("name", CUBOIDS)
@pytest.mark.parametrize("cell", [(0, 0, 0), (4, 1, 1), (2, 2, 2)])
def test_every_type_of_turned_block_is_seen_as_another(name, cell, network_of_turned_blocks):
    seen_of_turned_blocks = {name: torch.zeros(4, 5, 5, 3, dtype=torch.uint8) for name in CUBOIDS}
    seen_of_turned_blocks["observation"] = torch.tensor([[2, 3, 0, 1, 1]] * 4, dtype=torch.int8)
    seen_of_turned_blocks[name][:, *cell] = torch.arange(4, dtype=torch.uint8)
    found = made(network_of_turned_blocks, seen_of_turned_blocks)
    assert len(np.unique(found[:, -1])) == 4
    assert len(np.unique(found[:, :-1], axis=0)) == (1 if name == "anti_goal" else 4)


@pytest.mark.parametrize(("entry", "values"), [(2, (0, 1, 3)), (4, (0, 2, 6))])
def test_heights_and_pitches_are_seen(entry, values, network_of_turned_blocks):
    seen_of_turned_blocks = {name: torch.zeros(len(values), 5, 5, 3, dtype=torch.uint8) for name in CUBOIDS}
    poses = np.array([[2, 3, 0, 1, 1]] * len(values), np.int8)
    poses[:, entry] = values
    assert len(
        np.unique(
            made(network_of_turned_blocks, seen_of_turned_blocks | {"observation": torch.as_tensor(poses)}), axis=0
        )
    ) == len(values)


def test_the_first_layer_s_gradients_are_those_of_looked_up_rows(network_of_turned_blocks, seen_of_turned_blocks):
    encoder = network_of_turned_blocks.critic[0]
    encoder.zero_grad()
    encoder(seen_of_turned_blocks).square().sum().backward()
    found = encoder.table.grad.clone()
    encoder.zero_grad()
    blocks = torch.cat([seen_of_turned_blocks[name] for name in encoder.names], dim=3).flatten(1, 2).int()
    rows = encoder.rows(seen_of_turned_blocks["observation"].int(), blocks)
    padded = torch.cat([encoder.table, encoder.table.new_zeros(1, encoder.features)])
    encoder.dense(functional.embedding(rows, padded).sum(dim=1)).square().sum().backward()
    assert found.abs().max() > 0.01 and torch.allclose(found, encoder.table.grad, atol=1e-3)
