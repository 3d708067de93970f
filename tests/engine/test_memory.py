"""Rows that do not fit into memory are refused before they start."""

import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine import memory
from tests.engine.faulty_grid_world import FaultyGridWorldEnv
from tests.engine.process_families import make_faulty
from tests.engine.process_tree import children


def test_rows_that_take_more_than_there_is_are_refused(monkeypatch):
    monkeypatch.setattr(FaultyGridWorldEnv, "row_bytes", 10**9)
    monkeypatch.setattr(memory, "available_memory", lambda: 2_500_000_000)
    before = children()
    message = r"num_envs is 3, whose rows take 3\.0 GB of memory, expected at most 2: 2\.5 GB are free"
    with pytest.raises(InvalidOptionError, match=message):
        make_faulty(num_envs=3, num_workers=1)
    assert children() == before
    make_faulty(num_envs=2, num_workers=1).close()


def test_the_least_of_the_machine_and_its_group_is_there(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  5000 kB\n")
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    assert memory.available_memory() == 5000 * 1024
    for name, said in (("max", "4000000"), ("current", "3500000"), ("stat", "anon 3\ninactive_file 1000000\n")):
        (tmp_path / f"memory.{name}").write_text(said)
    assert memory.available_memory() == 1_500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_memory() == 5000 * 1024
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "nothing")
    assert memory.available_memory() is None
