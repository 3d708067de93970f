"""What the planner learns from: all programs alike, and of each as many successes as failures.

The network alone in tensors plays as the interpreter and the learned arm do, call by call and action by action.
"""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs import network_policy, planner_policy
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CALLS
from procgen_bench.baselines.papers.alphanpi_x.programs.network_policy import ProgramNetworkPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_learner import PlannerLearner, PlannerSettings
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_policy import PlannerPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Searched
from procgen_bench.baselines.policies.onnx.export import Origin, export_folder, export_policy
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import environment_type
from procgen_bench.tasks.programs import PROGRAMS
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, fresh_network
from tests.baselines.papers.alphanpi_x.programs.planners import planner_parts, shown

RULES_ACTIONS = len(LIBRARY) + 1


def search_of(program: int, succeeded: bool, value: float) -> Searched:
    """One that made a single decision, for the first action."""
    policies = np.zeros((1, RULES_ACTIONS), np.float32)
    policies[0, 0] = 1
    nothing = np.zeros(0)
    states = np.zeros((1, LIBRARY.state_size))
    return Searched(program, states, policies, nothing, nothing, succeeded, value)


def learner() -> PlannerLearner:
    settings = PlannerSettings(1e-2, 64, buffer_size=20)
    return PlannerLearner(fresh_network(), settings, np.random.default_rng(0))


def value_of(program: int, learned: PlannerLearner) -> float:
    states = torch.zeros(1, LIBRARY.state_size, dtype=torch.float64)
    memory = torch.zeros(1, learned.network.memory_width)
    with torch.inference_mode():
        return learned.network(states, torch.tensor([program]), memory)[1].item()


def test_a_program_that_nearly_always_fails_is_not_drowned_by_its_failures_nor_by_others():
    """Half of what is learned of it are the few successes, so that what leads to them is worth more than -1."""
    learned = learner()
    learned.keep([search_of(7, False, -1.0)] * 10 + [search_of(7, True, 0.9)])
    learned.keep([search_of(8, True, 0.9)] * 10)
    for _ in range(150):
        measures = learned.update()
    assert abs(value_of(7, learned) + 0.05) < 0.25, "between -1 and 0.9"
    assert value_of(8, learned) > 0.7
    assert measures["policy_loss"] < 0.1


def test_rare_failures_are_not_learned_by_heart():
    learned = learner()
    learned.keep([search_of(7, True, 0.9)] * 19 + [search_of(7, False, -1.0)])
    for _ in range(150):
        learned.update()
    assert value_of(7, learned) > 0.6


def test_what_is_kept_is_restored():
    learned, other = learner(), learner()
    learned.keep([search_of(7, False, -1.0), search_of(8, True, 0.9), search_of(7, True, 0.5)])
    learned.update()
    other.restore(*learned.state())
    assert learned.update() == other.update()
    arrays, others = learned.state()[0], other.state()[0]
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())


#: Rows, steps, and how many of these a call lasts.
ROWS, STEPS, CALL_STEPS = 54, 36, 3


def planner_calls(policy, rows):
    """1 + the atomic program that each row of a planner is calling, 0 where the arm rests."""
    begun = policy._atomic._calls
    return [0 if row in policy._idle else begun[row] for row in range(rows)]


def in_lockstep(monkeypatch, calls, change=lambda policy: None):
    """Play both side by side, with calls of few steps.

    Returns:
        Which atomic programs were called, how often the arm rested, and how often a called program was under way.
    """
    for module in (network_policy, planner_policy):
        monkeypatch.setattr(module, "ATOMIC_STEPS", CALL_STEPS)
    parts = planner_parts(calls=calls)
    policy, planner = ProgramNetworkPolicy(parts), PlannerPolicy(parts, "no-plan")
    change(policy)
    called, rested, inner = set(), 0, 0
    for _, (seen, starts) in zip(range(STEPS), shown(ROWS, np.random.default_rng(0))):
        np.testing.assert_allclose(policy.act(seen, starts), planner.act(seen, starts), rtol=0, atol=1e-5)
        ours, theirs = policy._state["call"].long().tolist(), planner_calls(planner, ROWS)
        goals = policy._state["goal"].numpy()
        for row, (call, begun) in enumerate(zip(ours, theirs)):
            assert (call == 0) == (begun == 0)
            if call:
                block, goal = begun
                assert [*PROGRAMS.values()][call - 1].blocks[0] == block
                assert np.array_equal(np.roll(goals[row], -3 * block), goal)
        called |= {*ours} - {0}
        rested += ours.count(0)
        inner += int((policy._state["called"] > 0).sum())
    return called, rested, inner


@pytest.mark.parametrize("calls", CALLS)
def test_calls_and_actions_are_the_interpreters(calls, monkeypatch):
    called, rested, inner = in_lockstep(monkeypatch, calls)
    assert called == {program.number + 1 for program in PROGRAMS.values() if program.is_atomic}
    assert rested and inner


def never_tried_again(monkeypatch, policy):
    monkeypatch.setattr(network_policy, "_TRIES", 1)


def exhausted_earlier(monkeypatch, policy):
    policy._most_decisions -= 1


def calls_of_longer(monkeypatch, policy):
    monkeypatch.setattr(network_policy, "ATOMIC_STEPS", CALL_STEPS + 1)


def everything_startable(monkeypatch, policy):
    policy._programs.is_atomic.fill_(False)


def another_block_first(monkeypatch, policy):
    policy._programs.blocks.copy_(policy._programs.blocks.roll(1))


def memory_of_the_caller_lost(monkeypatch, policy):
    step = policy.step

    def forgetful(observations, state, noise):
        return step(observations, state | {"below": torch.zeros_like(state["below"])}, noise)

    monkeypatch.setattr(policy, "step", forgetful)


@pytest.mark.parametrize(
    "sabotage",
    [
        never_tried_again,
        exhausted_earlier,
        calls_of_longer,
        everything_startable,
        another_block_first,
        memory_of_the_caller_lost,
    ],
)
def test_what_plays_otherwise_is_noticed(sabotage, monkeypatch):
    with pytest.raises(AssertionError):
        in_lockstep(monkeypatch, "levels", lambda policy: sabotage(monkeypatch, policy))


class Both(Policy):
    """Plays the planner's actions, and holds the network's against them."""

    def __init__(self, parts):
        self.policy, self.planner, self.steps = ProgramNetworkPolicy(parts), PlannerPolicy(parts, "no-plan"), 0

    def act(self, observations, episode_starts):
        """The same actions of both."""
        actions = self.planner.act(observations, episode_starts)
        np.testing.assert_allclose(self.policy.act(observations, episode_starts), actions, rtol=0, atol=1e-5)
        self.steps += 1
        return actions


def test_episodes_are_the_interpreters():
    suite = environment_type("FetchProgram-v0").task_space.suite("groups")
    both = Both(planner_parts())
    play_episodes(both, "FetchProgram-v0", suite.tasks[150:300:100], range(2))
    assert both.steps >= 150


@pytest.mark.slow
def test_the_sandbox_plays_the_same(monkeypatch):
    monkeypatch.setattr(network_policy, "ATOMIC_STEPS", CALL_STEPS)
    policy, called = ProgramNetworkPolicy(planner_parts()), set()
    with SandboxedPolicy.from_bytes(
        export_policy(policy, Origin("alphanpi-x", "FetchProgram-v0")), "FetchProgram-v0"
    ) as file:
        for _, (seen, starts) in zip(range(STEPS), shown(ROWS, np.random.default_rng(0))):
            np.testing.assert_allclose(file.act(seen, starts), policy.act(seen, starts), rtol=0, atol=1e-5)
            called |= {*policy._state["call"].tolist()}
    assert len(called) == 21


def kept(parts, **about):
    return parts.folder(training_steps=7, **about)


def test_folders_say_how_they_play():
    parts = planner_parts()
    policy = PlannerPolicy.from_folder(kept(parts, plays="no-plan"))
    assert isinstance(policy, ProgramNetworkPolicy)
    assert policy.network.state_dict().keys() == kept(parts).weights.keys()
    for about, plays in (({}, "replan"), ({"plays": "plan"}, "plan")):
        policy = PlannerPolicy.from_folder(kept(parts, **about))
        assert isinstance(policy, PlannerPolicy) and policy.plays == plays
    with pytest.raises(InvalidPolicyError, match=r"configuration.plays is 'guess', expected one of no-plan, plan, re"):
        PlannerPolicy.from_folder(kept(parts, plays="guess"))


@pytest.mark.parametrize(
    ("plays", "atomic", "message"),
    [
        ("replan", None, "plans by a search, which is no function of tensors; train one with --plays no-plan and --at"),
        ("no-plan", ScriptedAtomicPolicy(), "the scripted expert, which is no function of tensors; train one over --a"),
    ],
)
def test_what_is_no_function_of_tensors_is_not_exported(plays, atomic, message, tmp_path):
    kept(planner_parts(atomic=atomic), plays=plays).write(tmp_path / "policy")
    with pytest.raises(InvalidPolicyError, match=message):
        export_folder(tmp_path)
