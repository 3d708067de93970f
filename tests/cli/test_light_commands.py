"""What only says, completes or refuses something answers at once: it loads no networks and no simulators.

What a shell's completion is answered, and where it is installed.
"""

import json
import os
import subprocess
import sys

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.registrations import ENVIRONMENT_IDS

#: Loading one of these takes a fifth of a second to seconds.
HEAVY = {
    "torch",
    "numba",
    "scipy",
    "mujoco",
    "gymnasium_robotics",
    "pybullet",
    "minigrid",
    "playwright",
    "stable_baselines3",
    "matplotlib",
}
WATCHED = f"""
import runpy, sys
sys.argv[0] = "procgen-bench"
try:
    runpy.run_module("procgen_bench.cli", run_name="__main__")
finally:
    print("loaded:", *sorted({HEAVY!r} & sys.modules.keys()))
"""
#: Several commands, one after the other in one interpreter, none of which may load anything.
WATCHED_IN_TURN = f"""
import contextlib, io, json, sys
from procgen_bench.cli import main
for words in json.load(sys.stdin):
    sys.argv[1:] = words
    code, said = None, io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    print(json.dumps([code, said.getvalue(), sorted({HEAVY!r} & sys.modules.keys())]))
"""
#: Options of a run -> what it is refused with.
REFUSED = {
    "nothing/here": "unknown benchmark 'nothing/here'",
    "grid-world/graded --discount 2": "less than or equal to 1, not '2'",
    "grid-world/graded --learning-rate nan": "greater than or equal to 0, not 'nan'",
    "grid-world/graded --steps 10": "steps is 10, expected at least 256, an action of each of 256 rows",
    "grid-world/graded --teacher nobody": "unknown teacher 'nobody'",
    "grid-world/graded --teacher-options a=1": "teacher 'uniform' has no option 'a'",
    "grid-world/graded --teacher apt-gen --teacher-options delta=half": "expected a value of type float",
    "gminiwob/test --teacher code --teacher-options regret=most": "expected one of ['mean', 'episode']",
    "grid-world/graded --teacher code --teacher-options slots=none": "expected a value of type int",
}


def watched(*words, **variables):
    """Exit code, what is printed, and what is loaded, of a command in an interpreter of its own."""
    found = subprocess.run(
        [sys.executable, "-c", WATCHED, *words], capture_output=True, text=True, env=os.environ | variables
    )
    said, _, loaded = found.stdout.rpartition("loaded:")
    return found.returncode, said + found.stderr, set(loaded.split())


def watched_in_turn(commands):
    """The same of several commands in one interpreter; what one loads, those after it have loaded, too."""
    found = subprocess.run(
        [sys.executable, "-c", WATCHED_IN_TURN], input=json.dumps(commands), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in found.stdout.splitlines()]


def test_what_is_there_is_said_without_loading_it():
    commands = ("--help", "list", "train --help", "train ppo --help", "train alphanpi-x --help", "train sb3-ppo --help")
    commands += ("runs .", "serve --help")
    answers = watched_in_turn([words.split() for words in commands])
    for words, (code, said, loaded) in zip(commands, answers, strict=True):
        assert code in (0, 2) and said and loaded == [], words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("train pp", "ppo"),
        ("train ppo grid", "grid-world/graded"),
        ("train ppo --te", "--teacher"),
        ("list --", "--json"),
    ],
)
def test_words_are_completed_without_loading_anything(line, expected):
    line = f"procgen-bench {line}"
    variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    code, said, loaded = watched(_PROCGEN_BENCH_COMPLETE="complete_bash", **variables)
    assert code == 0 and expected in said.split() and loaded == set()


def test_runs_are_refused_before_their_networks_are_loaded(tmp_path):
    answers = watched_in_turn(
        [["train", "ppo", *options.split(), "--out", str(tmp_path / "run")] for options in REFUSED]
    )
    for (options, reason), (code, said, loaded) in zip(REFUSED.items(), answers, strict=True):
        assert code == 2 and reason in said and loaded == [], options
    assert not (tmp_path / "run").exists()


def test_a_run_is_refused_by_a_command_of_its_own_as_well(tmp_path):
    options, reason = next(iter(REFUSED.items()))
    code, said, loaded = watched("train", "ppo", *options.split(), "--out", str(tmp_path / "run"))
    assert code == 2 and reason in said and loaded == set()


def test_a_method_that_does_not_suit_is_refused_as_soon():
    code, said, loaded = watched("train", "ddpg-her", "grid-world/graded")
    assert code == 2 and "does not support GridWorld-v0" in said and loaded == set()


def test_the_doctor_loads_no_networks_where_nothing_computes_on_a_gpu():
    _, said, loaded = watched("doctor")
    assert "numba" in loaded, "the cache of compiled functions is Numba's"
    assert not loaded & {"torch", "mujoco", "pybullet"} or "none: there is no CUDA driver" not in said


GRID = [name for name in BENCHMARKS if name.startswith("grid-world/")]
TRAINABLE = [method.name for method in METHODS.values() if method.trainable]


def answer(words: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "procgen_bench.cli", *words.split()],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def completed(line: str) -> list[str]:
    """The completions of a line's last word that bash is given."""
    words = line.split(" ")
    variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return answer("", _PROCGEN_BENCH_COMPLETE="complete_bash", **variables).stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("procgen-bench describe ", ENVIRONMENT_IDS),
        ("procgen-bench evaluate grid-world/graded --policy so", ["solver"]),
        ("procgen-bench train ppo grid-world/", GRID),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("procgen-bench train ", TRAINABLE),
                ("procgen-bench play Grid", ["GridWorld-v0"]),
                ("procgen-bench evaluate grid-world/", GRID),
                ("procgen-bench leaderboard grid-world/", GRID),
                ("procgen-bench render --env BitG", ["BitGrid-v0"]),
                ("procgen-bench plot runs --measure s", ["success"]),
                ("procgen-bench lead", ["leaderboard"]),
            )
        ),
    ],
)
def test_names_are_completed(line, expected):
    assert sorted(completed(line)) == sorted(expected)


@pytest.mark.parametrize("option", ["--install-completion", "--show-completion"])
def test_another_shell_is_refused_and_nothing_installed(option, tmp_path):
    words = [sys.executable, "-m", "procgen_bench.cli", option, "klingon"]
    refused = subprocess.run(
        words, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=False
    )
    assert (refused.returncode, refused.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert refused.stderr.startswith(f"error: Invalid value for '{option}'") and refused.stderr.count("\n") == 1
    assert all(shell in refused.stderr for shell in ("klingon", "bash", "zsh", "fish"))


def test_completion_is_installed_for_a_shell(tmp_path):
    output = answer("--install-completion bash", HOME=str(tmp_path)).stdout
    assert "bash completion installed" in output
    (script,) = tmp_path.glob(".bash_completions/*.sh")
    assert "_PROCGEN_BENCH_COMPLETE=complete_bash" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()
