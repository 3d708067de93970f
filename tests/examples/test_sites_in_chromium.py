"""A trained policy in the native twin and in real Chromium: the same episodes, and a difference would be seen."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration

train = METHODS["pair-ppo"].train

pytest.importorskip("playwright")

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "sites_in_chromium.py"))
BENCHMARK, played, unlike = (EXAMPLE[name] for name in ("BENCHMARK", "played", "unlike"))
CONFIGURATION = PairPPOConfiguration(
    num_envs=32,
    minibatches=4,
    teacher="random-designs",
    teacher_options="slots=3,pages=2,batch=8",
    evaluate_every=12_000,
    evaluation_tasks=1,
)


def test_places_that_differ_are_named():
    episodes = played("site-matcher", "dom", BENCHMARK.task_suite().tasks[:3])
    other = [episodes[0], replace(episodes[1], success=False), replace(episodes[2], length=24)]
    assert unlike(episodes, episodes) == [] and unlike(episodes, other) == [1, 2]


@pytest.mark.slow
def test_a_trained_policy_solves_in_chromium_what_it_solves_in_the_twin(tmp_path):
    train(BENCHMARK, CONFIGURATION, 0, 12_000, tmp_path / "run")
    tasks = BENCHMARK.task_suite().tasks[::4]
    twin, real = (played(tmp_path / "run" / "policy", backend, tasks) for backend in ("dom", "browser"))
    assert unlike(twin, real) == []
    assert len({(episode.return_, episode.length) for episode in twin}) > 10, "episodes are of many kinds"
