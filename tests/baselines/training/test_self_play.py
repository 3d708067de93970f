"""Self-play: proximal policy optimisation on the states of all players of many worlds, each a row."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.methods.ppo import PolicyGradient, PPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.training.contracts import Proposal, Teacher
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.envs.xland.players_vector_env import XLandPlayersVectorEnv
from tests.envs.xland.scenes import FLAT, player, simulate

TASK = simulate(
    FLAT,
    "black cube 0.6 m at 3.5 3.5 facing 0",
    player("blue", 1.5, 2.3),
    player("red", 5.5, 2.3),
    game="near(me,black cube)\nsee(me,opponent)",
).task


class OneTask(Teacher):
    """Proposes one task, and remembers to which rows."""

    def __init__(self):
        self.rows = []

    def propose(self, rows, step):
        self.rows.append(rows.tolist())
        return [Proposal(number, TASK, train=True) for number in range(len(rows))]


@pytest.mark.parametrize(
    ("worlds", "steps", "rollouts", "memory"), [(2, 4, 1, 0), pytest.param(8, 64, 4, 16, marks=pytest.mark.slow)]
)
def test_ppo_on_the_states_of_all_players(worlds, steps, rollouts, memory):
    """A world's players play one task; what a seated co-player does is not learned from."""
    teacher, configuration = OneTask(), PPOConfiguration(width=16, layers=1, minibatches=2, epochs=2, memory=memory)
    options = {"players": "all", "observation": "state", "co_players": [None, "noop"], "seats": 3, "num_threads": 2}
    rows = CurriculumVectorEnv("XLand-v0", worlds, teacher, seed=0, **options)
    assert isinstance(rows.env, XLandPlayersVectorEnv) and rows.num_rows == 3 * worlds
    actions = actions_of(rows.env.single_action_space)
    torch.manual_seed(0)
    network = ActorCritic(rows.env.single_observation_space, actions.sizes, 16, 1, memory, "")
    learner = PolicyGradient(network, actions, configuration, np.random.default_rng(0))
    collector = Collector(rows, learner, steps)
    before = learner.policy_weights()
    for _ in range(rollouts):
        rollout = collector.collect()
        measures = learner.update(rollout)
        assert all(np.isfinite(value) for value in measures.values())
    assert rollout.actions.shape == (steps, 3 * worlds, 6) and rollout.rewards.shape == (steps, 3 * worlds)
    assert rollout.observations["entities"].shape == (steps, 3 * worlds, 15, 25)
    assert rollout.train.reshape(-1, 3).all(axis=0).tolist() == [True, True, False]
    assert teacher.rows == [[3 * world for world in range(worlds)]]
    after = learner.policy_weights()
    assert any(not np.array_equal(before[name], after[name]) for name in before)
    assert rows.steps == rollouts * steps * 2 * worlds, "a seat that a co-player holds is not counted"
    rows.close()
