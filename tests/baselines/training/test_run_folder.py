"""A run that ends where its folder would be opened refuses what any run refuses; nothing is trained or written."""

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.run_folder import unopened
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError

#: A method of the trainer, and one that trains by itself.
SMALL = {
    "ppo": {"num_envs": 4, "rollout_steps": 8, "width": 8},
    "sb3-ppo": {"num_envs": 4, "width": 8, "arguments": "n_steps=8,batch_size=8"},
}


def train(method, out, **settings):
    configuration = METHODS[method].load("configuration")(**SMALL[method] | settings, evaluation_tasks=2)
    METHODS[method].train(get_benchmark("grid-world/graded"), configuration, 0, 64, out)


@pytest.mark.parametrize("method", SMALL)
def test_an_unopened_run_writes_nothing_and_closes_its_rows(method, tmp_path, monkeypatch):
    closed = []
    close = CurriculumVectorEnv.close
    monkeypatch.setattr(CurriculumVectorEnv, "close", lambda rows: closed.append(rows.steps) or close(rows))
    with unopened():
        train(method, tmp_path / "run")
    assert not (tmp_path / "run").exists() and closed == [0]


def test_an_unopened_run_refuses_what_any_run_refuses_and_the_next_one_is_trained(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown teacher 'nobody'"), unopened():
        train("ppo", tmp_path / "run", teacher="nobody")
    train("ppo", tmp_path / "run")
    assert (tmp_path / "run" / "policy").is_dir()
