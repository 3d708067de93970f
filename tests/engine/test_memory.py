"""Rows that do not fit into memory are refused before they start."""

from pathlib import Path

import gymnasium
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import environment_type
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


def table_push(num_envs: int) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec("TablePush-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", num_workers=1)


def memory_of_worker(num_envs: int) -> int:
    """Bytes that the only worker of so many tables has for itself, once each has been pushed at."""
    before = children()
    env = table_push(num_envs)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(40):  # a row has a simulator from its first push on
        env.step(env.action_space.sample())
    (worker,) = children() - before
    lines = Path(f"/proc/{worker}/smaps_rollup").read_text().splitlines()
    env.close()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))


def test_a_table_takes_the_memory_that_is_reckoned_with():
    pytest.importorskip("pybullet")
    taken = (memory_of_worker(18) - memory_of_worker(2)) / 16
    assert taken / 1.5 < environment_type("TablePush-v0").row_bytes < taken * 1.5


def test_more_tables_than_there_is_memory_for_are_refused_before_a_worker_starts(monkeypatch):
    pytest.importorskip("pybullet")
    monkeypatch.setattr(memory, "available_memory", lambda: 16 * 2**30)
    before = children()
    with pytest.raises(InvalidOptionError, match=r"num_envs is 1024, whose rows take .* GB of memory"):
        table_push(1_024)
    assert children() == before


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
