"""Self-play: proximal policy optimisation on the states of all players of many worlds, each a row."""

import contextlib
from typing import ClassVar

import numpy as np
import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentPolicy
from procgen_bench.baselines.papers.open_ended.agents import rows_options
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic, ActorPolicy
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import SHIPPED, PolicyFolder
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.run import make_rows
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.players_vector_env import XLandPlayersVectorEnv
from tests.envs.xland.scenes import FLAT, player, simulate

train = METHODS["ppo"].train

TASK = simulate(
    FLAT,
    "black cube 0.6 m at 3.5 3.5 facing 0",
    player("blue", 1.5, 2.3),
    player("red", 5.5, 2.3),
    game="near(me,black cube)\nsee(me,opponent)",
).task


#: Where player 1 is rewarded all the time, and player 2 never is.
MET = simulate(
    FLAT,
    "black cube 0.6 m at 6.5 6.5 facing 0",
    player("blue", 1.5, 2.3),
    player("red", 5.5, 2.3),
    game="on(black cube,brown floor)\n~on(black cube,brown floor)",
).task


class OneTask(Teacher):
    """Proposes one task, and remembers to which rows."""

    def __init__(self):
        self.rows = []

    def propose(self, rows, step):
        self.rows.append(rows.tolist())
        return [Proposal(number, TASK, train=True) for number in range(len(rows))]


class SeatsNoted(Teacher):
    """Proposes a task that pays the first player at every step, and the other never; remembers returns by seat."""

    returns: ClassVar[list[tuple[int, float]]] = []

    def propose(self, rows, step):
        return [Proposal(self.next_number(), MET) for _ in rows]

    def observe(self, played):
        self.returns.extend(zip(played.seat.tolist(), played.return_.tolist()))


class AllSeatsNoted(SeatsNoted):
    observes_all_seats = True


@pytest.mark.parametrize("kind", [SeatsNoted, AllSeatsNoted])
def test_a_teacher_observes_the_first_seat_unless_it_judges_all(kind, tmp_path):
    SeatsNoted.returns.clear()
    small = {"num_envs": 2, "rollout_steps": 40, "width": 8, "evaluation_tasks": 1, "evaluation_episodes": 1}
    configuration = AgentPPOConfiguration(**small, teacher=f"{__name__}:{kind.__name__}", co_players="learner")
    # With this seed both worlds' first episodes are cut within 40 steps.
    train(get_benchmark("xland/small"), configuration, 8, 160, tmp_path)
    assert [seat for seat, _ in SeatsNoted.returns] == ([0, 1, 0, 1] if kind.observes_all_seats else [0, 0])
    assert all((return_ > 0) == (seat == 0) for seat, return_ in SeatsNoted.returns), "each goal pays its own seat"


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


def earlier_policy(folder, **view):
    """The folder of a policy that has learned nothing."""
    sizes = {"width": 8, "layers": 1, "memory": 4, "network": "", "action_repeat": 1} | view
    policy = AgentPolicy("XLandSmall-v0", True, **sizes)
    description = {"stochastic": True} | sizes
    PolicyFolder("ppo", "XLandSmall-v0", description, network_arrays(policy.network)).write(folder)


def test_policies_of_folders_take_seats_where_there_are_any(tmp_path, monkeypatch):
    earlier_policy(tmp_path / "earlier")
    asked = []
    act = ActorPolicy.act
    monkeypatch.setattr(ActorPolicy, "act", lambda self, *seen: asked.append(len(seen[1])) or act(self, *seen))
    settings = {"num_envs": 2, "rollout_steps": 4, "minibatches": 1, "evaluation_tasks": 1, "evaluation_episodes": 1}
    configuration = AgentPPOConfiguration(**settings, co_players=str(tmp_path / "earlier"))
    train(get_benchmark("xland/small"), configuration, 0, 32, tmp_path / "run")
    evaluations = [rows for rows in asked if rows == 1]
    assert len(evaluations) >= 16, "the co-player acts in each of two worlds at every step"
    with pytest.raises(InvalidPolicyError, match="plays 'XLandSmall-v0', expected one that plays 'XLand-v0'"):
        train(get_benchmark("xland/hand-authored"), configuration, 0, 32, tmp_path / "grid")
    assert not (tmp_path / "grid").exists()


def test_the_policy_that_comes_with_the_package_takes_seats_by_name(tmp_path, monkeypatch):
    players = []
    act = ActorPolicy.act
    monkeypatch.setattr(ActorPolicy, "act", lambda self, *seen: players.append(self) or act(self, *seen))
    configuration = AgentPPOConfiguration(num_envs=2, width=8, co_players="trained")
    needs = rows_options("XLandSmall-v0", configuration)
    rows = make_rows(get_benchmark("xland/small"), configuration, 0, 32, needs)
    with contextlib.closing(rows):
        rows.begin()
        rows.step(np.tile(np.array(NOOP), (rows.num_rows, 1)))
    shipped = PolicyFolder.read(SHIPPED["XLandSmall-v0"]).weights
    own = [network_arrays(player.network) for player in players]
    assert any(all(np.array_equal(one.get(name), array) for name, array in shipped.items()) for one in own)
    with pytest.raises(InvalidPolicyError, match="trained is the policy that comes with the package, which has none"):
        train(get_benchmark("xland/hand-authored"), configuration, 0, 32, tmp_path / "other")
    for other in (configuration, METHODS["a2c"].load("configuration")(num_envs=2)):
        with pytest.raises(InvalidOptionError, match="expected a PPOConfiguration, which Method"):
            train(get_benchmark("grid-world/graded"), other, 0, 32, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_policy_that_sees_more_than_the_learner_takes_no_seat(tmp_path):
    earlier_policy(tmp_path / "earlier", privileged=True)
    configuration = AgentPPOConfiguration(num_envs=2, co_players=f"learner,{tmp_path / 'earlier'}")
    with pytest.raises(InvalidOptionError, match="'privileged': True}, expected a policy for privileged=False"):
        make_rows(get_benchmark("xland/small"), configuration, 0, 32, rows_options("XLandSmall-v0", configuration))
