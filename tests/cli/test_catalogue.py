import inspect
from collections import Counter

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.cli import catalogue
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.registrations import ENVIRONMENT_IDS, REGISTRATIONS, environment_type, find_registration
from tests.installed import INSTALLED_IDS


def test_list_shows_every_environment_method_and_benchmark(run):
    code, out, _ = run("list")
    assert code == 0
    first_words = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert {*ENVIRONMENT_IDS, *METHODS, *BENCHMARKS} <= set(first_words)
    assert "The parameterised grid world of APT-Gen." in out


@pytest.mark.parametrize("columns", [160, 80])
def test_list_tells_how_to_install_what_is_missing(run, monkeypatch, columns):
    def missing(extra):
        raise MissingExtraError(extra, extra)

    monkeypatch.setattr(catalogue, "check_installed", missing)
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = run("list")
    assert code == 0
    for extra, count in Counter(one.extra for one in REGISTRATIONS if one.extra).items():
        assert out.count(f"  pip install 'procgen-bench[{extra}]'") == count, "in one line, to be copied"
    assert "…" not in out


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_list_says_what_an_environments_own_page_says_first(environment_id):
    found, env_type = find_registration(environment_id), environment_type(environment_id)
    assert inspect.getdoc(env_type).partition("\n")[0] == found.description


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_describe_shows_spaces_limit_suites_and_documentation(run, environment_id):
    code, out, _ = run("describe", environment_id)
    assert code == 0
    for fact in ("observation space", "action space", "task parameters", "time limit", "suites"):
        assert fact in out
    for section in ("Description", "Action Space", "Rewards", "Episode End", "Version History"):
        assert section in out
    assert "`" not in out
    assert ":class:" not in out
    assert "##" not in out


def test_describe_of_bit_grid(run):
    _, out, _ = run("describe", "BitGrid-v0")
    assert "Discrete(9)" in out
    assert "test (500)" in out
    assert "desired_goal" in out


def test_describe_of_grid_world(run):
    _, out, _ = run("describe", "GridWorld-v0")
    assert "Discrete(4)" in out
    assert "50 steps" in out
    assert "targets (3), graded (200), random (1000)" in out
