"""Networks of pairs by how they read elements, "module:class" each: a run loads the one that it uses."""

from collections.abc import Mapping
from types import MappingProxyType

_PLAIN = "procgen_bench.baselines.papers.code.site_networks:PairNetwork"
ENCODERS: Mapping[str, str] = MappingProxyType(
    {
        "window": _PLAIN,
        "bidirectional": _PLAIN,
        "forward": _PLAIN,
        "names": "procgen_bench.baselines.papers.code.named_network:NamedPairNetwork",
    }
)
