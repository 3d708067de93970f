"""Policies that a run keeps of its evaluations, and who takes them all from its folder."""

import numpy as np

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.reproduction.measured import _kept_policies
from procgen_bench.testing.runs import Run


def test_a_run_keeps_the_policy_of_every_evaluation_where_it_is_asked_to(tmp_path):
    for kept in (True, False):
        run = Run.small(METHODS["ppo"], get_benchmark("grid-world/graded"), 320, {"keep_policies": kept})
        found = run.train(tmp_path / f"{kept}", 0, noise=0)
        policies = _kept_policies(str(found.path))
        if not kept:
            assert policies == [str(found.path)]
            continue
        steps = [int(row["step"]) for row in curve_of(found.path)]
        assert policies == [str(found.path / "policies" / str(step)) for step in steps] and len(steps) > 2
        first, last, newest = (
            PolicyFolder.read(path) for path in map(found.path.joinpath, (policies[0], policies[-1], "policy"))
        )
        assert last.hash() == newest.hash() != first.hash()
        assert not np.array_equal(first.weights["critic.weight"], last.weights["critic.weight"])
        assert [PolicyFolder.read(found.path / one).configuration["training_steps"] for one in policies] == steps
