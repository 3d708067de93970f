"""``describe XLand-v0 --world``: text, truth table and picture of a seed's world, or a task's."""

import re

import numpy as np
import pytest
from PIL import Image

from procgen_bench.cli import main
from procgen_bench.tasks.xland import World, generate_world, load_suite
from procgen_bench.tasks.xland.evaluation.packing import quantised


def describe(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(["describe", "XLand-v0", *arguments])
    return stop.value.code


def described_world(out: str) -> World:
    return World.from_text(out.partition("\n\n")[0])


def test_a_seed_gives_its_world(capsys, tmp_path):
    goals = ["--goal", "see(me,opponent)", "--goal", "~see(opponent,me)"]
    assert describe("--world", "7", *goals, "--out", str(tmp_path / "world.png")) in (0, None)
    out = capsys.readouterr().out
    assert described_world(out) == quantised(generate_world(np.random.default_rng(7), players=2))
    assert re.search(r"competitiveness +1\b", out) and re.search(r"a +see\(player 1,player 2\)", out)
    picture = np.asarray(Image.open(tmp_path / "world.png"))
    assert picture.shape[1] == 1200 and picture.std() > 10


def test_small_worlds(capsys, tmp_path):
    sizes = ["--side", "5", "--max-level", "0", "--objects", "3", "--options", "1"]
    describe("--world", "7", "--goal", "on(me,white floor)", *sizes, "--out", str(tmp_path / "world.png"))
    world = described_world(capsys.readouterr().out)
    assert world.shape == (5, 5) and not world.levels.any() and len(world.object_shapes) == 3


def test_the_world_has_what_the_goals_name(capsys, tmp_path):
    goal = "on(me,white floor) & on(me,olive floor) & on(me,brown floor) & on(me,orange floor)"
    describe("--world", "3", "--goal", goal, "--out", str(tmp_path / "world.png"))
    world = described_world(capsys.readouterr().out)
    assert {0, 1, 2, 5} <= set(world.floors.ravel().tolist()) and len(world.player_colours) == 1


def test_a_task_by_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    describe("--world", "test/17")
    out = capsys.readouterr().out
    task = load_suite("test")["17"]
    assert described_world(out) == task.world and "picture: world-test-17.png" in out
    for goal in task.game.goals:
        assert str(goal).split(" ")[0] in out
    assert (tmp_path / "world-test-17.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--world", "x"], "'x' is no world, expected a seed"),
        (["--world", "test/9999"], "unknown task in suite 'test' '9999'"),
        (["--world", "train/1"], "unknown suite 'train'"),
        (["--world", "1", "--goal", "see(me,moon)"], "line 1 of the game at column 8 is 'moon'"),
        (["--world", "hand_authored/find_cube", "--goal", "hold(me,black cube)"], "objects is 'without black cube'"),
        (["--world", "1", "--side", "4"], "width is 4, expected an integer in [5, 15]"),
        (["--world", "test/17", "--objects", "3"], "a task has its own"),
        (["--goal", "see(me,black cube)"], "give XLand-v0 and --world"),
    ],
)
def test_faults_are_named(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert describe(*arguments) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
