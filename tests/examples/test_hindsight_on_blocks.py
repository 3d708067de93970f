"""The example learns for some seconds with stable-baselines3 and tells its success."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

EXAMPLE = Path(__file__).parents[2] / "examples" / "hindsight_on_blocks.py"


@pytest.mark.slow
@pytest.mark.parametrize("environment", [["FetchBlocks-v0", "--num-blocks", "2"], ["FetchPickAndPlace-v4"]])
def test_it_tells_success_over_steps(environment):
    arguments = [sys.executable, str(EXAMPLE), *environment, "--minutes", "0.2", "--period", "50"]
    output = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "      50 steps  success 0." in output and "steps in 0.2 minutes" in output
