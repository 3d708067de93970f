"""The planner's run: it is resumed bit for bit, refuses other libraries, and leaves a policy that plays."""

import numpy as np
import pytest

from procgen_bench.baselines.methods.alphanpi_x import AlphaNPIXConfiguration, Planner, train
from procgen_bench.baselines.parts.programs.call_rules import OtherLibraryError, described, refuse_other_library
from procgen_bench.baselines.parts.programs.curriculum import ProgramCurriculum
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.run_folder import RunFolderError
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, paper_library
from tests.baselines.killed_runs import KilledError

BENCHMARK = get_benchmark("fetch-blocks/groups")
SMALL = {
    "episodes": 6,
    "simulations": 6,
    "exploiting_simulations": 3,
    "evaluation_episodes": 1,
    "batch_size": 4,
    "evaluate_every": 5_000,
    "checkpoint_every": 5_000,
}
STEPS = 15_000


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


@pytest.mark.parametrize("curriculum", ["random", "progress"])
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
    monkeypatch.setattr("procgen_bench.baselines.methods.alphanpi_x.library_of", lambda name: paper_library(3))
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


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"library": "two"}, InvalidLibraryError),
        ({"library": "9"}, InvalidLibraryError),
        ({"library": "procgen_bench:__version__"}, InvalidLibraryError),
        ({"calls": "all"}, InvalidOptionError),
        ({"curriculum": "hard"}, InvalidOptionError),
        ({"simulations": 1}, InvalidOptionError),
        ({"device": "cuda"}, InvalidOptionError),
    ],
)
def test_other_settings_are_refused_and_nothing_is_written(settings, error, tmp_path):
    with pytest.raises(error):
        trained(tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_policies_play_the_papers_programs_for_four_blocks_alone(tmp_path):
    run = trained(tmp_path / "two", steps=1)
    with pytest.raises(InvalidPolicyError, match="library is '2', expected the paper's for four blocks"):
        load_policy(run.policy_path, "FetchProgram-v0")


def test_progress_makes_programs_likelier():
    curriculum = ProgramCurriculum("progress", np.array([5, 7]), 0.2, np.random.default_rng(0))
    assert curriculum.probabilities.tolist() == [0.5, 0.5]
    curriculum.observe(np.array([0.5, 0.5]))
    curriculum.observe(np.array([0.5, 0.8]))
    assert curriculum.probabilities == pytest.approx([0.1, 0.9])
    assert (curriculum.draw(100) == 7).mean() > 0.8
