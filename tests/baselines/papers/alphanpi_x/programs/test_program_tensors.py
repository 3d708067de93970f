"""Pre-conditions and goals as tensors are those of the library, of all programs and numbers of blocks."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs import program_tensors
from procgen_bench.baselines.papers.alphanpi_x.programs.program_tensors import ProgramTensors
from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, ProgramDefinition, paper_library
from tests.tasks.programs.test_library import tried_states


def differing(library, count):
    """Shares of the states in which pre-conditions and goals are others than the library's, by program."""
    states = tried_states(library, count)
    startable, goals = (found.numpy() for found in ProgramTensors(library)(torch.as_tensor(states)))
    other_goals = (goals != library.goals(states)).any(axis=2)
    return (startable != library.preconditions(states)).mean(axis=0), other_goals.mean(axis=0)


@pytest.mark.parametrize("num_blocks", [2, 3, 4, 5, 6])
def test_they_are_those_of_the_library_bit_for_bit(num_blocks):
    assert not np.any(differing(paper_library(num_blocks), 2_000))


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("DISTANCE_THRESHOLD", 0.045),
        ("BLOCK_RADIUS", 0.026),
        ("RESTING_HEIGHT", 0.43),
        ("PLACE_CLEARANCE", (0.06, 0.085)),
    ],
)
def test_another_table_is_noticed(constant, value, monkeypatch):
    monkeypatch.setattr(program_tensors, constant, value)
    assert np.any(differing(PROGRAMS, 2_000))


def test_functions_of_ones_own_are_refused():
    own = ProgramDefinition(
        "Wait", "wait", 0, phi=lambda state, arguments: True, theta=lambda s, a, g: None, blocks=(0,)
    )
    with pytest.raises(InvalidLibraryError, match="Wait has functions of its own"):
        ProgramTensors(PROGRAMS.extended([own]))
