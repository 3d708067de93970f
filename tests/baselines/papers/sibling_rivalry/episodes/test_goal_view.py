"""Families whose tasks are seen as goals: where places and distances come from, and what networks see of them."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.sibling_rivalry.goal_view import farthest_block, goal_view, steps_between
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import EpisodeRows
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic, PartsEncoder
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.envs.grid_world import GridWorldEnv
from procgen_bench.tasks.grid_world.task import ABSENT, DOOR_1, GOAL, GridWorldTask
from procgen_bench.tasks.programs import goal_reached
from tests.baselines.papers.sibling_rivalry.episodes.random_play import Fresh, collector_of

GRID = "grid-world/graded"


@pytest.fixture(scope="module")
def collected():
    """Random episodes of 40 worlds, and their tasks."""
    collector = collector_of(GRID, count=40)
    tasks = collector.rows.env.tasks
    yield collector.collect(), tasks
    collector.rows.close()


def test_the_goals_of_a_grid_are_places_on_its_map(collected):
    episodes, tasks = collected
    assert np.array_equal(episodes.goals, [task.objects[GOAL] for task in tasks])
    played = episodes.played
    assert np.array_equal(episodes.observations["desired_goal"][played], episodes.goals[np.nonzero(played)[1]])
    assert np.array_equal(episodes.observations["achieved_goal"], episodes.observations["position"])
    assert not episodes.observations["desired_goal"][~played].any()
    distances = steps_between(episodes.ends, episodes.goals)
    assert np.array_equal(distances == 0, episodes.successes)
    assert episodes.successes.any() and not episodes.successes.all()


@pytest.mark.parametrize("place", [(ABSENT, ABSENT), (1, 1)])
def test_no_goal_and_a_goal_under_the_agent_are_never_reached(place):
    objects = np.full((5, 2), ABSENT, np.int8)
    objects[GOAL], objects[DOOR_1] = place, (3, 3)
    task = GridWorldTask(np.zeros((8, 8), np.int8), objects)

    class Given(Fresh):
        def propose(self, rows, step):
            proposals = super().propose(rows, step)
            return [type(one)(one.level, task, train=True) for one in proposals]

    benchmark = get_benchmark(GRID)
    rows = EpisodeRows("GridWorld-v0", 2, Given(benchmark), 3, 1)
    rows.begin()
    seen = {name: array[np.newaxis].copy() for name, array in rows.observations.items()}
    _, finals = rows.view.add(tensors_of(seen), {name: array[0] for name, array in seen.items()})
    assert np.array_equal(finals["desired_goal"], np.zeros((2, 2)))
    assert (rows.view.distance(finals["achieved_goal"], finals["desired_goal"]) > rows.view.threshold).all()
    rows.close()


def test_the_farthest_block_decides_the_distance_as_it_decides_success():
    rng = np.random.default_rng(0)
    desired = rng.uniform(0, 1, (3, 200, 12))
    achieved = desired + rng.normal(0, 0.02, desired.shape)
    distances = farthest_block(achieved, desired)
    assert distances.shape == (3, 200)
    assert np.array_equal(distances <= 0.05, goal_reached(achieved, desired))
    assert 0 < goal_reached(achieved, desired).mean() < 1
    moved = desired.copy()
    moved[..., 3:6] += (0.3, 0, 0.4)
    assert farthest_block(moved, desired) == pytest.approx(np.full((3, 200), 0.5))


def test_the_critic_alone_sees_the_anti_goal_of_a_grid():
    view = goal_view("GridWorld-v0", None)
    space = view.space(GridWorldEnv.observation_space)
    torch.manual_seed(0)
    network = GoalActorCritic(space, GridWorldEnv.action_space, anti_goal=True)
    seen = {name: torch.as_tensor(leaf.sample())[None].round() for name, leaf in space.items()}
    values = {}
    for place in ((1.0, 1.0), (8.0, 2.0)):
        conditioned = seen | {"anti_goal": torch.tensor([place])}
        values[place] = network.values(conditioned)
        assert torch.equal(network.actor(conditioned), network.actor(seen))
    assert len(set(values.values())) == 2
    elsewhere = seen | {"achieved_goal": seen["achieved_goal"] + 1, "desired_goal": seen["desired_goal"] + 1}
    assert torch.equal(network.actor(elsewhere), network.actor(seen)), "objects tell where the goal is"


def test_goals_without_bounds_are_normalised_by_what_was_learned_from():
    leaf = spaces.Box(-np.inf, np.inf, (3,), np.float64)
    space = spaces.Dict(dict.fromkeys(("achieved_goal", "desired_goal", "observation"), leaf))
    network = GoalActorCritic(space, spaces.Box(-1, 1, (2,)), anti_goal=True)
    actor, critic = network.actor[0], network.critic[0]
    assert isinstance(critic, PartsEncoder) and critic.names == ("observation", "desired_goal", "anti_goal")
    rng = np.random.default_rng(0)
    seen = {name: torch.as_tensor(rng.normal(5, 0.1, (500, 3)), dtype=torch.float32) for name in critic.names}
    network.count(seen)
    for encoder in (actor, critic):
        features, _ = encoder.parts({name: seen[name] for name in encoder.names})
        assert features.mean(dim=0).abs().max() < 1e-3 and (features.std(dim=0) - 1).abs().max() < 0.01
