"""Every policy that the package trains plays alike as an ONNX file."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.sac import SquashedPolicy
from procgen_bench.baselines.methods.stable_baselines3_policy import SB3Policy
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.network_policy import ProgramNetworkPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_policy import PlannerPolicy
from procgen_bench.baselines.papers.code.site_policy import PairPolicy
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.parts.deterministic import DeterministicPolicy
from procgen_bench.baselines.parts.hierarchy import GoalPolicy
from procgen_bench.baselines.parts.value_policy import ValuePolicy
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.onnx import form
from procgen_bench.baselines.policies.onnx.columns import action_column
from procgen_bench.baselines.policies.onnx.export import Origin, export_folder, export_policy
from procgen_bench.baselines.policies.onnx.sandbox.loaded_model import LoadedModel
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy, policy_file_hash
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.cli import main
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.registrations import environment_type
from tests.architecture.checkout import CHECKOUT
from tests.baselines.papers.alphanpi_x.programs.planners import planner_parts, shown
from tests.installed import INSTALLED_IDS

STEPS, ROWS = 22, 24


def observations(space, rows, rng):
    """Observations of some rows, anywhere in a space, or of the order of one where it has no bounds."""
    seen = {}
    for name, leaf in space.items():
        low, high = (np.where(np.isfinite(bound), bound, end) for bound, end in ((leaf.low, -2.0), (leaf.high, 2.0)))
        drawn = rng.uniform(size=(rows, *leaf.shape)) * (high - low) + low
        seen[name] = (np.round(drawn) if leaf.dtype.kind in "iu" else drawn).astype(leaf.dtype)
    return seen


def pages(environment_id, options, rng):
    """Observations of sites as random actions leave them, for steps on end: no page is like what a space draws."""
    env = gymnasium.make_vec(environment_id, num_envs=ROWS, vectorization_mode="vector_entry_point", **options)
    seen, _ = env.reset(seed=0)
    while True:
        yield {name: array.copy() for name, array in seen.items()}
        masks = zip(seen["element_mask"], seen["field_mask"])
        actions = [[rng.choice(np.flatnonzero(usable)) for usable in row] for row in masks]
        seen = env.step(np.array(actions))[0]


def programs(environment_id, options, rng):
    """Observations of programs, for steps on end: of what a space draws nearly all are atomic."""
    return (seen for seen, _ in shown(ROWS, rng))


#: Where what a space draws is not what a policy sees.
SHOWN = {PairPolicy: pages, ProgramNetworkPolicy: programs}


def played(policy, environment_id, file):
    """Actions of both for the same observations, noise and beginnings: (steps, rows, ...) each."""
    env, rng = environment_type(environment_id), np.random.default_rng(0)
    with env(**policy.environment_options) as one:
        space, action = one.observation_space, action_column(one.action_space)
    model = LoadedModel(file)
    ours, theirs = [], []
    source = SHOWN.get(type(policy))
    drawn = source and source(environment_id, policy.environment_options, rng)
    for step in range(STEPS):
        seen = observations(space, ROWS, rng) if drawn is None else next(drawn)
        starts = (rng.random(ROWS) < 0.2) | (step == 0)
        noise = rng.random((ROWS, policy.noise_width), np.float32)
        policy.draw_noise = lambda rows, noise=noise: noise
        given = [noise if column.name == form.NOISE else seen[column.name] for column in model.given]
        ours.append(policy.act(seen, starts))
        theirs += model.act(starts, given, [action])
    return np.stack(ours), np.stack(theirs)


def assert_alike(ours, theirs):
    """Equal but for rounding, which decides otherwise in few cases: at the edge of a choice or of a candidate."""
    assert ours.dtype == theirs.dtype
    apart = np.abs(ours.astype(np.float64) - theirs).reshape(STEPS * ROWS, -1).max(axis=1)
    assert np.mean(apart > 1e-3 * max(1, np.abs(ours).max())) <= 0.003
    assert len(np.unique(ours.reshape(STEPS * ROWS, -1), axis=0)) > 1


FRESH = [
    (ValuePolicy, "GridWorld-v0", False),
    (ValuePolicy, "GridWorld-v0", True),
    (SquashedPolicy, "SparsePointMaze-v0", False),
    (SquashedPolicy, "SparsePointMaze-v0", True),
    (GoalPolicy, "BitGrid-v0", False),
    (GoalPolicy, "SparsePointMaze-v0", False),
    (GoalPolicy, "VoxelBuild-v0", True),
    (GoalPolicy, "VoxelBuildSmall-v0", True),
    (GoalPolicy, "GridWorld-v0", True),
    (DeterministicPolicy, "SparseAntMaze-v0", False),
    (BlockPolicy, "FetchBlocks-v0", False),
    (PairPolicy, "GMiniWoB-v0", True),
    *((ActorPolicy, environment_id, True) for environment_id in INSTALLED_IDS),
    (ActorPolicy, "GridWorld-v0", False),
    (PairPolicy, "GMiniWoB-v0", True),
    (SB3Policy, "GMiniWoB-v0", True),
    (SB3Policy, "SparsePointMaze-v0", True),
    (SB3Policy, "VoxelBuild-v0", False),
    (BlockPolicy, "FetchBlocks-v0", False),
    (ProgramNetworkPolicy, "FetchProgram-v0", False),
]
#: Sizes of those that have none of their own.
SIZES = {BlockPolicy: {"width": 32}, SB3Policy: {"width": 64, "layers": 2, "algorithm": "PPO"}}
#: How those are made that are not made of an environment's id, whether they draw, and sizes.
MADE = {ProgramNetworkPolicy: lambda: ProgramNetworkPolicy(planner_parts())}
#: As what policies are exported that are so in one of their modes.
EXPORTED_AS = {PlannerPolicy: ProgramNetworkPolicy}

#: An export takes seconds: of every way to write actions down, one; choices of a table are those of the sandbox below.
QUICK = {(GoalPolicy, "BitGrid-v0", False), (ActorPolicy, "SparsePointMaze-v0", True)}


@pytest.mark.parametrize(
    ("kind", "environment_id", "stochastic"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in FRESH],
)
def test_fresh_policies_play_alike(kind, environment_id, stochastic):
    torch.manual_seed(1)
    policy = MADE[kind]() if kind in MADE else kind(environment_id, stochastic, **SIZES.get(kind, {}))
    with torch.no_grad():
        list(policy.network.parameters())[-2].mul_(30)
    file = export_policy(policy, Origin("fresh", environment_id))
    assert str(CHECKOUT).encode() not in file  # torch notes where operators were called
    assert_alike(*played(policy, environment_id, file))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "environment_id", "stochastic"),
    [
        ("DQN", "GridWorld-v0", False),
        ("TD3", "SparsePointMaze-v0", False),
        ("SAC", "SparsePointMaze-v0", False),
        ("SAC", "SparsePointMaze-v0", True),
    ],
)
def test_actors_and_values_of_stable_baselines3_play_alike(algorithm, environment_id, stochastic):
    torch.manual_seed(1)
    policy = SB3Policy(environment_id, stochastic, 64, 2, algorithm)
    with torch.no_grad():
        list(policy.network.parameters())[-2].mul_(30)
    assert_alike(*played(policy, environment_id, export_policy(policy, Origin("fresh", environment_id))))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "stochastic"), [(GoalPolicy, True), (DeterministicPolicy, False)])
def test_learned_low_levels_play_alike(kind, stochastic):
    torch.manual_seed(1)
    policy = kind("SparseAntMaze-v0", stochastic, "learned")
    assert_alike(*played(policy, "SparseAntMaze-v0", export_policy(policy, Origin("fresh", "SparseAntMaze-v0"))))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"encoder": "names"},
        {"encoder": "bidirectional"},
        {"encoder": "forward", "values": False, "published_words": True},
    ],
)
def test_networks_of_pairs_play_alike(options):
    torch.manual_seed(1)
    policy = PairPolicy("GMiniWoB-v0", False, **options, mask="present")
    assert_alike(*played(policy, "GMiniWoB-v0", export_policy(policy, Origin("fresh", "GMiniWoB-v0"))))


@pytest.mark.parametrize("others", [{}, {"memory_kind": "lstm", "layers": 0, "network": "view", "head_width": 8}])
def test_a_policy_with_memory_plays_alike(others):
    torch.manual_seed(0)
    policy = ActorPolicy("GridWorld-v0", True, width=32, memory=16, **others)
    assert_alike(*played(policy, "GridWorld-v0", export_policy(policy, Origin("ppo", "GridWorld-v0"))))


def test_every_method_that_is_trained_has_a_policy_that_is_exported():
    trained = [method.load("policy") for method in METHODS.values() if method.trainable]
    assert {EXPORTED_AS.get(kind, kind) for kind in trained} == {kind for kind, *_ in FRESH}


class Remembering(WeightedPolicy):
    """Goes by all that it saw since the episode began."""

    state_shapes = {"trace": (3,), "steps": ()}

    def __init__(self):
        torch.manual_seed(0)
        super().__init__(nn.Linear(13, 7), stochastic=True, noise_width=2)

    def step(self, observations, state, noise):
        outputs = self.network(torch.cat([observations["objects"], state["trace"]], dim=1))
        trace, steps = outputs[:, :3].tanh(), state["steps"] + 1
        return (outputs[:, 3:] + 4 * noise[:, :1] + steps[:, None]).argmax(dim=1), {"trace": trace, "steps": steps}


def test_state_is_carried_and_cleared():
    policy = Remembering()
    file = export_policy(policy, Origin("mine", "GridWorld-v0", 7))
    ours, theirs = played(policy, "GridWorld-v0", file)
    assert np.array_equal(ours, theirs)
    policy.state_shapes = {}
    with pytest.raises(KeyError):
        export_policy(policy, Origin("mine", "GridWorld-v0"))


def test_episodes_in_the_sandbox_are_those_of_the_policy():
    """Draws, too: the seed of an episode decides its noise, in rows of any number."""
    torch.manual_seed(0)
    policy, suite = ValuePolicy("GridWorld-v0", True), environment_type("GridWorld-v0").task_space.suite("graded")
    file = export_policy(policy, Origin("ppo", "GridWorld-v0", 100))
    tasks, seeds = suite.tasks[:12], range(12)
    expected = play_episodes(policy, "GridWorld-v0", tasks, seeds)
    with SandboxedPolicy.from_bytes(file, "GridWorld-v0") as sandboxed:
        assert (sandboxed.description.method, sandboxed.description.training_steps) == ("ppo", 100)
        for rows in (12, 5):
            found = play_episodes(sandboxed, "GridWorld-v0", tasks, seeds, rows)
            assert [episode.actions.tolist() for episode in found] == [e.actions.tolist() for e in expected]


class Faulty(Remembering):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def step(self, observations, state, noise):
        actions, state = super().step(observations, state, noise)
        return self.change(actions), state


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda actions: actions.float(), r"gives action as float32 \(N\), expected int64 \(N\)"),
        (lambda actions: actions[:, None], r"gives action as int64 \(N, 1\), expected int64 \(N\)"),
        (lambda actions: actions * 0 + actions.shape[0], "depends on the number of rows"),
    ],
)
def test_policies_that_are_none_are_refused(change, message):
    with pytest.raises(InvalidPolicyError, match=message):
        export_policy(Faulty(change), Origin("mine", "GridWorld-v0"))


def write_run(path):
    """A run's folder, as far as its policy goes."""
    torch.manual_seed(0)
    weights = {name: tensor.numpy() for name, tensor in ValuePolicy("GridWorld-v0", True).network.state_dict().items()}
    configuration = {"stochastic": True, "training_steps": 64, "width": 128, "layers": 2}
    PolicyFolder("dqn", "GridWorld-v0", configuration, weights).write(path / "policy")


def run_command(*words):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return ended.value.code


def test_the_command_writes_the_file_of_a_run_or_a_policy(tmp_path, capsys):
    write_run(tmp_path)
    assert not run_command("export", tmp_path)
    file = (tmp_path / "policy.onnx").read_bytes()
    assert (
        f"wrote {tmp_path / 'policy.onnx'}: {len(file)} bytes, SHA-256 {policy_file_hash(file)}"
        in capsys.readouterr().out
    )
    assert not run_command("export", tmp_path / "policy", "-o", tmp_path / "policy.onnx")  # the same again
    assert "tracing the policy of" in capsys.readouterr().err
    assert (tmp_path / "policy.onnx").read_bytes() == file
    (tmp_path / "mine.txt").write_text("mine")
    assert run_command("export", tmp_path, "-o", tmp_path / "mine.txt") == 2
    assert "exists and holds something else; choose another --out" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert run_command("export", tmp_path / "absent") == 2
    assert "'RUN': dir" in capsys.readouterr().err


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(tmp_path):
    write_run(tmp_path)
    out = tmp_path / "other.onnx"
    command = [sys.executable, "-m", "procgen_bench.cli", "export", str(tmp_path), "-o", str(out)]
    subprocess.run(command, check=True, cwd=CHECKOUT, env=os.environ | {"PYTHONHASHSEED": "7"}, capture_output=True)
    assert out.read_bytes() == export_folder(tmp_path)
