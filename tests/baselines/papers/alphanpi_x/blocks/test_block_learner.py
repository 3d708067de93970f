"""The learner against a world that knows its answer, and copies of it that lack one of its parts."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.block_learner import Phase, block_rewards, own_block_rewards
from procgen_bench.tasks.programs import goal_reached
from procgen_bench.tasks.programs.states import GRIPPER_SIZE
from tests.baselines.papers.alphanpi_x.blocks.tiny_blocks import (
    BLOCKS,
    HORIZON,
    achieved_goals,
    play,
    taught,
    tiny_learner,
)

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


def state_of(place, hand_at):
    """A state (40,) of two blocks, the first at x = ``place`` and the hand so far above it."""
    state = np.zeros(15 * BLOCKS + GRIPPER_SIZE)
    state[0], state[8] = place, -hand_at
    return state


#: Rewards, the learner's offset added: where the block is within 3 cm of its goal or not, and the hand at it or not.
_CASES = ((0.02, 0.0, -0.4), (0.02, 0.039, -0.4), (0.02, 0.041, 0.0), (0.04, 0.0, -1.0), (0.04, 0.1, -1.0))


def test_programs_are_rewarded_in_place_and_more_once_the_hand_is_off():
    learner = tiny_learner(program_tolerance=0.03, let_go=0.4)
    states, goals = np.array([state_of(place, hand) for place, hand, _ in _CASES]), np.zeros((len(_CASES), 3 * BLOCKS))
    learner._follow(Phase.PROGRAMS)
    offset = learner.settings.reward_offset
    assert learner.replay.rewards(states, goals) + offset == pytest.approx([reward for *_, reward in _CASES])
    learner._follow(Phase.ALL_BLOCKS)
    assert learner.replay.rewards(states, goals).tolist() == [1] * 5, "goals are within 5 cm, held or not"
    papers = tiny_learner(program_tolerance=0.03, let_go=0.0)
    papers._follow(Phase.PROGRAMS)
    assert papers.replay.rewards(states, goals).tolist() == [1, 1, 1, 0, 0]


def test_relabelled_calls_are_rewarded_by_where_the_hand_is_then():
    learner = tiny_learner(let_go=0.4, strategy="final")
    learner._follow(Phase.PROGRAMS)
    hands = np.linspace(0, 0.1, HORIZON + 1)
    states = np.array([state_of(0.5, hand) for hand in hands])
    learner.replay.add(states, np.zeros((HORIZON, 4)), np.full(3 * BLOCKS, 9.0))
    batch = learner.replay.sample(400)
    relabelled = batch.observations["desired_goal"][:, 0].numpy() < 1
    hand_at = -batch.next_observations["observation"][:, 8].numpy()
    assert batch.rewards[:, 0].numpy()[relabelled] == pytest.approx(np.where(hand_at > 0.04, 1, 0.6)[relabelled])
    assert set(np.round(batch.rewards[relabelled, 0].tolist(), 3)) == {0.6, 1.0}
    assert not batch.rewards[~relabelled].any(), "as played the goal is never reached"


def test_it_costs_to_act_otherwise_than_at_first_where_the_block_is_not_in_place():
    learner = tiny_learner(program_tolerance=0.03, begin_from="trained", stay_near=2.0)
    seen = {
        "observation": torch.as_tensor(np.array([state_of(place, 0.0) for place in (0.02, 0.04)])).float(),
        "desired_goal": torch.zeros(2, 3 * BLOCKS),
    }
    assert learner.further_actor_loss(seen, torch.zeros(2, 4)) == 0, "it has not begun from anything"
    learner.after_beginning()
    at_first = learner.actor(seen).detach()
    assert learner.further_actor_loss(seen, at_first) == 0
    for moved, cost in ((0, 0.0), (1, 2.0 * 0.25 / 2)):
        chosen = at_first.clone()
        chosen[moved] += 0.5
        assert learner.further_actor_loss(seen, chosen).item() == pytest.approx(cost)
    with torch.no_grad():
        learner.actor.first.bias += 1.0
    assert learner.further_actor_loss(seen, at_first) == 0, "what it was at first stays"


def taught_to_let_go(sabotage=None, let_go=0.4):
    """The share of held blocks, all in their places, that are let go after learning."""
    learner = tiny_learner(seed=1, phase=Phase.PROGRAMS, let_go=let_go, action_l2=0.5)
    if sabotage is not None:
        rewards = learner.replay.rewards
        learner.replay.rewards = lambda states, goals: sabotage(rewards, states, goals)
    return taught(learner, cycles=14, lets_go=True)


def of_the_state_before(rewards, states, goals):
    """As if the hand were where the call began, at the block."""
    held = states.copy()
    held[:, 6:9] = 0
    return rewards(held, goals)


def test_it_learns_to_let_go():
    assert taught_to_let_go() > SOLVED


def test_it_does_not_where_that_does_not_pay():
    assert taught_to_let_go(of_the_state_before) < UNSOLVED


@pytest.mark.slow
def test_it_does_not_under_the_papers_reward():
    assert taught_to_let_go(let_go=0.0) < UNSOLVED


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
    before = learner.replay.rewards, learner.noise, learner.epsilon, learner.actor.grown
    assert before == (own_block_rewards, 0.2, 0.3, False)
    learner._follow(Phase.ALL_BLOCKS)
    assert (learner.replay.rewards, learner.noise, learner.epsilon) == (block_rewards, 0.2, 0.3)
    assert all(network.grown for network in (*learner.networks.values(), *learner.target_networks.values()))
    learner._follow(Phase.PROGRAMS)
    assert (learner.noise, learner.epsilon) == (0.15, 0.2)
    all_blocks = tiny_learner(reward="all")
    all_blocks._follow(Phase.OWN_BLOCK)
    assert all_blocks.replay.rewards is block_rewards and not all_blocks.actor.grown


def test_greedy_rows_act_without_noise():
    learner = tiny_learner(greedy_rows=5, noise=0.5, epsilon=0.0)
    play(learner, np.random.default_rng(0))
    actions, states = learner.replay.actions[:16, 0], learner.replay.states[:16, 0]
    seen = {"observation": torch.as_tensor(states), "desired_goal": torch.as_tensor(learner.replay.goals[:16])}
    fresh = tiny_learner(greedy_rows=5)
    with torch.no_grad():
        best = fresh.actor(seen).numpy()  # before anything was seen, as when these were played
    assert np.abs(actions - best)[:5].max() < 1e-6 < 0.05 < np.abs(actions - best)[5:].max(axis=1).min()


def test_the_tolerance_shrinks_as_the_learning_rate_declines():
    """Over the second half of 1,000 steps, from 3 cm to 1.5 cm: what is rewarded 2 cm from its place."""
    learner = tiny_learner(phase=Phase.PROGRAMS, program_tolerance=0.03, last_tolerance=0.015, decline=0.5)
    state, found = np.zeros((1, 15 * BLOCKS + GRIPPER_SIZE)), []
    goal = np.zeros((1, 3 * BLOCKS))
    goal[0, 0] = 0.02
    for learner.steps in (0, 500, 820, 850, 1_000):
        learner._follow(Phase.PROGRAMS)
        found.append(float(learner.replay.rewards(state, goal)[0]) > 0)
    assert found == [True, True, True, False, False]
