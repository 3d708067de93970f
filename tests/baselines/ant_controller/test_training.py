"""Training the controller: its ants, and two small runs that end alike."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from procgen_bench.baselines.ant_controller import scores
from procgen_bench.baselines.ant_controller import train as training
from procgen_bench.baselines.ant_controller.configuration import AntControllerConfiguration
from procgen_bench.baselines.ant_controller.walking import SubgoalWalk
from procgen_bench.envs.ant_maze.controller import UP_FEATURE, WEIGHT_SHAPES, Controller, shipped_controller

SMALL = AntControllerConfiguration(num_envs=4, rollout_steps=32, batch_size=64, epochs=1, validate_every=128)


def begun(tilt_penalty=0.0, seed=0) -> tuple[SubgoalWalk, np.ndarray]:
    walk = SubgoalWalk(8, 60, 10.0, tilt_penalty, seed)
    return walk, walk.reset()


def test_rewards_are_the_speed_of_the_approach():
    walk, _ = begun()
    rng = np.random.default_rng(0)
    for _ in range(15):  # within the first subgoal, so that targets stand
        targets = walk._targets.copy()
        before = np.linalg.norm(targets - walk._bodies.positions[:, :2], axis=1)
        _, rewards, ended, _ = walk.step(rng.uniform(-1, 1, (8, 8)).astype(np.float32))
        after = np.linalg.norm(targets - walk._bodies.positions[:, :2], axis=1)
        np.testing.assert_allclose(rewards[~ended], ((before - after) / 0.1)[~ended], atol=1e-5)


def test_leaning_costs_a_part_of_the_tilt_penalty():
    (plain, _), (walk, _) = begun(), begun(tilt_penalty=2.0)
    rng = np.random.default_rng(0)
    for _ in range(15):
        actions = rng.uniform(-1, 1, (8, 8)).astype(np.float32)
        (_, free, _, _), (seen, rewards, ended, _) = plain.step(actions), walk.step(actions)
        np.testing.assert_allclose((free - rewards)[~ended], 2 * (1 - seen[~ended, UP_FEATURE]), atol=1e-5)


def test_episodes_are_truncated_with_their_last_observation():
    walk, _ = begun()
    lengths = []
    for _ in range(120):
        seen, _, ended, infos = walk.step(np.zeros((8, 8), np.float32))
        for row in np.flatnonzero(ended):
            assert infos[row]["TimeLimit.truncated"] and infos[row]["terminal_observation"].shape == (29,)
            assert not np.array_equal(infos[row]["terminal_observation"], seen[row])
            lengths.append(infos[row]["episode"]["l"])
    assert len(lengths) == 16 and set(lengths) == {60}


def test_a_fall_ends_the_episode_and_costs():
    walk, _ = begun()
    walk._bodies.positions[3, 3:7] = [0.0, 1.0, 0.0, 0.0]  # on its back
    seen, rewards, ended, infos = walk.step(np.zeros((8, 8), np.float32))
    assert ended.tolist() == [row == 3 for row in range(8)] and not infos[3]["TimeLimit.truncated"]
    assert rewards[3] < -9 and (np.abs(rewards[ended == 0]) < 5).all()
    assert infos[3]["terminal_observation"][UP_FEATURE] < 0 < seen[3, UP_FEATURE]


@pytest.mark.slow
def test_small_runs_write_the_same_controller_and_its_record(tmp_path, monkeypatch):
    monkeypatch.setattr(scores, "_ANTS", 4)
    monkeypatch.setattr(scores, "_VALIDATION_TASKS", 2)
    monkeypatch.setattr(training, "maze_scores", lambda controller: {})  # measured in the test below
    for folder in ("one", "other"):
        training.train(SMALL, 5, 256, tmp_path / folder, "by hand")
    one, other = (load_file(tmp_path / folder / "controller.safetensors") for folder in ("one", "other"))
    assert {name: array.shape for name, array in one.items()} == WEIGHT_SHAPES
    assert all(np.array_equal(one[name], other[name]) and one[name].any() for name in WEIGHT_SHAPES)
    record = json.loads((tmp_path / "one" / "controller.json").read_text())
    assert (record["seed"], record["steps"], record["command"]) == (5, 256, "by hand")
    assert record["configuration"]["num_envs"] == 4 and "commit" in record
    assert [validation["trained"] for validation in record["validation"]] == [128, 256]


def test_scores_tell_a_good_controller_from_one_that_stands(monkeypatch):
    monkeypatch.setattr(scores, "_ANTS", 20)
    still = Controller({name: np.zeros(shape, np.float32) for name, shape in WEIGHT_SHAPES.items()})
    assert abs(scores.plain_scores(still)["approach"]) < 0.05
    assert scores.plain_scores(shipped_controller())["approach"] > 0.6


@pytest.mark.slow
def test_the_shipped_scores_are_those_that_are_measured():
    import importlib.resources

    path = importlib.resources.files("procgen_bench.envs.ant_maze") / "data" / "controller.json"
    recorded = json.loads(path.read_text())["scores"]
    assert scores.plain_scores(shipped_controller()) == recorded["plain"]
    # The maze's were measured before its wall was raised, which changed single episodes.
    measured = scores.maze_scores(shipped_controller())
    assert abs(measured["success"] - recorded["maze"]["success"]) < 0.02
    assert abs(measured["steps"] - recorded["maze"]["steps"]) < 5
