"""Traces of programs as trees of text, as the paper's figure 1 draws them."""

from collections.abc import Sequence

from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import TraceLine


def drawn_trace(trace: Sequence[TraceLine]) -> str:
    """A trace as lines of text, each call below the program that makes it; Stop is shown as the end of its program.

    Args:
        trace: As :meth:`.Interpreter.trace` returns it.
    """
    lines = []
    for place, line in enumerate(trace):
        if line.depth == 0 and place == 0:
            lines.append(line.name)
            continue
        rails = ("│  " if _goes_on(trace, place, depth) else "   " for depth in range(1, line.depth))
        branch = "├─ " if _goes_on(trace, place, line.depth) else "└─ "
        lines.append("".join(rails) + branch + line.name)
    return "\n".join(lines)


def _goes_on(trace: Sequence[TraceLine], place: int, depth: int) -> bool:
    """Whether the program that calls at this depth calls again after this place, before it ends."""
    for line in trace[place + 1 :]:
        if line.depth <= depth:
            return line.depth == depth
    return False
