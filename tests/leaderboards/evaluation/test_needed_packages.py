"""What scoring a trained policy needs is looked for before anything is loaded, exported or played."""

import subprocess
import sys

import pytest

EVALUATE = """
import sys
sys.modules[{missing!r}] = None
from procgen_bench.cli import main
try:
    main(["evaluate", {track!r}, "--policy", {policy!r}, "-o", "submission"])
except SystemExit as stop:
    print(stop.code, "torch" in sys.modules)
"""


@pytest.mark.parametrize(
    ("missing", "track", "policy", "extra"),
    [
        ("onnxruntime", "grid-world/graded", "runs/ppo/policy", "rerun"),
        ("onnxscript", "grid-world/graded", "runs/ppo/policy", "baselines"),
        ("onnx", "grid-world/graded", "policy.onnx", "rerun"),
        ("mujoco", "ant-maze/test", "runs/ppo/policy", "mujoco"),
        ("gymnasium_robotics", "fetch-blocks/groups", "runs/ppo/policy", "fetch"),
    ],
)
def test_a_missing_package_is_named_before_anything_is_done(tmp_path, missing, track, policy, extra):
    script = EVALUATE.format(missing=missing, track=track, policy=policy)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
    expected = f"error: {missing} is not installed; install it with: pip install 'procgen-bench[{extra}]'\n"
    assert done.stderr == expected and not list(tmp_path.iterdir())
