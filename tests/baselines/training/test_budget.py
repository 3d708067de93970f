"""Every environment step counts, and none is taken beyond the run's."""

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark

SMALL = {"num_envs": 8, "rollout_steps": 16, "minibatches": 2, "width": 16, "evaluation_tasks": 2}
PROBING = "candidates=20,episodes=2,buffer_size=5,period=2,edits=1"


def train(steps, out, **settings):
    method = METHODS["ppo"]
    configuration = method.load("configuration")(**SMALL, **settings)
    method.train(get_benchmark("grid-world/graded"), configuration, 0, steps, out)
    return curve_of(out)[-1]["step"]


@pytest.mark.parametrize("steps", [8, 250, 256])
def test_the_last_rollout_is_shortened_to_the_steps_that_are_left(steps, tmp_path):
    assert train(steps, tmp_path / "run") == steps - steps % 8


def test_probes_stay_within_the_steps_too(tmp_path):
    reached = train(3_000, tmp_path / "run", teacher="learnability", teacher_options=PROBING)
    assert 3_000 - 8 < reached <= 3_000


def test_a_run_of_less_than_a_step_of_every_row_is_refused(tmp_path):
    with pytest.raises(TooFewStepsError, match="steps is 7, expected at least 8, an action of each of 8 rows"):
        train(7, tmp_path / "run")
    assert not (tmp_path / "run").exists()
