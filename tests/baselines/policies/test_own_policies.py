"""Users' own policies: objects, and code that is named."""

import textwrap

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy, policy_hash
from procgen_bench.core.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.core.policy import Policy

ENVIRONMENT = "GridWorld-v0"


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
