"""Programs whose post-conditions ask for more than their calls' goals grant: imagination alone does them."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CallRules
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Searched
from procgen_bench.tasks.programs.slack import ENOUGH, SLACK, lasting_share


def narrow_ends(rules: CallRules, searched: Sequence[Searched], rng: np.random.Generator) -> list[str]:
    """A line for each program that often is not done where it was imagined to be, with its blocks a little off.

    Args:
        rules: The programs.
        searched: What was imagined of them.
        rng: Draws where the blocks are.
    """
    lines = []
    for program in rules.library.values():
        ends = [one.states[-1] for one in searched if one.program == program.number and one.succeeded]
        share = lasting_share(program, np.stack(ends), rng) if ends else 1.0
        if share < ENOUGH:
            lines.append(
                f"{program.name} is done in {share:.2f} of its imagined ends if blocks are up to {SLACK:g} m off, as "
                "calls leave them; widen its post-condition, or its goals' room"
            )
    return lines
