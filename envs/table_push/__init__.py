"""TablePush-v0: pushing cans on a table of blocks, in PyBullet (APT-Gen, section A.2)."""

from procgen_bench.envs.table_push.environment import TablePushEnv, TablePushVectorEnv
from procgen_bench.envs.table_push.solving import solve

__all__ = ["TablePushEnv", "TablePushVectorEnv", "solve"]
