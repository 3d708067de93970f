"""What a shell's completion is answered, and where it is installed."""

import os
import subprocess
import sys

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.registrations import ENVIRONMENT_IDS

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
