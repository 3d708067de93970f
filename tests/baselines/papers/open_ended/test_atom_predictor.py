"""The atom predictor learns which atoms hold from what is known of the world, of the right step and goal alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended import atom_predictor
from procgen_bench.baselines.papers.open_ended.agents import make_losses
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.papers.open_ended.atom_predictor import AtomPredictor, truth_columns
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.papers.open_ended.test_reward_play import TOGGLE

train = METHODS["ppo"].within("XLandSmall-v0").train

NUM_ATOMS, NONE = 6, 6


def lesson(seed, count=256, mismatched=False):
    """Features of which number k says whether atom k holds; goals of two atoms, and a place where there is none."""
    rng = np.random.default_rng(seed)
    holds = rng.random((count, NUM_ATOMS)) < 0.5
    atoms = np.stack([rng.choice(NUM_ATOMS, 3, replace=False) for _ in range(count)])
    atoms[:, 2] = NONE
    truths = np.take_along_axis(np.pad(holds, ((0, 0), (0, 1)), constant_values=True), atoms, 1)
    if mismatched:
        truths = rng.permutation(truths)
    kept = {"truths": torch.as_tensor(truths, dtype=torch.float32), "truths_known": torch.ones(count)}
    return torch.as_tensor(2.0 * holds - 1, dtype=torch.float32), torch.as_tensor(atoms), kept


def loss_after_training(**mismatch):
    torch.manual_seed(0)
    predictor = AtomPredictor(NUM_ATOMS, NUM_ATOMS)
    optimizer = torch.optim.Adam(predictor.parameters(), 1e-2)
    for step in range(200):
        loss = predictor.cross_entropy(*lesson(step, **mismatch))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return predictor.cross_entropy(*lesson(1000, **mismatch)).item()


def test_it_learns_which_atoms_hold_and_not_where_truths_are_of_other_steps():
    assert loss_after_training() < 0.2
    assert loss_after_training(mismatched=True) > 0.6


def test_places_without_an_atom_and_steps_of_which_nothing_is_known_do_not_count():
    features, atoms, kept = lesson(0)
    predictor = AtomPredictor(NUM_ATOMS, NUM_ATOMS)
    loss = predictor.cross_entropy(features, atoms, kept)
    wrong = kept["truths"].clone()
    wrong[:, 2] = 1 - wrong[:, 2]
    assert predictor.cross_entropy(features, atoms, kept | {"truths": wrong}) == loss
    half = kept["truths_known"].clone()
    half[::2] = 0
    wrong = kept["truths"].clone()
    wrong[::2] = 1 - wrong[::2]
    masked = [
        predictor.cross_entropy(features, atoms, {"truths": one, "truths_known": half})
        for one in (kept["truths"], wrong)
    ]
    assert masked[0] == masked[1] != loss
    assert predictor.cross_entropy(features, atoms, kept | {"truths_known": 0 * half}) == 0


def test_truths_are_those_of_the_observation_and_not_of_the_step_after_it():
    truths = np.arange(7)[:, np.newaxis, np.newaxis] % 2 > 0
    columns = truth_columns(replace(TOGGLE, infos={atom_predictor.TRUTHS: truths}))
    assert columns["truths"][:, 0, 0].tolist() == [0, 0, 1, 0, 1, 0, 1]
    assert columns["truths_known"][:, 0].tolist() == [0, 1, 1, 1, 1, 0, 1], "not of the first, nor of a new episode"


def test_its_first_weights_are_the_runs_whatever_torch_has_drawn_before():
    configuration = AgentPPOConfiguration(atom_weight=1.0, width=8, layers=1)
    network = SimpleNamespace(features=8, encoder=SimpleNamespace(num_atoms=NUM_ATOMS))

    def weights(seed):
        torch.rand(3)
        (loss,) = make_losses(configuration, None, network, np.random.default_rng(seed))
        return torch.cat([parameter.flatten() for parameter in loss.parameters()])

    assert torch.equal(weights(1), weights(1)) and not torch.equal(weights(1), weights(2))


def test_ppo_learns_by_it_and_keeps_it(tmp_path):
    configuration = AgentPPOConfiguration(
        num_envs=2,
        rollout_steps=8,
        minibatches=1,
        epochs=1,
        atom_weight=1.0,
        width=16,
        layers=1,
        memory=8,
        evaluation_tasks=1,
        evaluation_episodes=1,
    )
    run = train(get_benchmark("xland/skills"), configuration, 0, 64, tmp_path / "run")
    assert "atom_loss" in (run.path / "curve.csv").read_text()
    arrays, _ = run.read_checkpoint()
    assert any("auxiliary.atom" in name for name in arrays) and not any("auxiliary" in name for name in run_policy(run))


def run_policy(run):
    return load_file(run.policy_path / "weights.safetensors")


def test_it_is_refused_where_goals_have_no_atoms(tmp_path):
    with pytest.raises(InvalidOptionError, match="atom_weight is not 0"):
        configuration = AgentPPOConfiguration(num_envs=2, atom_weight=1.0)
        train(get_benchmark("grid-world/target-a"), configuration, 0, 64, tmp_path / "a")
    assert not (tmp_path / "a").exists()
