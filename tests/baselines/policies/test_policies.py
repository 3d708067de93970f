"""Policies by name and by folder.

Users' own policies: objects, and code that is named.
"""

import json
import os
import textwrap

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS, get_method
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.parts.value_policy import ValuePolicy
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy, policy_hash
from procgen_bench.core.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.core.policy import Policy
from procgen_bench.envs.compositional_minigrid.environment import CompositionalMiniGridEnv

ENVIRONMENT = "GridWorld-v0"
SIZES = {"width": 32, "layers": 1}


@pytest.fixture
def folder(tmp_path):
    policy = ValuePolicy(ENVIRONMENT, stochastic=False, **SIZES)
    weights = {name: tensor.numpy() for name, tensor in policy.network.state_dict().items()}
    PolicyFolder("dqn", ENVIRONMENT, {"stochastic": False, **SIZES}, weights).write(tmp_path / "policy")
    return tmp_path / "policy"


def observations(count):
    rng = np.random.default_rng(0)
    return {
        "objects": rng.integers(-7, 8, (count, 10)).astype(np.float32),
        "position": rng.integers(1, 9, (count, 2)).astype(np.float32),
        "view": rng.integers(0, 3, (count, 7, 7)).astype(np.float32),
    }


def test_every_method_loads():
    for method in METHODS.values():
        assert callable(method.load("policy"))
        if method.trainable:
            assert callable(method.train)


def test_unknown_method_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"unknown method 'dpn'; did you mean 'dqn'.*known: random, constant"):
        get_method("dpn")


@pytest.mark.parametrize("name", ["random", "constant"])
def test_scripted_policies_act_in_the_action_space(name):
    actions = load_policy(name, ENVIRONMENT).act(observations(64), np.ones(64, np.bool_))
    assert actions.shape == (64,)
    assert set(actions) <= {0, 1, 2, 3}


def test_noop_does_nothing_where_there_is_such_an_action():
    actions = load_policy("noop", "CompositionalMiniGrid-v0").act({}, np.ones(3, np.bool_))
    assert actions.tolist() == [CompositionalMiniGridEnv.noop_action] * 3
    with pytest.raises(InvalidPolicyError, match="GridWorld-v0 has no action that does nothing; 'constant'"):
        load_policy("noop", ENVIRONMENT)


def test_random_policy_repeats_under_its_seed():
    policy = load_policy("random", ENVIRONMENT)
    starts = np.ones(100, np.bool_)
    policy.seed(7)
    first = policy.act(observations(100), starts)
    second = policy.act(observations(100), starts)
    policy.seed(7)
    assert np.array_equal(policy.act(observations(100), starts), first)
    assert not np.array_equal(first, second)


def test_folder_round_trip_plays_alike(folder):
    written, read = load_policy(folder, ENVIRONMENT), load_policy(folder, ENVIRONMENT)
    starts = np.ones(32, np.bool_)
    assert np.array_equal(written.act(observations(32), starts), read.act(observations(32), starts))
    assert policy_hash(folder, ENVIRONMENT) == PolicyFolder.read(folder).hash()


def test_hash_covers_weights_and_configuration(folder):
    kept = PolicyFolder.read(folder)
    weights = {name: array.copy() for name, array in kept.weights.items()}
    weights["head.2.bias"][0] += 1e-6
    changed_weights = PolicyFolder(kept.method, kept.environment, kept.configuration, weights)
    changed_configuration = PolicyFolder(kept.method, kept.environment, {"stochastic": True}, kept.weights)
    assert len({kept.hash(), changed_weights.hash(), changed_configuration.hash()}) == 3


def test_writing_again_replaces_the_folder(folder):
    kept = PolicyFolder.read(folder)
    PolicyFolder(kept.method, kept.environment, {"stochastic": True}, kept.weights).write(folder)
    assert PolicyFolder.read(folder).configuration == {"stochastic": True}
    assert sorted(path.name for path in folder.parent.iterdir()) == ["policy"]


def test_stochastic_policy_draws_under_its_seed(folder):
    kept = PolicyFolder.read(folder)
    configuration = {"stochastic": True, **SIZES}
    policy = ValuePolicy.from_folder(PolicyFolder("dqn", ENVIRONMENT, configuration, kept.weights))
    starts = np.ones(200, np.bool_)
    policy.seed(1)
    first = policy.act(observations(200), starts)
    policy.seed(1)
    assert np.array_equal(policy.act(observations(200), starts), first)
    assert len(set(first)) == 4


def test_a_folder_says_what_kind_of_memory_there_is(tmp_path):
    """Folders that say nothing have a gated unit."""
    for kind, said in (("gru", {}), ("lstm", {"memory_kind": "lstm"}), ("lstm", {}), ("gru", {"memory_kind": "rnn"})):
        policy = ActorPolicy(ENVIRONMENT, False, memory=8, memory_kind=kind)
        configuration = {"stochastic": False, "width": 128, "layers": 2, "memory": 8, "action_repeat": 1} | said
        weights = {name: tensor.numpy() for name, tensor in policy.network.state_dict().items()}
        PolicyFolder("recurrent-ppo", ENVIRONMENT, configuration, weights).write(tmp_path)
        if kind != said.get("memory_kind", "gru"):
            with pytest.raises(InvalidPolicyError, match=r"memory_kind is 'rnn', expected gru or lstm|do not fit"):
                load_policy(tmp_path, ENVIRONMENT)
            continue
        read = load_policy(tmp_path, ENVIRONMENT)
        for starts in (np.ones(32, np.bool_), np.zeros(32, np.bool_)):
            assert np.array_equal(read.act(observations(32), starts), policy.act(observations(32), starts))


def test_a_folder_may_name_a_network_of_the_package(tmp_path):
    policy = ActorPolicy(ENVIRONMENT, False, network="view", head_width=8)
    sizes = PPOConfiguration(network="view", head_width=8).sizes
    weights = {name: tensor.numpy() for name, tensor in policy.network.state_dict().items()}
    starts = np.ones(32, np.bool_)
    for other, message in (
        ({}, ""),
        ({"head_width": 9}, "do not fit"),
        ({"head_width": -1}, "head_width is -1, expected 0 to 4096"),
        ({"network": "vew"}, r"network is 'vew', expected \['view'\], module:Class or ''"),
        ({"network": ""}, "do not fit"),
    ):
        PolicyFolder("ppo", ENVIRONMENT, {"stochastic": False, **sizes, **other}, weights).write(tmp_path)
        if message:
            with pytest.raises(InvalidPolicyError, match=message):
                load_policy(tmp_path, ENVIRONMENT)
        else:
            read = load_policy(tmp_path, ENVIRONMENT)
            assert np.array_equal(read.act(observations(32), starts), policy.act(observations(32), starts))


def spoil(folder, change):
    path = folder / "policy.json"
    description = json.loads(path.read_text())
    change(description)
    path.write_text(json.dumps(description))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "policy.json").unlink(), "is not a policy folder"),
        (lambda f: (f / "weights.safetensors").write_bytes(b"x" * 100), "is not a policy folder"),
        (lambda f: (f / "policy.json").write_text("[]"), "holds list, expected an object"),
        (lambda f: (f / "policy.json").write_text("[" * 20_000), "is not a policy folder"),
        (lambda f: (f / "policy.json").write_text(" " * 70_000), "expected at most 65536"),
        (lambda f: spoil(f, lambda d: d.update(method=3)), "method = 3, expected a str"),
        (lambda f: spoil(f, lambda d: d.update(method="evil")), "unknown method 'evil'"),
        (lambda f: spoil(f, lambda d: d.update(environment="XLand-v9")), "plays 'XLand-v9', expected one that plays"),
        (lambda f: spoil(f, lambda d: d["configuration"].clear()), "configuration.stochastic is None"),
        (lambda f: spoil(f, lambda d: d["configuration"].update(width=9**9)), "width is 387420489, expected 0 to 4096"),
    ],
)
def test_bad_folders_are_refused_in_one_line(folder, damage, message):
    damage(folder)
    with pytest.raises((InvalidPolicyError, UnknownNameError), match=message) as caught:
        load_policy(folder, ENVIRONMENT)
    assert "\n" not in str(caught.value)


def test_a_runs_folder_is_answered_with_its_policys(folder, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    folder.rename(run / "policy")
    with pytest.raises(InvalidPolicyError, match=f"^{run} is a run's folder, expected its policy's: {run / 'policy'}$"):
        load_policy(run, ENVIRONMENT)


@pytest.mark.parametrize("name", ["policy.json", "weights.safetensors"])
@pytest.mark.parametrize("kind", ["pipe", "link to a device", "sparse file"])
def test_things_that_are_no_files_are_refused_at_once(folder, name, kind):
    path = folder / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(100 * 10**9)
    with pytest.raises(
        InvalidPolicyError, match=r"expected a regular file and no link|has 100000000000 bytes"
    ) as refusal:
        PolicyFolder.read(folder)
    assert "\n" not in str(refusal.value)


def test_weights_of_another_shape_are_refused(folder):
    kept = PolicyFolder.read(folder)
    weights = kept.weights | {"head.2.bias": np.zeros(7, np.float32)}
    PolicyFolder(kept.method, kept.environment, kept.configuration, weights).write(folder)
    with pytest.raises(InvalidPolicyError, match="do not fit the network"):
        load_policy(folder, ENVIRONMENT)


def test_trained_methods_are_no_policy_names():
    with pytest.raises(UnknownNameError, match="unknown policy 'dqn'"):
        load_policy("dqn", ENVIRONMENT)


class Right:
    """No Policy, but like one."""

    environment_options = {"observation": "image"}

    def act(self, observations, episode_starts):
        return np.ones(len(episode_starts), np.int64)


class Parameterised(Right):
    def __init__(self, parameter: int):
        self.parameter = parameter

    def fingerprint(self) -> str:
        return str(self.parameter)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module beside which the command is called."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "their_agents.py").write_text(
        textwrap.dedent("""
            import numpy as np

            class Agent:
                def __init__(self, environment_id):
                    self.environment_id = environment_id

                def act(self, observations, episode_starts):
                    return np.ones(len(episode_starts), np.int64)

            class Mute:
                pass

            number = 3
        """)
    )
    return "their_agents"


def test_object_with_act_is_a_policy():
    policy = load_policy(Right(), ENVIRONMENT)
    assert isinstance(policy, Policy) and policy.environment_options == {"observation": "image"}
    assert policy.act({}, np.ones(3, bool)).tolist() == [1, 1, 1]
    policy.seed(3)  # it has none


def test_policy_is_taken_as_it_is():
    policy = load_policy("random", ENVIRONMENT)
    assert load_policy(policy, ENVIRONMENT) is policy


def test_hash_is_bound_to_what_the_object_says_or_to_its_source():
    assert policy_hash(Parameterised(1), ENVIRONMENT) == policy_hash(Parameterised(1), ENVIRONMENT)
    hashes = [policy_hash(each, ENVIRONMENT) for each in (Right(), Parameterised(1), Parameterised(2))]
    assert len(set(hashes)) == 3 and all(len(one) == 64 for one in hashes)
    assert policy_hash(Right(), ENVIRONMENT) != policy_hash(Right(), "BitGrid-v0")


def test_code_is_imported_from_where_the_command_is_called(module):
    policy = load_policy(f"{module}:Agent", ENVIRONMENT)
    assert policy.wrapped.environment_id == ENVIRONMENT
    assert policy.act({}, np.ones(2, bool)).tolist() == [1, 1]
    assert len(policy_hash(f"{module}:Agent", ENVIRONMENT)) == 64


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("their_agents:Nobody", "cannot be imported: .*Nobody"),
        ("no_such_module:Agent", "cannot be imported: No module named"),
        ("their_agents:number", "is a int, expected a class or a function"),
        ("their_agents:Mute", "Mute is no policy: expected a method act"),
    ],
)
def test_what_is_no_policy_is_named(module, name, message):
    with pytest.raises(InvalidPolicyError, match=message):
        load_policy(name, ENVIRONMENT)


def test_other_words_are_names_or_folders():
    with pytest.raises(UnknownNameError, match="unknown policy 'nobody'"):
        load_policy("nobody", ENVIRONMENT)
