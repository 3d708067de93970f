"""What is made of bits: the published source's network, and its masks."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic, goal_encoder, moves_that_leave
from procgen_bench.baselines.policies.tensors import tensors_of
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
