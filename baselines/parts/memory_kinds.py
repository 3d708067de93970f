"""Where the memories of networks are: ``"module:class"`` by the kinds' names; one is loaded where a network has it."""

MEMORIES = {
    "gru": "procgen_bench.baselines.parts.memories:Memory",
    "lstm": "procgen_bench.baselines.parts.memories:LongMemory",
}
