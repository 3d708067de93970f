"""The programs of AlphaNPI-X: what four coloured blocks on a table can be asked to do, as pure batched functions.

Source: "Learning Compositional Neural Programs for Continuous Control" (Pierrot et al., 2020), sections 3, A and C.
"""

from procgen_bench.tasks.programs.goals import goal_reached
from procgen_bench.tasks.programs.library import GROUPS, PROGRAMS, dependency_graph, find_program
from procgen_bench.tasks.programs.program import ATOMIC_STEPS, Program, reached

__all__ = [
    "ATOMIC_STEPS",
    "GROUPS",
    "PROGRAMS",
    "Program",
    "dependency_graph",
    "find_program",
    "goal_reached",
    "reached",
]
