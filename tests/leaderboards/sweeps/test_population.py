"""A population's members are ordinary runs; a child continues from its parent, also where the process was killed."""

import json

import numpy as np
import pytest

from procgen_bench.baselines.training.run_folder import RunFolderError
from procgen_bench.baselines.training.trainer import paused_at
from procgen_bench.leaderboards.sweeps import population
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.population import Evolution, MemberFailedError, train_population
from procgen_bench.leaderboards.sweeps.training import train_cells
from tests.baselines.killed_runs import KilledError, last_checkpoint

SMALL = {"num_envs": 4, "rollout_steps": 8, "width": 8, "layers": 1, "minibatches": 1, "epochs": 1}
SMALL |= {"evaluation_tasks": 4, "evaluate_every": 128, "checkpoint_every": 10**9}
STEPS, EVOLUTION = 320, Evolution(start=0.2, every=0.4, rest=0.1, chance=1.0)


def members(out, **options):
    return [Cell("ppo", "grid-world/graded", SMALL | options, seed, STEPS, out) for seed in range(2)]


@pytest.fixture
def first_wins(monkeypatch):
    """In the first comparison the second member becomes the first one's child."""
    monkeypatch.setattr(
        population, "parent_and_child", lambda measures, scores, rested, guard: (0, 1) if all(rested) else None
    )


def trained(out, **options):
    cells = members(out, **options)
    train_population(cells, "success", EVOLUTION, workers=None)
    assert not train_cells(cells, workers=None)
    return cells, json.loads((out / "population.json").read_text())


def kept(cell):
    """Weights, values and the curve, but for what it says of the newest levels, which no checkpoint keeps."""
    of_levels = ("taught_solution_length", "teacher_key_share")
    arrays, values, curve = last_checkpoint(population._run_folder(cell))
    rows = [{name: value for name, value in row.items() if name not in of_levels} for row in curve]
    return {name: array for name, array in arrays.items() if "network" in name}, values, rows


def same(first, second):
    return all(np.array_equal(array, second[0][name]) for name, array in first[0].items()) and first[1:] == second[1:]


def test_a_child_goes_on_from_its_parent_and_ends_its_own_run(tmp_path, first_wins, monkeypatch):
    evolve, weights = population._evolve, []

    def noted(parent, child, rng, chance):
        evolve(parent, child, rng, chance)
        weights.extend(population._run_folder(cell).read_checkpoint() for cell in (parent, child))

    monkeypatch.setattr(population, "_evolve", noted)
    cells, rounds = trained(tmp_path, teacher="dynamic-tasks", teacher_options="candidates=2,control_episodes=1")
    (arrays, values), (child_arrays, child_values) = weights[:2]
    assert all(np.array_equal(array, child_arrays[name]) for name, array in arrays.items())
    rates = [one["player.student"]["rates"]["learning_rate"] for one in (values, child_values)]
    assert rates[1] in (pytest.approx(1.2 * rates[0]), pytest.approx(rates[0] / 1.2))
    assert child_values["teacher"]["rates"] != values["teacher"]["rates"]
    assert rounds[0]["event"] == [0, 1] and len(rounds[0]["scores"]) == 2 and len(rounds[0]["scores"][0]) == 4
    assert [one["step"] for one in rounds] == [64, 192] and all(cell.finished for cell in cells)
    assert not same(kept(cells[0]), kept(cells[1])), "they draw differently"


def test_without_evolution_members_are_runs_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(population, "parent_and_child", lambda *arguments: None)
    cells, _ = trained(tmp_path / "population")
    alone = members(tmp_path / "alone")
    assert not train_cells(alone, workers=None)
    assert all(same(kept(cell), kept(other)) for cell, other in zip(cells, alone, strict=True))


@pytest.mark.parametrize("part", ["_evolve", "_write"])
def test_a_population_that_was_killed_ends_as_if_it_had_not_been(part, tmp_path, first_wins, monkeypatch):
    whole, rounds = trained(tmp_path / "whole")
    honest, calls = getattr(population, part), []

    def killed(*arguments):
        honest(*arguments)
        calls.append(part)
        if len(calls) == 1:
            raise KilledError

    monkeypatch.setattr(population, part, killed)
    with pytest.raises(KilledError):
        trained(tmp_path / "killed")
    again, rounds_again = trained(tmp_path / "killed")
    assert rounds_again == rounds
    assert all(same(kept(cell), kept(other)) for cell, other in zip(whole, again, strict=True))


def test_a_member_that_fails_is_named(tmp_path):
    with pytest.raises(MemberFailedError, match=r"ppo nobody grid-world/graded seed 0: .*'nobody'"):
        train_population(members(tmp_path, teacher="nobody"), "success", EVOLUTION, workers=None)


def test_another_schedule_is_refused(tmp_path, first_wins):
    cells = members(tmp_path)
    train_population(cells, "success", EVOLUTION, workers=None)
    with pytest.raises(RunFolderError, match="compared at step 64, not 96; choose another --out"):
        train_population(cells, "success", Evolution(start=0.3), workers=None)


def test_a_pause_is_left_behind():
    with pytest.raises(KilledError), paused_at(3):
        raise KilledError
