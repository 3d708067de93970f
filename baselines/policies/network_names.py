"""Networks of this package by name: ``"module:class"``, which is made as a user's own is; see :class:`.OwnEncoder`."""

NETWORKS = {"view": "procgen_bench.baselines.parts.view_network:ViewNetwork"}
