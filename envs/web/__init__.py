"""GMiniWoB-v0: generated web sites, in a real browser and in a native twin (CoDE, section 6)."""

from procgen_bench.envs.web.environment import GMiniWoBEnv
from procgen_bench.envs.web.literal import GMiniWoBLiteralEnv, GMiniWoBLiteralVectorEnv
from procgen_bench.envs.web.vector_env import GMiniWoBVectorEnv

__all__ = ["GMiniWoBEnv", "GMiniWoBLiteralEnv", "GMiniWoBLiteralVectorEnv", "GMiniWoBVectorEnv"]
