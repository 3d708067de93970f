"""REINFORCE, and a teacher that gives failed levels again, as a package of their own beside procgen_bench.

What an entry point of the group ``procgen_bench.methods`` names is a :class:`Method`. Its parts are named by strings,
so that ``procgen-bench list`` need not import torch.
"""

from procgen_bench.baselines.method_table import Method

METHOD = Method(
    name="own-reinforce",
    description="REINFORCE with the mean return as its baseline (Williams 1992).",
    policy="own_method.reinforce:ReinforcePolicy",
    configuration="own_method.reinforce:ReinforceConfiguration",
    rows_options="own_method.reinforce:rows_options",
    make_players="own_method.reinforce:make_players",
    check_actions="procgen_bench.baselines.action_kinds:check_learnable",
)
