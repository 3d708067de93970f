"""Traces are drawn as trees."""

from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import TraceLine
from procgen_bench.baselines.papers.alphanpi_x.programs.traces import drawn_trace

TRACE = [
    TraceLine(0, "Clean_And_Stack", False),
    TraceLine(1, "Stack_All_To_Zone_BLUE", False),
    TraceLine(2, "Move_To_Zone_2_BLUE", True),
    TraceLine(2, "Stack_3_2", True),
    TraceLine(2, "Stop", False),
    TraceLine(1, "Stack_1_0", True),
    TraceLine(1, "Stop", False),
]


def test_calls_stand_below_the_programs_that_make_them():
    assert drawn_trace(TRACE).splitlines() == [
        "Clean_And_Stack",
        "├─ Stack_All_To_Zone_BLUE",
        "│  ├─ Move_To_Zone_2_BLUE",
        "│  ├─ Stack_3_2",
        "│  └─ Stop",
        "├─ Stack_1_0",
        "└─ Stop",
    ]


def test_a_trace_that_was_cut_off_is_drawn_as_far_as_it_goes():
    assert drawn_trace(TRACE[:3]).splitlines() == [
        "Clean_And_Stack",
        "└─ Stack_All_To_Zone_BLUE",
        "   └─ Move_To_Zone_2_BLUE",
    ]
