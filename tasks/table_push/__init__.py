"""TablePush's tasks (APT-Gen, section A.2): a table of flat blocks, pits and roadblocks, three cans and a goal."""

from procgen_bench.tasks.table_push.space import TablePushTaskSpace
from procgen_bench.tasks.table_push.table import HORIZON
from procgen_bench.tasks.table_push.task import TablePushTask

__all__ = ["HORIZON", "TablePushTask", "TablePushTaskSpace"]
