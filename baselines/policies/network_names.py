"""Networks of this package that are asked for by name."""

#: Name -> ``"module:class"``, of what a user's own network is; see :class:`.OwnEncoder`.
NETWORKS = {"view": "procgen_bench.baselines.parts.view_network:ViewNetwork"}
