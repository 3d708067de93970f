"""Where compiled twins are: what computes the same as torch code, faster; it is loaded where a learner is made."""

#: ``"module:class"`` of compiled :class:`.QValues`, whose ``of`` gives them, or ``None`` where there are none.
VALUES = "procgen_bench.baselines.fast.q_values:CompiledValues"
