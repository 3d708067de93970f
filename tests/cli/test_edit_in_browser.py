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
from procgen_bench.tasks.sites import SiteTaskSpace
from procgen_bench.tasks.xland import XLandTaskSpace
from tests.chromium import started_chromium
from tests.cli.playing import WINDOW, Person

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
        # The level is shown. Kernels may have to be compiled first.
        expect(page.get_by_role("button", name="Undo")).to_be_disabled(timeout=120_000)
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


def press(page: Page, button: str, says: str | re.Pattern, seconds: int = 20) -> None:
    """Press a button, and see what is said then."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("status")).to_have_text(says, timeout=1000 * seconds)


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


def add(page: Page, *names: str) -> None:
    """Add pieces to the page that is shown."""
    for name in names:
        page.get_by_label("Piece", exact=True).select_option(name)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("listitem").filter(has_text=name)).to_have_count(1)


def listed(page: Page) -> list[str]:
    """The pieces of the page that is shown, from top to bottom."""
    return [item.locator("span").text_content() for item in page.get_by_role("listitem").all()]


@pytest.mark.slow
def test_a_site_is_put_together_refused_mended_played_saved_and_loaded(edit, browser, tmp_path):
    page, process = edit("GMiniWoB-v0", "site.json")
    preview = page.frame_locator("#preview")
    add(page, "navbar", "username", "password")
    assert listed(page) == ["navbar", "username", "password", "submit"]
    expect(preview.get_by_placeholder("Username")).to_be_visible()
    page.get_by_role("button", name="Move password up").click()
    expect(page.get_by_role("listitem").nth(1)).to_contain_text("password")
    page.get_by_role("button", name="Add a page").click()
    add(page, "city", "submit")
    expect(preview.get_by_label("City")).to_be_visible()  # the second page is shown, and the first is not
    expect(preview.get_by_placeholder("Username")).to_be_hidden()
    stuck = "page 1 has no button to the next page: put next_checkout or next_login or next_login_page there."
    press(page, "Prove", f"It cannot be solved: {stuck}", seconds=120)
    page.get_by_role("tab", name="Page 1").click()
    page.get_by_role("button", name="Remove submit").click()
    add(page, "next_login")
    page.get_by_label("theme").select_option("dark")
    page.get_by_label("username", exact=True).fill("ada")
    page.get_by_label("username", exact=True).press("Enter")
    press(page, "Prove", "Proven: it can be solved, in 5 steps.", seconds=120)
    expect(page.get_by_role("img", name="The level")).to_be_visible()  # the solution, over the page
    expect(page.get_by_role("img", name="The level")).to_be_hidden()

    values = {name: page.get_by_label(name, exact=True).input_value() for name in ("username", "password", "city")}
    assert values["username"] == "ada"
    page.get_by_role("button", name="Play", exact=True).click()
    frame = page.frame_locator("#player")
    fill_in(frame.frame_locator("#site"), values)
    expect(frame.locator("#outcome")).to_have_text("Success")
    expect(frame.locator("#account")).to_contain_text("3 of 3 fields right")
    page.get_by_role("button", name="Back to drawing").click()
    press(page, "Save", "Saved as site.json. It can be solved, in 5 steps.")
    press(page, "Finish", "The level is in site.json. You may close this page.")
    assert process.wait(timeout=60) == 0
    assert page.complaints == []

    task = read_task(SiteTaskSpace(), tmp_path / "site.json")
    assert task.design.pages == (("navbar", "password", "username", "next_login"), ("city", "submit"))
    env = gymnasium.make("GMiniWoB-v0")
    env.reset(options={"task": json.loads((tmp_path / "site.json").read_text())})
    assert env.unwrapped.task == task and task.variation.theme == "dark"
    play_the_loaded(browser, tmp_path / "site.json", values)


def play_the_loaded(browser, file, values: dict[str, str]) -> None:
    """`play --task FILE` shows the site, and it is solved there."""
    command = [sys.executable, "-m", "procgen_bench.cli", "play", "GMiniWoB-v0", "--task", str(file), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        address = re.search(r"http://\S+/", process.stdout.readline())[0]
        person = Person(browser.new_page(), address)
        fill_in(person.site, values)
        person.sees(outcome="Success")
        person.press("Finish")
        assert process.wait(timeout=60) == 0


def fill_in(site, values: dict[str, str]) -> None:
    """Fill in the site that is drawn above, and send it off."""
    for placeholder in ("Password", "Username"):
        site.get_by_placeholder(placeholder, exact=True).fill(values[placeholder.lower()])
    site.get_by_text("Login and Checkout", exact=True).click()
    site.get_by_label("City", exact=True).fill(values["city"])
    site.locator("main:visible").get_by_text("Place Order", exact=True).click()


@pytest.mark.slow  # the scripted player walks through the world's physics
def test_a_world_is_drawn_refused_mended_proven_played_and_loaded(edit, tmp_path):
    page, process = edit("XLandSmall-v0", "world.json")

    def draw(brush: str, row: int, column: int) -> None:
        """Use a brush at a tile, counted as the map counts."""
        page.get_by_label(brush, exact=True).check()
        place(page, column, 8 - row).click()
        expect(place(page, column, 8 - row)).to_have_attribute("aria-label", re.compile(rf"tile \[{row}, {column}\]"))

    for row in (1, 2, 3):
        draw("level 1", row, 3)
    draw("purple sphere", 2, 3)
    expect(place(page, 3, 6)).to_have_attribute("aria-label", "level 1, olive floor, purple sphere, tile [2, 3]")
    shut_off = "no player can come to the purple sphere on tile [2, 3]."
    press(page, "Prove", f"It cannot be solved: {shut_off}", seconds=120)
    press(page, "Save", f"Not saved. It cannot be solved: {shut_off}")
    draw("ramp west", 2, 2)
    press(page, "Prove", re.compile(r"RAMP_WEST at \[2, 2\]"))
    draw("ramp east", 2, 2)
    page.get_by_label("Piece for blue goal").select_option("on(me,olive floor)")
    page.get_by_role("button", name="blue goal: this besides").click()
    expect(page.get_by_label("blue goal", exact=True)).to_have_value("near(purple sphere,me) & on(me,olive floor)")
    draw("red player", 8, 8)
    expect(page.get_by_label("red co-player")).to_have_value("noop")
    press(page, "Prove", re.compile(r"^Proven: it can be solved, in \d+ steps\.$"), seconds=240)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("status")).to_have_text(re.compile("press a key to begin"))
    before = page.get_by_role("img", name="The level").get_attribute("src")
    page.keyboard.down("w")
    expect(page.get_by_role("status")).to_have_text(re.compile("step [2-9] of 300"))
    page.keyboard.up("w")
    assert page.get_by_role("img", name="The level").get_attribute("src") != before
    page.keyboard.press("Escape")
    expect(place(page, 8, 0)).to_be_visible()
    press(page, "Save", re.compile(r"^Saved as world\.json\. It can be solved, in \d+ steps\.$"))
    press(page, "Finish", "The level is in world.json. You may close this page.")
    assert process.wait(timeout=60) == 0
    assert page.complaints == []

    space = XLandTaskSpace()
    task = read_task(space, tmp_path / "world.json")
    assert str(task.game).splitlines()[0] == "near(purple sphere,me) & on(me,olive floor)"
    env = gymnasium.make("XLandSmall-v0", observation="state")
    env.reset(seed=0, options={"task": json.loads((tmp_path / "world.json").read_text())})
    assert env.unwrapped.task == task and env.unwrapped.task_space.solve(task) is not None
