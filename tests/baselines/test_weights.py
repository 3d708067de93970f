"""Arrays that cannot be written are one error."""

import resource

import numpy as np
import pytest
from safetensors.numpy import load_file

from procgen_bench.baselines.parts.programs.model_folder import write_weights as of_models
from procgen_bench.baselines.policies.folders import write_weights as of_policies
from procgen_bench.baselines.training.run_folder import write_weights as of_runs
from procgen_bench.core.atomic import write_weights
from procgen_bench.core.errors import UnwritablePathError

ARRAYS = {"weights": np.arange(5_000.0)}


@pytest.fixture
def small_files():
    """No file may have more than 8 kB: as on a full disk, a write in the midst of it fails."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_what_is_written_is_read(tmp_path):
    write_weights(tmp_path / "weights", ARRAYS)
    assert np.array_equal(load_file(tmp_path / "weights")["weights"], ARRAYS["weights"])


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_is_an_error_of_the_path(tmp_path):
    with pytest.raises(UnwritablePathError, match=r"/weights cannot be written: .*File too large"):
        write_weights(tmp_path / "weights", ARRAYS)


def test_all_that_keep_arrays_write_them_here():
    assert {of_policies, of_models, of_runs} == {write_weights}
