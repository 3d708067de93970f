"""A student is drawn to its teacher's policy where it has just earned nothing, in the run's first share alone."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentPolicy
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient, AgentVMPO
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration, AgentVMPOConfiguration
from procgen_bench.baselines.papers.open_ended.distillation import OUTPUTS, UNREWARDED, Distillation, DistilledLearner
from procgen_bench.baselines.parts.actor_critic import ActorCritic, ActorPolicy, Evaluated
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import SHIPPED, PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, ProcgenBenchError
from procgen_bench.testing import check_learner
from tests.baselines.training.toys import Recall, ToyRows, learn

AGENTS = METHODS["ppo"].within("XLandSmall-v0")
train = AGENTS.train

torch.set_num_threads(1)

SMALL = {"width": 16, "layers": 1, "learning_rate": 1e-2, "rollout_steps": 8, "minibatches": 2}


class TwoSteps(ToyRows):
    """Whatever is done, the first of two steps earns 1, so that it precedes the second, and the second nothing."""

    space = spaces.Dict({"step": spaces.Box(0, 1, (2,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 99

    def seen(self):
        return {"step": np.eye(2, dtype=np.float32)[np.minimum(self.elapsed, 1)]}

    def judged(self, actions):
        return (self.elapsed == 0).astype(float), self.elapsed == 1


class AlwaysOne(torch.nn.Module):
    """A teacher that takes action 1."""

    memory_width = 0

    def prepare(self, observations):
        """As they are."""
        return observations

    def read(self, prepared, memory):
        """Outputs, no value, no memory."""
        outputs = torch.tensor([[-3.0, 3.0]]).expand(len(memory), 2)
        return outputs, torch.zeros(len(memory)), memory


def taught(rows, method, network=None, is_on=lambda: True, **settings):
    """A learner of toy rows beside a teacher, and its own network."""
    actions = actions_of(rows.action_space)
    teacher = SimpleNamespace(network=network or AlwaysOne(), actions=actions)
    losses = [Distillation(teacher, settings.pop("distil", 4.0))]
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    if method == "vmpo":
        configuration = AgentVMPOConfiguration(**SMALL | settings)
    else:
        configuration = AgentPPOConfiguration(**SMALL | settings)
    own = ActorCritic(rows.space, actions.sizes, configuration.width, configuration.layers, configuration.memory)
    if method == "vmpo":
        learner = AgentVMPO(own, actions, configuration, rng, auxiliary=losses)
    else:
        learner = AgentPolicyGradient(own, actions, configuration, rng, auxiliary=losses)
    learner = losses[0].around(learner, is_on)
    learner.configuration = configuration
    return learner, own


def chances_of_one(method, **settings):
    """Of a student in the two steps, after a short training."""
    rows = TwoSteps()
    learner, own = taught(rows, method, entropy_weight=0.0, **settings)
    learn(rows, learner, 25)
    with torch.no_grad():
        outputs, *_ = own({"step": torch.eye(2)}, torch.zeros(2, own.memory_width))
    return outputs.softmax(dim=1)[:, 1].tolist()


def is_drawn_where_nothing_was_earned(method, **settings):
    after_nothing, after_reward = chances_of_one(method, **settings)
    return after_nothing > 0.9 and after_reward < 0.85


@pytest.mark.parametrize(("method", "memory"), [("ppo", 0), ("ppo", 8), ("vmpo", 0)])
def test_a_student_follows_where_it_has_earned_nothing(method, memory):
    assert is_drawn_where_nothing_was_earned(method, memory=memory)


@pytest.mark.parametrize("method", ["ppo", "vmpo"])
def test_without_weight_or_once_the_share_is_over_it_does_not(method):
    assert not is_drawn_where_nothing_was_earned(method, distil=0.0)
    assert not is_drawn_where_nothing_was_earned(method, is_on=lambda: False)


def drawn_everywhere(monkeypatch):
    honest = DistilledLearner.update

    def update(learner, rollout):
        rollout.rewards_before[:] = 0
        return honest(learner, rollout)

    monkeypatch.setattr(DistilledLearner, "update", update)


def drawn_after_rewards(monkeypatch):
    honest = DistilledLearner.update

    def update(learner, rollout):
        rollout.rewards_before[:] = 1 - rollout.rewards_before
        return honest(learner, rollout)

    monkeypatch.setattr(DistilledLearner, "update", update)


@pytest.mark.parametrize("sabotage", [drawn_everywhere, drawn_after_rewards])
def test_sabotaged_copies_are_caught(sabotage, monkeypatch):
    sabotage(monkeypatch)
    assert not is_drawn_where_nothing_was_earned("ppo")


def test_the_loss_is_the_students_divergence_from_the_teacher_summed_over_heads():
    actions = actions_of(spaces.MultiDiscrete([2, 3]))
    teacher, student = torch.log(torch.tensor([[0.5, 0.5, 0.2, 0.3, 0.5]])), torch.zeros(1, 5)
    kept = {OUTPUTS: teacher.expand(4, 5), UNREWARDED: torch.tensor([1.0, 1, 0, 1])}
    kept["weights"] = torch.tensor([1.0, 1, 1, 0])
    loss = Distillation(SimpleNamespace(network=torch.nn.Identity(), actions=actions), 4.0)
    evaluated = Evaluated(student.expand(4, 5), torch.zeros(4), torch.zeros(4, 1), {})
    divergence = (
        0.2 * np.log(0.2 * 3) + 0.3 * np.log(0.3 * 3) + 0.5 * np.log(0.5 * 3)
    )  # of the second head; 0 of the first
    assert loss.loss(evaluated, kept).item() == pytest.approx(4 * divergence * 2 / 3, rel=1e-5), "two of three steps"
    assert loss.loss(evaluated, {"weights": kept["weights"]}) == 0, "nothing was noted"


@torch.no_grad()
def unroll(network, observations, starts):
    """Outputs (T, N, k) of a network that remembers nothing before the first step."""
    memory, outputs = torch.zeros(starts.shape[1], network.memory_width), []
    for t, begins in enumerate(starts):
        memory = memory * ~begins[:, None]
        said, _, memory = network({name: array[t] for name, array in observations.items()}, memory)
        outputs.append(said)
    return torch.stack(outputs)


@pytest.mark.parametrize("memory", [0, 4])
def test_the_teachers_memory_goes_along_with_the_students_episodes(memory):
    rows = Recall(num_rows=8)
    torch.manual_seed(1)
    teacher = ActorCritic(rows.space, [2], 8, 1, 6)
    learner, _ = taught(rows, "ppo", teacher, memory=memory)
    collector = Collector(rows, learner, 6)  # episodes are of four steps: they go on over the border
    parts = []
    for _ in range(2):
        rollout = collector.collect()
        kept = {name: array.clone() for name, array in rollout.observations.items()}
        parts.append((kept, rollout.starts, rollout.aux[OUTPUTS]))
    observations = {name: torch.cat([kept[name] for kept, *_ in parts]) for name in parts[0][0]}
    starts = torch.as_tensor(np.concatenate([one for _, one, _ in parts]))
    noted = torch.cat([outputs for *_, outputs in parts])
    unrolled = unroll(teacher, observations, starts)
    forgetful = unroll(teacher, parts[1][0], starts[6:])
    assert torch.allclose(noted, unrolled, atol=1e-6)
    assert not torch.allclose(noted[6:], forgetful, atol=1e-6), "it would be noticed if it began at the border"


def teacher_folder(path, environment_id="GridWorld-v0", method="ppo", **sizes):
    """A policy that has learned nothing."""
    torch.manual_seed(3)
    sizes = {"width": 8, "layers": 1, "memory": 0, "network": "", "action_repeat": 1} | sizes
    policy = ActorPolicy(environment_id, True, **sizes)
    weights = network_arrays(policy.network)
    PolicyFolder(method, environment_id, {"stochastic": True} | sizes, weights).write(path)
    return str(path)


TINY = {"num_envs": 4, "rollout_steps": 4, "minibatches": 2, "width": 8, "layers": 1, "evaluation_tasks": 1}


@pytest.mark.parametrize("method", ["ppo", "recurrent-ppo", "vmpo"])
def test_a_killed_run_ends_as_if_it_had_not_been(method, tmp_path):
    teacher = teacher_folder(tmp_path / "teacher", memory=6)
    settings = {"teacher_policy": teacher, "distil_share": 0.7, "checkpoint_every": 250}
    check_learner(METHODS[method].within("XLandSmall-v0"), "grid-world/graded", settings, 600)


def test_a_resumed_run_has_the_teacher_that_it_began_with(tmp_path):
    folder = teacher_folder(tmp_path / "teacher")
    policy = ActorPolicy("GridWorld-v0", True, 8, 1)
    learner, _ = taught(TwoSteps(), "ppo")
    learner.distillation = Distillation.of_folder(folder, policy, 4.0)
    arrays, values = learner.state()
    teacher_folder(tmp_path / "teacher", memory=2)
    learner.distillation = Distillation.of_folder(folder, policy, 4.0)
    with pytest.raises(InvalidPolicyError, match="another than the one that the run began with"):
        learner.restore(arrays, values)


def test_the_policy_that_comes_with_the_package_is_a_teacher_by_name():
    shipped = load_policy("trained", "XLandSmall-v0")
    found = Distillation.of_folder("trained", shipped, 4.0)
    assert found.fingerprint == PolicyFolder.read(SHIPPED["XLandSmall-v0"]).hash()
    knowing = AgentPolicy("XLandSmall-v0", True, privileged=True)
    with pytest.raises(InvalidOptionError, match="whose privileged is False, expected True, this run's"):
        Distillation.of_folder("trained", knowing, 4.0)


def refused(tmp_path, error, match, **settings):
    configuration = AGENTS.load("configuration")(**TINY | settings)
    with pytest.raises(error, match=match):
        train(get_benchmark("grid-world/graded"), configuration, 0, 64, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_teachers_of_other_actions_or_observations_are_refused(tmp_path):
    bits = teacher_folder(tmp_path / "bits", "BitGrid-v0")
    refused(
        tmp_path, InvalidOptionError, "a policy of BitGrid-v0 with other (actions|observations)", teacher_policy=bits
    )
    refused(tmp_path, ProcgenBenchError, "is not a policy folder", teacher_policy=str(tmp_path / "nowhere"))
    other = teacher_folder(tmp_path / "other", method="dqn")
    refused(tmp_path, InvalidOptionError, "a policy of dqn, expected one of ppo", teacher_policy=other)


def test_a_teacher_whose_actions_last_longer_is_refused(tmp_path):
    slow = teacher_folder(tmp_path / "slow", action_repeat=4)
    refused(tmp_path, InvalidOptionError, "whose actions last 4 steps, expected 1", teacher_policy=slow)
