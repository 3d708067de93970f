"""AlphaNPI-X's calls by what they follow: which are made, how they count, and how they are written."""

import json
from itertools import pairwise

import numpy as np
from typer.testing import CliRunner

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import FailingAtomicPolicy, ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.random_chains import RecordedChains
from procgen_bench.cli import app
from procgen_bench.leaderboards.reproduction.alphanpi_x_calls import CHAINS, KINDS, ChainSettings, play_chains
from procgen_bench.tasks.programs import PROGRAMS

ONE = ChainSettings(chains=1)
CHAIN_NAMES = [chain.name for chain in CHAINS]


class Watched(ScriptedAtomicPolicy):
    """The expert, whose calls are noted; from the call of a number on it stays where it is, without letting go."""

    def __init__(self, rests_from=99):
        super().__init__()
        self.called, self._rests_from = [], rests_from

    def begin(self, row, program, goal):
        """See :class:`AtomicPolicy`."""
        self.called.append(program.name)
        super().begin(row, program, goal)

    def act(self, rows, states):
        """See :class:`AtomicPolicy`."""
        return super().act(rows, states) * (len(self.called) <= self._rests_from)


def test_the_chains_are_those_that_they_are_called():
    rng = np.random.default_rng(0)
    for stacks, moves, cleans in ([chain.draw(rng) for chain in CHAINS] for _ in range(20)):
        blocks = [PROGRAMS[name].blocks for name in stacks]
        assert all(upper[1] == lower[0] for lower, upper in pairwise(blocks)), "each on the one before"
        assert len({block for pair in blocks for block in pair}) == 4
        assert {PROGRAMS[name].blocks[0] for name in moves} == {0, 1, 2, 3}
        for lower, upper in (cleans[:2], cleans[2:]):
            assert PROGRAMS[upper].blocks[1] == PROGRAMS[lower].blocks[0]
            assert PROGRAMS[lower].zone is not None and PROGRAMS[upper].zone is None
    for chain in CHAINS:
        assert len(chain.calls) == len(chain.draw(rng)) and set(chain.calls) <= set(KINDS)


def test_calls_count_by_what_they_follow():
    arm = Watched()
    rows = {row.kind: row for row in play_chains(arm, ONE)}
    assert [*rows] == [*KINDS, *CHAIN_NAMES] and len(arm.called) == 3 + 4 + 4
    counts = [rows[kind].calls for kind in KINDS]
    assert counts == [1, 2, 1, 1, 2, 1, 3]
    for row in rows.values():
        assert (row.success, row.stands, row.settled, row.released) == (1, 1, 1, 1), (
            "the expert lets go of all that it builds"
        )
        assert row.off < 10 and row.bias <= row.off + 1e-9


def test_a_chain_ends_with_its_first_call_that_fails():
    arm = Watched(rests_from=1)
    rows = {row.kind: row for row in play_chains(arm, ONE)}
    assert (rows["Stack, fresh"].success, rows["Stack on it, third"].success) == (1, 0)
    assert (rows["Stack on it, fourth"].calls, rows["Stack on it, fourth"].success) == (0, None)
    assert [rows[name].success for name in CHAIN_NAMES] == [0, 0, 0]
    assert len(arm.called) == 2 + 1 + 1
    idle = play_chains(FailingAtomicPolicy(ScriptedAtomicPolicy(), 1.0, 0), ONE)
    assert {row.success for row in idle} == {0, None} and {(row.off, row.bias) for row in idle} == {(None, None)}


def test_starts_and_programs_are_of_the_seed():
    def called(seed):
        arm = Watched(rests_from=0)
        play_chains(arm, ChainSettings(3, seed))
        return arm.called

    assert called(0) == called(0) != called(1)


def test_the_table_is_printed_and_written(tmp_path):
    words = ["reproduce", "alphanpi-x", "--figure", "9", "--set", "atomic=scripted", "--samples", "1"]
    shown = CliRunner().invoke(app, [*words, "--out", str(tmp_path)], env={"COLUMNS": "80"})
    assert shown.exit_code == 0, shown.output
    assert max(map(len, shown.output.splitlines()[:-1])) <= 80
    assert "Move after Stack" in shown.output and f"numbers: {tmp_path / 'figure-9.md'}" in shown.output
    kept = json.loads((tmp_path / "figure-9.json").read_text())
    assert (kept["atomic"], kept["settings"]) == ({"kind": "scripted"}, {"chains": 1, "seed": 0})
    assert [row["kind"] for row in kept["rows"]] == [*KINDS, *CHAIN_NAMES]


def test_random_calls_are_printed_and_written(tmp_path):
    words = ["reproduce", "alphanpi-x", "--figure", "9", "--set", "atomic=scripted", "--samples", "2"]
    shown = CliRunner().invoke(app, [*words, "--set", "random=1", "--out", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    kept = json.loads((tmp_path / "calls-in-a-row.json").read_text())
    assert (kept["lengths"], kept["mean"], kept["shares"]) == ([1, 1], 1.0, [1.0])
    (folder,) = tmp_path.glob("chains-*")
    assert len(RecordedChains.read(folder).programs) == 2


def test_a_chain_of_too_many_calls_is_refused(run, tmp_path):
    words = ["reproduce", "alphanpi-x", "--figure", "9", "--set", "random=101", "--out", tmp_path / "new"]
    assert run(*words) == (2, "", "error: random is 101, expected 1 to 100 calls of a chain\n")
    assert not (tmp_path / "new").exists()
