"""Networks of pairs by how they read elements, "module:class" each: a run loads the one that it uses."""

_HERE = "procgen_bench.baselines.papers.code"
ENCODERS = dict.fromkeys(("window", "bidirectional", "forward"), f"{_HERE}.site_networks:PairNetwork")
ENCODERS["names"] = f"{_HERE}.named_network:NamedPairNetwork"
