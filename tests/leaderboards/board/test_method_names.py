"""Method, teacher and variant of rows, apart, whatever their entries are called."""

import pytest

from procgen_bench.leaderboards.board.method_names import MethodName, method_name
from tests.leaderboards.entries import metadata


def trained(name: str, command: str) -> MethodName:
    return method_name(metadata(name, training=command))


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("DQN under uniform", "dqn grid-world/target-a", ("dqn", "uniform", "")),
        ("dqn under uniform", "dqn grid-world/target-a --target-share 0.5", ("dqn", "uniform and targets", "")),
        ("DQN", "dqn grid-world/target-a --teacher targets", ("dqn", "targets", "")),
        ("dqn under uniform (all levels)", "dqn grid-world/target-a --no-solvable", ("dqn", "uniform", "all levels")),
        ("DQN under x", "dqn a/b --teacher alp-gmm --target-share 0.5", ("dqn", "alp-gmm and targets", "")),
        ("recurrent PPO under uniform and targets", "recurrent-ppo a/b --target-share 0.5",
         ("recurrent-ppo", "uniform and targets", "")),
        ("PPO + uniform", "ppo grid-world/graded", ("ppo", "uniform", "")),
        ("DQN with ICM", "dqn-icm grid-world/target-a --teacher targets", ("dqn-icm", "targets", "")),
        ("sibling-rivalry with own starts", "sibling-rivalry point-maze/test --own-starts",
         ("sibling-rivalry", "", "own starts")),
        ("My Agent", "dqn grid-world/target-a", ("dqn", "", "My Agent")),
        ("dqn", "dqn grid-world/target-a --target-share much", ("dqn", "", "")),
    ],
)  # fmt: skip
def test_the_training_command_names_method_and_teacher(name, options, expected):
    assert trained(name, f"procgen-bench train {options}") == MethodName(*expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My Agent v2", ("My Agent v2", "", "")),
        ("PPO under plr (width 512)", ("PPO", "plr", "width 512")),
        ("PPO (width 512)", ("PPO", "", "width 512")),
    ],
)
def test_without_such_a_command_the_name_is_taken_apart(name, expected):
    assert method_name(metadata(name)) == MethodName(*expected)
    assert trained(name, "python my_training.py 'open") == MethodName(*expected)
    assert str(method_name(metadata(name))) == name


def test_names_that_differ_in_case_are_one():
    one, other = (method_name(metadata(name)) for name in ("DQN under Uniform", "dqn under uniform"))
    assert one != other and one.key == other.key
    assert trained("DQN under uniform", "procgen-bench train dqn a/b") == trained(
        "dqn under uniform", "procgen-bench train dqn a/b"
    )
