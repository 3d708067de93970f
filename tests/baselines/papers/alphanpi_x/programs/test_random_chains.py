"""Chains of random calls: what is recorded, how it is counted and named, and which files are refused."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.random_chains import (
    ChainSettings,
    InvalidChainsError,
    RecordedChains,
    record_chains,
)
from procgen_bench.tasks.programs import PROGRAMS


class KeepsSo(ScriptedAtomicPolicy):
    """The expert in so many calls of each row; it rests in those after."""

    def __init__(self, *calls):
        super().__init__()
        self._left = [*calls]

    def begin(self, row, program, goal):
        """See :class:`AtomicPolicy`."""
        self._left[row] -= 1
        super().begin(row, program, goal)

    def act(self, rows, states):
        """See :class:`AtomicPolicy`."""
        return super().act(rows, states) * [[self._left[row] >= 0] for row in rows]


@pytest.fixture(scope="module")
def recorded():
    return record_chains(KeepsSo(2, 0, 1), ChainSettings(3, calls=2))


def test_calls_are_counted_to_the_first_that_fails(recorded):
    assert recorded.lengths.tolist() == [2, 0, 1]
    assert recorded.chain.tolist() == [0, 1, 2, 0, 2] and recorded.kept.tolist() == [True, False, True, True, False]


def test_calls_are_recorded_step_by_step(recorded):
    assert recorded.states.shape == (5, 51, 70) and recorded.actions.shape == (5, 50, 4)
    assert np.array_equal(recorded.states[0, -1], recorded.states[3, 0]), "the second call of chain 0 goes on there"
    programs = [*PROGRAMS.values()]
    for number, goal, states, kept in zip(recorded.programs, recorded.goals, recorded.states, recorded.kept):
        assert programs[number].postcondition(states[-1].astype(np.float64), goal) == kept
        assert programs[number].precondition(states[0].astype(np.float64))
    assert not recorded.actions[1].any() and recorded.actions[0].any()


def test_it_is_written_under_its_address_and_read_again(recorded, tmp_path):
    path = recorded.write(tmp_path)
    assert path.name == f"chains-{recorded.address}"
    again = RecordedChains.read(path)
    assert again.about == recorded.about and again.address == recorded.address
    assert np.array_equal(again.states, recorded.states)


def test_other_content_and_chains_longer_than_their_horizon_are_refused(recorded, tmp_path):
    path = recorded.write(tmp_path)
    path.rename(tmp_path / "chains-0")
    with pytest.raises(InvalidChainsError, match=f"chains-0 holds chains-{recorded.address}, expected what its name"):
        RecordedChains.read(tmp_path / "chains-0")
    longer = replace(recorded, about=recorded.about | {"calls": 1}).write(tmp_path)
    with pytest.raises(InvalidChainsError, match=r"has a chain of 2 calls, expected at most its horizon, 1$"):
        RecordedChains.read(longer)
    (longer / "arrays.safetensors").write_bytes(b"")
    with pytest.raises(InvalidChainsError, match="is no data set of chains: "):
        RecordedChains.read(longer)
