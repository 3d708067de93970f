"""Programs: what coloured blocks on a table can be asked to do, as data and pure batched functions.

``PROGRAMS`` are the 27 of AlphaNPI-X for four blocks, :func:`paper_library` has them for 2 to 6, and a
:class:`ProgramLibrary` of the user's own is made of :class:`ProgramDefinition`; examples/own_programs.py shows how.

Source: "Learning Compositional Neural Programs for Continuous Control" (Pierrot et al., 2020), sections 3, A and C.
"""

from procgen_bench.tasks.programs.checks import InvalidLibraryError
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.dependencies import dependency_graph
from procgen_bench.tasks.programs.goals import goal_reached
from procgen_bench.tasks.programs.library import ProgramLibrary
from procgen_bench.tasks.programs.paper import GROUPS, PROGRAMS, paper_library
from procgen_bench.tasks.programs.program import ATOMIC_STEPS, Program

__all__ = [
    "ATOMIC_STEPS",
    "GROUPS",
    "PROGRAMS",
    "InvalidLibraryError",
    "Program",
    "ProgramDefinition",
    "ProgramLibrary",
    "dependency_graph",
    "goal_reached",
    "paper_library",
]
