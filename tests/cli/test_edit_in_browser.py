"""A person draws levels in a real browser; what they save is a task that is played and trained on."""

import json
import re
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from procgen_bench.core.task_files import read_task
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.point_maze import PointMazeTaskSpace
from tests.chromium import started_chromium
from tests.cli.playing import WINDOW

#: The first level that is drawn: the wall shuts the goal off.
SHUT_OFF = """\
......#.
......#.
......#.
......#.
......#.
......#.
......#.
......#G
"""


@pytest.fixture(scope="module")
def browser():
    with started_chromium(keep=lambda flag: "host-resolver" not in flag) as browser:
        yield browser


@pytest.fixture
def edit(browser, tmp_path):
    """edit(*words, **context) -> the page of `edit` with these words, run in a folder of its own, and its process."""
    processes, contexts = [], []

    def start(*words: str, **options) -> tuple[Page, subprocess.Popen]:
        command = [sys.executable, "-m", "procgen_bench.cli", "edit", *words, "--no-open"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, bufsize=1
        )
        processes.append(process)
        address = re.search(r"http://\S+/", process.stdout.readline())[0]
        contexts.append(browser.new_context(viewport=WINDOW, **options))
        page = contexts[-1].new_page()
        page.complaints = []
        page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(address)
        expect(page.get_by_role("gridcell").first).to_have_attribute("aria-label", re.compile("column 1, row 1"))
        return page, process

    yield start
    for context in contexts:
        context.close()
    for process in processes:
        process.kill()
        process.communicate()


def place(page: Page, column: int, row: int) -> Locator:
    """The place in the level, counted from 0."""
    return page.get_by_role("row").nth(row).get_by_role("gridcell").nth(column)


def drag(page: Page, start: Locator, end: Locator) -> None:
    """Draw from one place to another with the mouse held down."""
    boxes = [one.bounding_box() for one in (start, end)]
    (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=40)
    page.mouse.up()


def press(page: Page, button: str, says: str | re.Pattern) -> None:
    """Press a button, and see what is said then."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("status")).to_have_text(says)


@pytest.mark.slow  # it trains
def test_a_level_is_drawn_refused_mended_played_saved_and_trained_on(edit, tmp_path):
    page, process = edit("GridWorld-v0", "mine.json")
    page.get_by_label("wall").check()
    drag(page, place(page, 6, 0), place(page, 6, 7))
    page.get_by_label("goal").check()
    place(page, 7, 7).click()
    expect(place(page, 7, 7)).to_have_attribute("aria-label", "goal, column 8, row 8")
    press(page, "Prove", "It cannot be solved: walls and lava cut the goal off from the start.")

    page.keyboard.press("5")  # door 1, where the person has clicked last: beside the wall
    place(page, 6, 3).click()
    press(page, "Prove", "It cannot be solved: door 1 is in the way and there is no key 1.")
    place(page, 1, 1).focus()
    page.keyboard.press("7")
    page.keyboard.press("Space")
    expect(place(page, 1, 1)).to_have_attribute("aria-label", "key 1, column 2, row 2")
    level = page.get_by_role("img", name="The level").get_attribute("src")
    press(page, "Prove", "Proven: it can be solved, in 14 steps.")
    shown = set()
    for _ in range(20):
        shown.add(page.get_by_role("img", name="The level").get_attribute("src"))
        page.wait_for_timeout(100)
    assert len(shown) > 3 and level in shown  # the solution is shown, step by step

    press(page, "Play", "step 0 of 50 return 0.000 running")
    for key in ["ArrowRight", "ArrowDown", *["d"] * 4, *["s"] * 2, *["d"] * 2, *["s"] * 4]:
        page.keyboard.press(key)
    expect(page.get_by_role("status")).to_have_text("step 14 of 50 return 0.986 solved")
    page.keyboard.press("Escape")
    press(page, "Save", "Saved as mine.json. It can be solved, in 14 steps.")
    press(page, "Finish", "The level is in mine.json. You may close this page.")
    assert process.wait(timeout=60) == 0
    assert (process.stderr.read(), page.complaints) == ("", [])

    params = json.loads((tmp_path / "mine.json").read_text())
    drawn = GridWorldTask.from_text(SHUT_OFF.replace("......#.\n" * 2, "......#.\n.a....#.\n", 1))
    assert GridWorldTaskSpace().decode(params).to_text() == door_in(drawn.to_text())
    env = gymnasium.make("GridWorld-v0")
    env.reset(options={"task": params})
    assert env.unwrapped.task.to_text() == door_in(drawn.to_text())
    keys = subprocess.run(
        [sys.executable, "-m", "procgen_bench.cli", "play", "GridWorld-v0", "--task", "mine.json", "--text"],
        input="dsddddssddssss",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert "step 14 of 50   return 0.986   solved" in keys.stdout, keys.stderr
    train_a_little(params)


def door_in(text: str) -> str:
    """A level's text with door 1 in its fourth line."""
    lines = text.splitlines()
    return "\n".join([*lines[:3], lines[3][:6] + "A" + lines[3][7:], *lines[4:]])


def train_a_little(params: dict) -> None:
    """A learner of stable-baselines3 plays the level in four rows, and its network changes."""
    from stable_baselines3 import PPO

    from procgen_bench.baselines.stable_baselines3 import TaskVecEnv

    rows = TaskVecEnv("GridWorld-v0", 4, tasks=[params])
    learner = PPO("MultiInputPolicy", rows, n_steps=32, batch_size=64, seed=0, device="cpu")
    before = [weights.detach().numpy().copy() for weights in learner.policy.parameters()]
    learner.learn(256)
    assert learner.num_timesteps == 256
    assert any(not np.array_equal(old, new.detach().numpy()) for old, new in zip(before, learner.policy.parameters()))
    rows.close()


def test_strokes_are_undone_and_files_are_loaded(edit, tmp_path):
    good, other = tmp_path / "good.json", tmp_path / "other.json"
    space = GridWorldTaskSpace()
    good.write_text(space.to_json(space.encode(space.resolve("targets/A"))))
    other.write_text('{"walls": [1]}')
    page, _ = edit("GridWorld-v0", color_scheme="dark", reduced_motion="reduce")
    assert page.locator("body").evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 26, 34)"
    labels = lambda: [one.get_attribute("aria-label") for one in page.get_by_role("gridcell").all()]  # noqa: E731
    blank = labels()
    page.get_by_label("lava").check()
    drag(page, place(page, 2, 2), place(page, 2, 5))
    place(page, 4, 4).click()
    expect(place(page, 4, 4)).to_have_attribute("aria-label", "lava, column 5, row 5")
    page.keyboard.press("Control+Z")
    expect(place(page, 4, 4)).to_have_attribute("aria-label", "empty, column 5, row 5")
    page.keyboard.press("Control+Z")  # the whole stroke
    expect(place(page, 2, 5)).to_have_attribute("aria-label", "empty, column 3, row 6")
    assert labels() == blank
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+Y")
    expect(place(page, 2, 5)).to_have_attribute("aria-label", "lava, column 3, row 6")
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    page.locator("#file").set_input_files(other)
    expect(page.get_by_role("status")).to_have_text(re.compile("^other.json is no task file: .*'walls'"))
    expect(place(page, 2, 5)).to_have_attribute("aria-label", "lava, column 3, row 6")  # as it was
    large = tmp_path / "large.json"
    large.write_text(" " * 2**21)
    page.locator("#file").set_input_files(large)
    expect(page.get_by_role("status")).to_have_text("large.json is no task file: it is larger than any level")
    page.locator("#file").set_input_files(good)
    expect(page.get_by_role("status")).to_have_text("Loaded good.json.")
    press(page, "Prove", re.compile("Proven: it can be solved, in 18 steps."))
    assert page.complaints == []


@pytest.mark.slow
def test_a_maze_is_drawn_and_played(edit, tmp_path):
    page, _ = edit("SparsePointMaze-v0", "maze.json")
    drag(page, place(page, 1, 0), place(page, 1, 20))
    press(page, "Prove", "It cannot be solved: walls cut the goal off from the start.")
    page.keyboard.press("2")
    place(page, 1, 20).click()
    page.keyboard.press("4")
    place(page, 2, 20).click()
    press(page, "Prove", "Proven: it can be solved, in 2 steps.")
    press(page, "Play", "step 0 of 50 return 0.000 running")
    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_have_text("step 2 of 50 return 1.000 solved")
    press(page, "Save", "Saved as maze.json. It can be solved, in 2 steps.")
    task = read_task(PointMazeTaskSpace(), tmp_path / "maze.json")
    assert np.argwhere(task.vertical_walls).tolist() == [[row, 0] for row in range(1, 11)]
    assert (task.goal.tolist(), page.complaints) == ([1.0, 0.0], [])
