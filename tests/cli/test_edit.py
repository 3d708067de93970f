"""What `edit` takes, and what its session answers, also to what no page reports."""

import base64
import io
import json

import gymnasium
import pytest

from procgen_bench.apps.editor.history import History
from procgen_bench.apps.editor.session import EditorSession
from procgen_bench.apps.page_server import InvalidReportError
from procgen_bench.core.task_files import read_task, write_task
from procgen_bench.envs.grid_world.editor import GridWorldEditor
from procgen_bench.envs.web.editor import SiteEditor
from procgen_bench.envs.xland.editor import XLandEditor
from procgen_bench.tasks.grid_world import GridWorldTaskSpace
from procgen_bench.tasks.point_maze import PointMazeTaskSpace
from procgen_bench.tasks.sites import SiteTaskSpace

SPACE = GridWorldTaskSpace()


@pytest.fixture
def session(tmp_path):
    editor, env = GridWorldEditor(), gymnasium.make("GridWorld-v0", render_mode="rgb_array")
    return EditorSession(env, editor, editor.blank(), tmp_path / "level.json")


def ask(session, kind: str, **held) -> dict:
    return session.answer({"kind": kind, **held})


def paint(brush=3, column=7, row=7, stroke=1) -> dict:
    return {"kind": "paint", "brush": brush, "column": column, "row": row, "stroke": stroke}


@pytest.mark.parametrize(
    "report",
    [
        None,
        "begin",
        {"kind": "shown"},
        {"kind": "begin", "more": 1},
        {"kind": "paint"},
        {"kind": "press", "key": "d"},  # nothing is played
        paint(brush=8),
        paint(brush=-1),
        paint(column=8),
        paint(row=-1),
        paint(row="1"),
        paint(row=True),
    ],
    ids=str,
)
def test_what_is_no_report_is_refused_and_changes_nothing(session, report):
    before = ask(session, "begin")
    with pytest.raises(InvalidReportError):
        session.answer(report)
    assert ask(session, "begin") == before


def test_a_level_is_proven_played_and_saved(session, tmp_path, capsys):
    assert ask(session, "prove")["message"] == "It cannot be solved: there is no goal."
    saved = ask(session, "save")
    assert saved["bad"] and saved["message"].endswith("level.json. It cannot be solved: there is no goal.")
    session.answer(paint())
    proof = ask(session, "prove")
    assert (proof["bad"], len(proof["frames"])) == (False, 15)
    assert proof["frames"][0] == proof["picture"] != proof["frames"][-1]
    assert ask(session, "play")["playing"]
    assert ask(session, "press", key="right")["message"].startswith("step 1 of 50")
    for key in ("q", "n"):
        with pytest.raises(InvalidReportError):
            ask(session, "press", key=key)
    assert ask(session, "press", key="r")["message"].startswith("step 0 of 50")
    assert ask(session, "save")["message"].endswith("level.json. It can be solved, in 14 steps.")
    assert read_task(SPACE, tmp_path / "level.json").to_text().endswith("G")
    ask(session, "clear")
    assert ask(session, "finish")["message"] == "The level was not saved. You may close this page."
    assert session.over and capsys.readouterr().out == "The level was not saved.\n"


def test_a_bad_file_leaves_the_level_as_it_is(session):
    session.answer(paint())
    before = ask(session, "begin")
    for text in ("", "{", '{"walls": []}'):
        answer = ask(session, "load", name="bad.json", text=text)
        assert answer["bad"] and answer["message"].startswith("bad.json is no task file: ")
        assert "\n" not in answer["message"]
        assert ask(session, "begin") == before


@pytest.fixture
def site(tmp_path):
    env = gymnasium.make("GMiniWoB-v0", render_mode="rgb_array", widgets="literal")
    return EditorSession(env, SiteEditor(), SiteEditor().blank(), tmp_path / "site.json")


@pytest.mark.parametrize(
    "pages", [[], [[]] * 11, ["submit"], [["nothing"]], [["submit", "submit"]], [[1]], "submit", None], ids=str
)
def test_what_are_no_pages_is_refused(site, pages):
    with pytest.raises(InvalidReportError):
        ask(site, "arrange", pages=pages)
    assert ask(site, "begin")["board"] == {"pages": (("submit",),)}


def test_a_site_is_refused_mended_played_and_saved(site, tmp_path):
    first = ask(site, "begin")
    assert (first["picture"], first["note"]) == (None, "1 of 25 steps")
    pages = [["username", "password"], ["submit"]]
    assert ask(site, "arrange", pages=pages)["note"] == "4 of 25 steps"
    stuck = "It cannot be solved: page 1 has no button to the next page: put next_checkout or "
    for kind, begin in (("prove", ""), ("save", "Not saved. "), ("play", "")):
        refused = ask(site, kind)
        assert refused["bad"] and refused["message"].startswith(begin + stuck) and not refused["playing"]
    assert not (tmp_path / "site.json").exists()
    pages[0].append("next_login")
    assert ask(site, "arrange", pages=pages)["undo"]
    assert not ask(site, "set", name="username", value="ada")["bad"]
    assert ask(site, "set", name="theme", value="pink")["bad"]
    proof = ask(site, "prove")
    assert (proof["message"], len(proof["frames"])) == ("Proven: it can be solved, in 4 steps.", 5)
    documents, answers = site.documents(), site.answers()
    assert "<main" in documents["preview"]() and documents["play/"]() == ""
    with pytest.raises(InvalidReportError):
        answers["play/report"]({"kind": "begin"})
    assert (
        ask(site, "play")["playing"]
        and "Start again" in documents["play/"]()
        and "Username" in documents["play/site"]()
    )
    begun = answers["play/report"]({"kind": "begin"})
    assert ["username", "ada"] in json.loads(json.dumps(begun["instruction"]))
    with pytest.raises(InvalidReportError):
        answers["play/report"]({"kind": "command", "key": "n"})  # there is no task but this one
    assert ask(site, "save")["message"].endswith("site.json. It can be solved, in 4 steps.")
    assert dict(read_task(SiteTaskSpace(), tmp_path / "site.json").profile)["username"] == "ada"


@pytest.fixture
def world(tmp_path):
    env = gymnasium.make("XLandSmall-v0", render_mode="rgb_array")
    return EditorSession(env, XLandEditor(), XLandEditor().blank(), tmp_path / "world.json")


def test_a_world_is_refused_mended_and_played_in_real_time(world):
    assert ask(world, "prove")["message"] == "It cannot be solved: a goal names the purple sphere, and there is none."
    brush = XLandEditor.brush_names().index("purple sphere")
    drawn = ask(world, "paint", brush=brush, column=4, row=4, stroke=1)
    assert drawn["board"]["labels"][4][4] == "level 0, brown floor, purple sphere, tile [4, 4]"
    assert ask(world, "set", name="blue goal", value="near(me")["message"].startswith("invalid task: goal at column 8")
    smaller = ask(world, "set", name="rows", value="5")
    assert (
        len(smaller["board"]["labels"]) == 5
        and smaller["board"]["layout"]["width"] > smaller["board"]["layout"]["height"]
    )
    playing = ask(world, "play")
    assert playing["playing"] and playing["message"].endswith("press a key to begin") and "board" not in playing
    assert ask(world, "hold", changes=[])["message"].endswith("press a key to begin")
    ahead = ask(world, "hold", changes=[["w", True]])
    assert "step 1 of 300" in ahead["message"] and ahead["picture"] != playing["picture"]
    assert "step 2 of 300" in ask(world, "hold", changes=[["w", False]])["message"]
    assert size_of(ahead["picture"]) == (640, 480)
    assert ask(world, "hold", changes=[["r", True]])["message"].endswith("press a key to begin")
    for changes in ([["w"]], [["w", 1]], [[1, True]], ["w"]):
        with pytest.raises(InvalidReportError):
            ask(world, "hold", changes=changes)
    assert not ask(world, "begin")["playing"]
    with pytest.raises(InvalidReportError):
        ask(world, "hold", changes=[])


def size_of(picture: str) -> tuple[int, int]:
    from PIL import Image

    return Image.open(io.BytesIO(base64.b64decode(picture.partition(",")[2]))).size


def test_strokes_are_undone():
    levels = [SPACE.resolve(f"targets/{name}") for name in "ABC"]
    history = History(levels[0])
    history.draw(levels[0])
    assert not history.can_undo
    history.draw(levels[1], stroke=1)
    history.draw(levels[2], stroke=1)
    history.undo()
    assert (history.level, history.can_undo, history.can_redo) == (levels[0], False, True)
    history.undo()
    history.redo()
    assert history.level == levels[2]
    history.draw(levels[1], stroke=1)  # after it was undone, another stroke
    history.undo()
    assert history.level == levels[2]
    history.draw(levels[0], stroke=2)
    assert not history.can_redo


def test_what_edit_does_not_take(run, tmp_path):
    def refused(*words, reason: str):
        code, out, err = run("edit", *words, "--no-open")
        assert (code, out, err.count("\n")) == (2, "", 1) and reason in err, err

    refused("BitGrid-v0", reason="levels of BitGrid-v0 cannot be drawn; those that can: GridWorld-v0")
    refused("GridWrld-v0", reason="did you mean 'GridWorld-v0'")
    refused("GridWorld-v0", tmp_path / "level.txt", reason="ends in .json")
    refused("GridWorld-v0", tmp_path / "none" / "level.json", reason="is no folder")
    refused("GridWorld-v0", tmp_path / "level.json", "--task", "targets/Z", reason="'Z'")
    maze = PointMazeTaskSpace()
    write_task(maze, maze.resolve("u/7-3"), tmp_path / "maze.json")
    refused("GridWorld-v0", tmp_path / "maze.json", reason="maze.json is no task file")
    refused("GridWorld-v0", tmp_path / "maze.json", "--task", "targets/A", reason="leave --task out")
    code, _, err = run("play", "GridWorld-v0", "--text", "--task", tmp_path / "maze.json")
    assert (code, err.count("\n")) == (2, 1) and "maze.json is no task file" in err
