"""Arrays are written in one place; what a full disk does to it: ``tests/cli/test_full_disk.py``."""

import numpy as np
from safetensors.numpy import load_file

from procgen_bench.baselines.papers.alphanpi_x.programs.model_folder import write_weights as of_models
from procgen_bench.baselines.policies.folders import write_weights as of_policies
from procgen_bench.baselines.training.run_folder import write_weights as of_runs
from procgen_bench.core.atomic import write_weights

ARRAYS = {"weights": np.arange(5_000.0)}


def test_what_is_written_is_read(tmp_path):
    write_weights(tmp_path / "weights", ARRAYS)
    assert np.array_equal(load_file(tmp_path / "weights")["weights"], ARRAYS["weights"])


def test_all_that_keep_arrays_write_them_here():
    assert {of_policies, of_models, of_runs} == {write_weights}
