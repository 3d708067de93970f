"""Submissions that are accepted, and gain nothing by what was done to them."""

import json

import numpy as np

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import MAX_METADATA_BYTES, parse_metadata
from procgen_bench.leaderboards.submission.protocol import Protocol
from tests.leaderboards.attacks.attack import HarmlessAttack
from tests.leaderboards.attacks.tampering import Tampering
from tests.leaderboards.entries import state_training

ATTACKS: list[HarmlessAttack] = []


def standing(pattern: str, **others):
    """The decorated function changes a submission, which then stands so on the board."""

    def add(change):
        ATTACKS.append(HarmlessAttack(change.__name__, change, pattern, **others))
        return change

    return add


@standing("random: replayed, runs 0 1 2 3 4 5 6 7 8 9 10 11 of 12, rank None, no policy$")
def compact_metadata_just_below_the_limit(forged: Tampering):
    """A board that wrote it more generously could not read it again."""
    submission, run = read_submission(forged.folder), forged.metadata()["runs"][0]
    curve = [{"step": step, "score": -0.123456789} for step in range(500)]
    training = {"command": "c", "commit": None, "hardware": "h", "wall_time_seconds": 1.0, "curve": curve}
    runs = [{**run, "training_seed": seed, "training": training} for seed in range(12)]
    content = {**forged.metadata(), "runs": runs, "claimed_score": float(submission.traces.scores[:50].mean())}
    compact = json.dumps(content, separators=(",", ":"))
    assert len(compact) < MAX_METADATA_BYTES < len(json.dumps(content, indent=2))
    forged.json_path.write_text(compact)
    arrays, length = forged.load(), int(submission.traces.lengths[:50].sum())
    forged.save(
        {
            "runs": np.repeat(np.arange(12, dtype=np.int32), 50),
            "tasks": np.zeros(12 * 50, np.int32),
            "seeds": bound_seeds(forged),
            "lengths": np.tile(arrays["lengths"][:50], 12),
            "scores": np.tile(arrays["scores"][:50], 12),
            "actions": np.tile(arrays["actions"][:length], 12),
        }
    )


@standing("random: replayed, runs 0 1 of 2, rank None, no policy$")
def curve_of_the_smallest_number(forged: Tampering):
    curve = [{"step": step, "score": 5e-324} for step in (0, 2**53)]
    training = {"command": "c", "commit": None, "hardware": "h", "wall_time_seconds": 1e308, "curve": curve}
    runs = forged.metadata()["runs"]
    forged.fields(runs=[{**run, "training": training} for run in runs], wall_time_seconds=5e-324)


@standing("random: replayed, runs 0 1 of 2, rank None, no policy$")
def run_copied_over_another(forged: Tampering):
    """Under its own seeds and its own policy's hash, and so with half the variance."""
    arrays, per_run = forged.load(), 50
    actions = int(arrays["lengths"][:per_run].sum())
    for name in ("lengths", "scores"):
        arrays[name][per_run:] = arrays[name][:per_run]
    forged.save({**arrays, "actions": np.tile(arrays["actions"][:actions], 2)})
    forged.fields(claimed_score=float(arrays["scores"].mean()))


def trained(name: str, pattern: str, *seeds: int, board: str = "begun_board", **training):
    """Policies that were trained with these seeds, on a board whose second epoch they were there to see, or not."""

    def state(forged: Tampering):
        runs = [{**run, "training_seed": seed} for run, seed in zip(forged.metadata()["runs"], seeds, strict=True)]
        forged.fields(runs=runs)
        if training:
            state_training(forged.json_path, **training)

    ATTACKS.append(HarmlessAttack(name, state, pattern, "trained_folder", board))


OWN, MERGED = "solver_board", "1" * 40
trained("honest_runs_on_a_board_of_one_s_own", "runs 0 1 2 of 3, rank 1, None$", 0, 1, 2, board=OWN, commit=MERGED)
trained("policies_fitted_to_a_salt_that_is_known", "rank None, provisional$", 0, 1, 2, commit=MERGED)
trained("policies_that_another_benchmark_has", "rank None, provisional$", 0, 1, 2, board="other_board", commit=MERGED)
trained("runs_left_out", "rank None, seed 1 missing$", 0, 2, 3, board=OWN, commit=MERGED)
trained("runs_chosen_of_one_seed", "rank None, selected runs$", 0, 1, 1, board=OWN, commit=MERGED)
trained("planners_that_never_trained", "rank None, training not stated$", 0, 1, 2, board=OWN)
trained("code_that_nobody_has", "rank None, uncommitted changes$", 0, 1, 2, board=OWN, commit=MERGED + "+changes")


def bound_seeds(forged: Tampering) -> np.ndarray:
    """The seeds that the submission's policies are bound to."""
    metadata = parse_metadata(forged.json_path.read_bytes())
    protocol = Protocol(get_benchmark(metadata.benchmark))
    return np.concatenate([protocol.seeds(run) for run in metadata.runs])
