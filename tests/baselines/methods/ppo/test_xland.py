"""PPO learns XLand's easy goals in three minutes of a processor, since it knows where what they name is."""

import csv
from dataclasses import replace

import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder
from procgen_bench.core.benchmarks import get_benchmark

train = METHODS["ppo"].train

EASY = replace(
    get_benchmark("xland/small"), level_options={"templates": 1.0, "template_stages": 1}, validation_suite=None
)
STEPS = 600_000


def last_return(tmp_path):
    """Of the last sixth of the training, in which every goal is one literal about the player itself."""
    others = {"co_players": "learner", "evaluate_every": STEPS // 6, "evaluation_tasks": 1, "evaluation_episodes": 1}
    configuration = METHODS["ppo"].configured(EASY.environment_id, others)
    run = train(EASY, configuration, 0, STEPS, tmp_path / "run")
    with (run.path / "curve.csv").open() as file:
        return float(list(csv.DictReader(file))[-1]["training_return"])


@pytest.mark.slow
def test_it_learns_goals_about_itself(tmp_path):
    """By chance it earns 20."""
    assert last_return(tmp_path) > 65


@pytest.mark.slow
def test_it_does_not_where_goals_are_shuffled_among_players(tmp_path, monkeypatch):
    prepare = SceneEncoder.prepare

    def shuffled(encoder, observations):
        return prepare(encoder, observations | {"goal_atoms": torch.roll(observations["goal_atoms"], 1, 0)})

    monkeypatch.setattr(SceneEncoder, "prepare", shuffled)
    assert last_return(tmp_path) < 60
