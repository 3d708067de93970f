"""Reward rates: counted by the simulator, piece by piece, and the same again."""

import numpy as np
import pytest

from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.envs.xland import reward_rates
from procgen_bench.tasks.xland import hand_authored_task, load_suite
from procgen_bench.tasks.xland.evaluation.rates import COUNTED


def test_doing_nothing_is_rewarded_where_that_is_the_task():
    task = hand_authored_task("stay_where_you_spawn").task
    assert reward_rates.rewarded_steps(task, "noop", "a", 900) == 900
    assert 0 < reward_rates.rewarded_steps(task, "random", "a", 300) < 300


def test_suites_carry_what_is_counted():
    suite = load_suite("small")
    for play in reward_rates.PLAYS:
        steps = reward_rates.rewarded_steps(suite["3"], play, "small/3", 300)
        assert suite.records[f"{play}_rate"][3] == steps / 300


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED)
def test_more_tasks_are_rewarded_as_recorded(name):
    suite, (steps, _) = load_suite(name), COUNTED[name]
    for place in range(0, len(suite), len(suite) // 30):
        counts = {
            f"{play}_rate": reward_rates.rewarded_steps(suite.tasks[place], play, f"{name}/{place}", steps) / steps
            for play in reward_rates.PLAYS
        }
        assert counts == {rate: values[place] for rate, values in suite.records.items()}


def test_pieces_that_are_there_are_not_played_again(tmp_path, monkeypatch):
    monkeypatch.setattr(reward_rates, "PIECE", 1000)
    for first in (0, 1000):
        counts = np.arange(first, min(first + 1000, 1678), dtype=np.int16)
        write_suite_file(tmp_path, f"test-{first}", {"noop": counts, "random": counts})
    monkeypatch.setattr(reward_rates, "rewarded_steps", None)
    reward_rates.count_suite(tmp_path, "test")
    with np.load(tmp_path / "test_rates.npz") as joined:
        assert np.array_equal(joined["noop"], np.arange(1678)) and joined["random"].dtype == np.int16
