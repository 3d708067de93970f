"""The planner's run: it is resumed bit for bit, refuses other libraries, and leaves a policy that plays."""

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.alphanpi_x.alphanpi_x import Planner
from procgen_bench.baselines.papers.alphanpi_x.alphanpi_x_settings import AlphaNPIXConfiguration
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import LearnedAtomicPolicy, ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import (
    OtherLibraryError,
    described,
    refuse_other_library,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.curriculum import ProgramCurriculum
from procgen_bench.baselines.papers.alphanpi_x.programs.model_folder import InvalidModelError, read_model
from procgen_bench.baselines.papers.alphanpi_x.programs.network_policy import ProgramNetworkPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import OtherPartsError, PlannerParts
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_policy import PlannerPolicy
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.run_folder import RunFolderError, curve_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, paper_library
from procgen_bench.tasks.programs.states import block_positions
from tests.baselines.killed_runs import KilledError

train = METHODS["alphanpi-x"].train

BENCHMARK = get_benchmark("fetch-blocks/groups")
SMALL = {
    "episodes": 6,
    "simulations": 6,
    "evaluation_episodes": 1,
    "batch_size": 4,
    "evaluate_every": 5_000,
    "checkpoint_every": 5_000,
}
STEPS = 60_000


def trained(out, steps=STEPS, **settings):
    return train(BENCHMARK, AlphaNPIXConfiguration(**{"library": "2", **SMALL, **settings}), 3, steps, out)


def killed(out, monkeypatch, **settings):
    """A run that ends some iterations after its first checkpoint."""
    learn, left = Planner._learn_from_searches, 3

    def stopped(planner):
        nonlocal left
        left -= (out / "checkpoint").exists()
        if not left:
            raise KilledError
        learn(planner)

    with monkeypatch.context() as patched, pytest.raises(KilledError):
        patched.setattr(Planner, "_learn_from_searches", stopped)
        trained(out, **settings)


def kept(run):
    arrays, values = run.read_checkpoint()
    del values["seconds"]
    return arrays, values | {"curve": [{**row, "seconds": 0} for row in values["curve"]]}


@pytest.mark.parametrize("curriculum", [pytest.param("random", marks=pytest.mark.slow), "progress"])
def test_a_killed_run_goes_on_bit_for_bit(curriculum, tmp_path, monkeypatch):
    killed(tmp_path / "killed", monkeypatch, curriculum=curriculum)
    (arrays, values), (others, other_values) = (
        kept(trained(tmp_path / name, curriculum=curriculum)) for name in ("killed", "whole")
    )
    assert arrays.keys() == others.keys()
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())
    np.testing.assert_equal(values, other_values)
    assert values["steps"] >= STEPS and len(values["curve"]) >= 2


def test_a_run_of_another_library_is_refused(tmp_path, monkeypatch):
    killed(tmp_path, monkeypatch)
    with pytest.raises(RunFolderError, match="library = '2', not '3'"):
        trained(tmp_path, library="3")


def test_a_library_of_the_same_name_that_has_changed_is_refused(tmp_path, monkeypatch):
    killed(tmp_path, monkeypatch)
    monkeypatch.setattr(
        "procgen_bench.baselines.papers.alphanpi_x.alphanpi_x.library_of", lambda name: paper_library(3)
    )
    with pytest.raises(OtherLibraryError, match="it is for 2 blocks, this library for 3"):
        trained(tmp_path)


def test_what_differs_between_libraries_is_said():
    fewer, changed, other_order = (described(PROGRAMS) for _ in range(3))
    del fewer["programs"]["Clean_Table"]
    changed["programs"]["Clean_Table"]["level"] = 3
    other_order["programs"] = dict(reversed(other_order["programs"].items()))
    for found, message in (
        (fewer, "it does not know Clean_Table"),
        (changed, "level of Clean_Table is 3 there, and 2 here"),
        (other_order, "its programs have another order"),
    ):
        with pytest.raises(OtherLibraryError, match=message):
            refuse_other_library("the checkpoint", found, PROGRAMS)


def block_policy(view, folder):
    """The folder of an untrained policy of stage 1."""
    BlockPolicy("FetchBlocks-v0", False, 16, view).folder.write(folder)
    return str(folder)


def test_a_policy_of_another_view_is_refused(tmp_path, monkeypatch):
    atomic = block_policy("relative", tmp_path / "policy")
    killed(tmp_path / "run", monkeypatch, atomic=atomic)
    block_policy("raw", tmp_path / "policy")
    with pytest.raises(OtherPartsError, match="over another atomic policy: view is 'relative' there, and 'raw' here"):
        trained(tmp_path / "run", atomic=atomic)


def test_a_learned_model_is_made_kept_and_planned_on(tmp_path):
    settings = {"model": "learned", "recorded_calls": 60, "model_epochs": 2}
    run = trained(tmp_path / "run", steps=1, **settings)
    made = read_model(tmp_path / "run" / "model", paper_library(2))
    assert (made.calls, made.loss, made.atomic) == (60, "median", {"kind": "scripted"})
    curve = curve_of(tmp_path / "run" / "model")
    assert [row["step"] for row in curve] == [1, 2] and curve[-1]["held_out_loss"] == made.held_out_loss
    parts = PlannerParts.from_folder(PolicyFolder.read(run.policy_path), paper_library(2))
    assert parts.learned_model is not None and isinstance(parts.atomic, ScriptedAtomicPolicy)
    assert all(np.array_equal(array, parts.learned_model.arrays()[name]) for name, array in made.arrays().items())
    others = trained(tmp_path / "other", steps=1, model=str(tmp_path / "run" / "model"))
    assert kept(others)[0].keys() == kept(run)[0].keys()
    with pytest.raises(InvalidModelError, match="is for 2 blocks, expected one for the library's 3"):
        trained(tmp_path / "three", library="3", model=str(tmp_path / "run" / "model"))
    assert not (tmp_path / "three").exists()


def test_a_model_of_an_arm_that_fails_foresees_that_nothing_moves(tmp_path):
    library = paper_library(2)
    trained(tmp_path, steps=1, model="learned", recorded_calls=40, model_epochs=2, failing=1.0)
    made = read_model(tmp_path / "model", library)
    assert made.atomic == {"kind": "scripted", "failing": 1.0}
    before = np.repeat(made.starts[:1], 2, axis=0)
    after = made.model.predict(before, np.array([library["Stack_0_1"].number, library["Stack_1_0"].number]))
    assert np.abs(block_positions(after) - block_positions(before)).max() < 0.01


def test_policies_hold_the_atomic_policy_that_they_call(tmp_path):
    run = trained(tmp_path / "run", steps=1, atomic=block_policy("relative", tmp_path / "policy"))
    parts = PlannerParts.from_folder(PolicyFolder.read(run.policy_path), paper_library(2))
    assert isinstance(parts.atomic, LearnedAtomicPolicy)
    assert parts.atomic.policy.folder.hash() == PolicyFolder.read(tmp_path / "policy").hash()


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"library": "two"}, InvalidLibraryError),
        ({"library": "9"}, InvalidLibraryError),
        ({"library": "procgen_bench:__version__"}, InvalidLibraryError),
        ({"calls": "all"}, InvalidOptionError),
        ({"plays": "guess"}, InvalidOptionError),
        ({"curriculum": "hard"}, InvalidOptionError),
        ({"simulations": 1}, InvalidOptionError),
        ({"device": "cuda"}, InvalidOptionError),
        ({"atomic": "nowhere"}, InvalidPolicyError),
        ({"model": "nowhere"}, InvalidModelError),
        ({"model_loss": "mode"}, InvalidOptionError),
        ({"failing": 0.2}, InvalidOptionError),
    ],
)
def test_other_settings_are_refused_and_nothing_is_written(settings, error, tmp_path):
    with pytest.raises(error):
        trained(tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_policies_play_the_papers_programs_for_four_blocks_alone(tmp_path):
    run = trained(tmp_path / "two", steps=1)
    with pytest.raises(InvalidPolicyError, match=r"for other programs \(of 2 blocks\), expected the library's, of 4"):
        load_policy(run.policy_path, "FetchProgram-v0")


def test_policies_play_as_the_run_says(tmp_path):
    atomic = block_policy("relative", tmp_path / "policy")
    for plays, kind in (("no-plan", ProgramNetworkPolicy), ("plan", PlannerPolicy)):
        run = trained(tmp_path / plays, steps=1, library="4", atomic=atomic, plays=plays)
        assert type(load_policy(run.policy_path, "FetchProgram-v0")) is kind


def test_progress_makes_programs_likelier():
    curriculum = ProgramCurriculum("progress", np.array([5, 7]), np.random.default_rng(0))
    assert curriculum.probabilities.tolist() == [0.5, 0.5]
    curriculum.observe(np.array([0.5, 0.5]))
    curriculum.observe(np.array([0.5, 0.8]))
    assert curriculum.probabilities == pytest.approx([0.1, 0.9])
    assert (curriculum.draw(100) == 7).mean() > 0.8
