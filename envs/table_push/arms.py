"""The arms that move the tool, by name; a module is loaded when its arm is wanted."""

import importlib

from procgen_bench.core.extras import import_extra
from procgen_bench.envs.table_push.scene import Arm

#: Module and class by name.
ARMS = {
    "tool": ("procgen_bench.envs.table_push.tool", "ToolArm"),
    "sawyer": ("procgen_bench.envs.table_push.sawyer", "SawyerArm"),
}


def make_arm(name: str) -> Arm:
    """The arm of this name, one of ``ARMS``.

    Raises:
        MissingExtraError: The Sawyer arm's joints take SciPy, which is not installed.
    """
    if name == "sawyer":
        import_extra("scipy.linalg")  # Numba inverts matrices with it
    module, arm_type = ARMS[name]
    return getattr(importlib.import_module(module), arm_type)()
