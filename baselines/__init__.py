"""Baselines: methods, curricula, policies, and the trainer that they share.

``python -m procgen_bench.baselines.METHOD`` is ``procgen-bench train METHOD``, of every method in the table: the
command's module is made when it is asked for.
"""

import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _MethodCommands(MetaPathFinder, InspectLoader):
    """Finds ``procgen_bench.baselines.METHOD`` where no file of that name lies, and is its source."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != __name__:
            return None
        from procgen_bench.baselines.method_table import METHODS

        method = name.replace("_", "-")
        return ModuleSpec(fullname, self) if method in METHODS and METHODS[method].trainable else None

    def get_source(self, fullname: str) -> str:
        method = fullname.rpartition(".")[2].replace("_", "-")
        return f"from procgen_bench.baselines.training.command_line import main\n\nmain({method!r})\n"


sys.meta_path.append(_MethodCommands())
