"""The learner against a world that knows its answer, and copies of it that lack one of its parts."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts.block_learner import Phase, own_block_reached
from procgen_bench.tasks.programs import goal_reached
from tests.baselines.parts.blocks.tiny_blocks import BLOCKS, achieved_goals, play, taught, tiny_learner

#: Share of goals that are met at the end: by whom it has learned, and, at most, by whom it has not.
SOLVED, UNSOLVED = 0.9, 0.5


def ending_at_goals(learner):
    """Goals end episodes: what reaches one terminates, and nothing begins in one."""
    sample = learner.replay.sample

    def ending(count):
        batch = sample(3 * count)
        before, goals = (batch.observations[name].numpy() for name in ("observation", "desired_goal"))
        kept = torch.as_tensor(np.flatnonzero(~goal_reached(achieved_goals(before), goals))[:count])
        seen, following = (
            {name: array[kept] for name, array in part.items()}
            for part in (batch.observations, batch.next_observations)
        )
        rewards = batch.rewards[kept]
        parts = {"actions": batch.actions[kept], "rewards": rewards, "terminations": rewards.clone()}
        return replace(batch, observations=seen, next_observations=following, **parts)

    learner.replay.sample = ending
    return learner


def clipped_for_other_rewards(learner):
    """Targets are clipped to what rewards of 1 and 0 add up to."""
    learner.settings = replace(learner.settings, target_clip=(0.0, 1 / (1 - learner.settings.discount)))
    return learner


def unnormalised(learner):
    for network in learner.networks.values():
        network.see = lambda observations: None
    return learner


def test_it_learns_to_stay_at_goals():
    assert taught(tiny_learner()) > SOLVED


def test_without_hindsight_it_does_not():
    assert taught(tiny_learner(relabelled=0)) < UNSOLVED


def test_programs_may_be_learned_with_a_smaller_tolerance():
    learner = tiny_learner(program_tolerance=0.01)
    desired = np.zeros((3, 3 * BLOCKS), np.float32)
    desired[:, 3] = 0.009, 0.011, 0.051
    reached = {}
    for phase in (Phase.ALL_BLOCKS, Phase.PROGRAMS):
        learner._follow(phase)
        reached[phase] = learner.replay.reached(np.zeros_like(desired), desired).tolist()
    assert reached == {Phase.ALL_BLOCKS: [True, True, False], Phase.PROGRAMS: [True, False, False]}


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", [ending_at_goals, clipped_for_other_rewards, unnormalised])
def test_without_one_of_its_parts_it_does_not(sabotage):
    assert taught(sabotage(tiny_learner())) < UNSOLVED


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"strategy": "final"}, {}])
def test_it_learns_with_either_strategy_and_another_seed(options):
    assert taught(tiny_learner(seed=1, **options)) > SOLVED


def test_phases_set_reward_exploration_and_sight():
    learner = tiny_learner(reward="own")
    before = learner.replay.reached, learner.noise, learner.epsilon, learner.actor.grown
    assert before == (own_block_reached, 0.2, 0.3, False)
    learner._follow(Phase.ALL_BLOCKS)
    assert (learner.replay.reached, learner.noise, learner.epsilon) == (goal_reached, 0.2, 0.3)
    assert all(network.grown for network in (*learner.networks.values(), *learner.target_networks.values()))
    learner._follow(Phase.PROGRAMS)
    assert (learner.noise, learner.epsilon) == (0.15, 0.2)
    all_blocks = tiny_learner(reward="all")
    all_blocks._follow(Phase.OWN_BLOCK)
    assert all_blocks.replay.reached is goal_reached and not all_blocks.actor.grown


def test_greedy_rows_act_without_noise():
    learner = tiny_learner(greedy_rows=5, noise=0.5, epsilon=0.0)
    play(learner, np.random.default_rng(0))
    actions, states = learner.replay.actions[:16, 0], learner.replay.states[:16, 0]
    seen = {"observation": torch.as_tensor(states), "desired_goal": torch.as_tensor(learner.replay.goals[:16])}
    fresh = tiny_learner(greedy_rows=5)
    with torch.no_grad():
        best = fresh.actor(seen).numpy()  # before anything was seen, as when these were played
    assert np.abs(actions - best)[:5].max() < 1e-6 < 0.05 < np.abs(actions - best)[5:].max(axis=1).min()
