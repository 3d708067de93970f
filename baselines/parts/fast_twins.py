"""Compiled twins of learners: what computes the same as their torch code, faster.

They are chosen here, once, when a learner is made; learners are read without :mod:`procgen_bench.baselines.fast`.
"""

import pkgutil
from typing import Any

from torch import nn

_VALUES = "procgen_bench.baselines.fast.q_values:CompiledValues"


def fast_values(network: nn.ModuleDict, target_network: nn.ModuleDict, **settings: float) -> Any | None:
    """Compiled :class:`.QValues` of a network of ``"features"`` and a ``"head"``; ``None``: there are none for it.

    Args:
        network: What is learned.
        target_network: Values what follows.
        settings: As :class:`.CompiledValues` takes them.
    """
    return pkgutil.resolve_name(_VALUES).of(network, target_network, **settings)
