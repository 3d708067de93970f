"""Users' own agents: the documented one plays, and one that raises is not scored."""

import re
from pathlib import Path

import pytest

from procgen_bench.baselines.policies.loading import OwnPolicyError
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate

DOCUMENT = Path(__file__).parents[3] / "docs/own_agent.md"
RAISING = """\
import numpy as np; import sys

class Agent:
    def __init__(self):
        pass

    def act(self, observations, episode_starts):
        return self.head(episode_starts)

    def head(self, rows):
        return np.ones((3, 3)) @ np.ones(2)

class Unmade(Agent):
    def __init__(self):
        self.network = open("no such weights")

class Unseeded(Agent):
    def seed(self, seed):
        raise KeyError("seed")

class Leaving(Agent):
    def act(self, observations, episode_starts):
        sys.exit(0)

class Closing(Agent):
    def seed(self, seed):
        raise GeneratorExit

class LeavingAtOnce(Agent):
    def __init__(self):
        sys.exit("no weights")

class Elsewhere(Agent):
    def act(self, observations, episode_starts):
        return np.full(len(episode_starts), 77)

class Odd(Agent):
    def act(self, observations, episode_starts):
        raise BaseException("odd")

class Recursing(Agent):
    def act(self, observations, episode_starts):
        return self.act(observations, episode_starts)

class Shapeless(Agent):
    def act(self, observations, episode_starts):
        return None

class NoNumber(Agent):
    def act(self, observations, episode_starts):
        return np.full(len(episode_starts), np.nan)
"""


@pytest.fixture
def their_file(tmp_path, monkeypatch):
    """Where the command is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "their_raising_agents.py"


def test_documented_agent_plays(their_file, run):
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    their_file.with_name("their_documented_agent.py").write_text(code)
    code, out, err = run(
        "evaluate",
        "grid-world/graded",
        "--policy",
        "their_documented_agent:Agent",
        "--training-steps",
        "0",
        "-o",
        "mine",
    )
    assert (code, err.count("warning")) == (0, 0)
    assert float(re.search(r"success (0\.\d+)", out)[1]) > 0.05


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Agent",
            r"their_raising_agents:Agent raised ValueError: .*\.py, line 11, in head: return np.ones\(\(3, 3\)\)",
        ),
        ("Unmade", r"Unmade raised FileNotFoundError: .*\.py, line 15, in __init__"),
        ("Unseeded", r"Unseeded raised KeyError: 'seed' \(.*line 19, in seed: raise KeyError"),
        ("Leaving", r"Leaving may not end the program: SystemExit: 0 \([^()]*line 23, in act: sys.exit\(0\)\); `"),
        ("Closing", r"Closing may not end the program: GeneratorExit.*line 27, in seed"),
        ("LeavingAtOnce", r"LeavingAtOnce may not end the program: SystemExit: no weights .*in __init__"),
        ("Odd", r"Odd may not end the program: BaseException: odd \([^()]*line 39, in act: raise BaseException"),
        ("Recursing", r"Recursing raised RecursionError: maximum recursion depth exceeded.*line 43, in act"),
        ("Shapeless", r"Shapeless raised InvalidActionError: actions have shape \(\), expected \(\d+,\)"),
        ("NoNumber", r"NoNumber raised InvalidActionError: actions have dtype float64, expected int"),
        ("Elsewhere", r"Elsewhere raised InvalidActionError: action.* is 77.*; `python -m pydoc"),
    ],
)
def test_agent_that_raises_ends_the_command(name, message, their_file, run):
    assert_refused("grid-world/target-a", name, message, their_file, run)


#: What a whole process, a step and an action are ended by; the others raise where no environment has a part in it.
BESIDE_WORKERS = [
    ("Agent", r"their_raising_agents:Agent raised ValueError: .*\.py, line 11, in head: return np.ones\(\(3, 3\)\)"),
    ("Leaving", r"Leaving may not end the program: SystemExit: 0 \([^()]*line 23, in act: sys.exit\(0\)\); `"),
    ("Elsewhere", r"Elsewhere raised InvalidActionError: action.* is 77.*; `python -m pydoc"),
]


@pytest.mark.parametrize(("name", "message"), BESIDE_WORKERS)
def test_agent_that_raises_beside_workers_ends_the_command(name, message, their_file, run):
    pytest.importorskip("pybullet")
    assert_refused("table-push/target-a", name, message, their_file, run)


def assert_refused(track, name, message, their_file, run):
    their_file.write_text(RAISING)
    arguments = ("--policy", f"their_raising_agents:{name}", "--training-steps", "0", "--workers", "1", "-o", "mine")
    code, _, err = run("evaluate", track, *arguments)
    assert code == 2 and re.search(message, err), err
    assert err.count("\n") == 1 and not list(their_file.parent.glob("mine*"))


class Raising:
    def act(self, observations, episode_starts):
        raise LookupError("which?")


def test_evaluate_raises(tmp_path):
    with pytest.raises(OwnPolicyError, match=r"Raising raised LookupError: which\? .*test_own_agents\.py") as caught:
        description = MethodDescription("Tests", "pytest", training_steps=0)
        evaluate(get_benchmark("grid-world/target-a"), [(Raising(), 0)], tmp_path / "new", description)
    assert isinstance(caught.value.__cause__, LookupError)
    assert list(tmp_path.iterdir()) == []
