"""Where commands write: a file in a folder's place, or the reverse, is reported at once, in one line."""

import re

import pytest

SWEEP = 'methods = ["ppo"]\nbenchmarks = ["grid-world/graded"]\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text(SWEEP)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["train", "ppo", "grid-world/graded", "--out", "file"],
        ["train", "ppo", "grid-world/graded", "--out", "file/run"],
        ["sweep", "file", "--out", "file"],
        ["generations", "file", "--out", "file"],
        ["reproduce", "apt-gen", "--figure", "3", "--out", "file"],
        ["reproduce", "xland", "--figure", "7", "--out", "file"],
        ["evaluate", "grid-world/graded", "--policy", "random", "--out", "file/random"],
        ["submit", "folder", "--board", "file"],
    ],
    ids=" ".join,
)
def test_a_file_in_a_folders_place_is_named(run, here, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err == "error: file is a file, expected a folder: choose another, or move the file away\n"
    assert sorted(path.name for path in here.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder.png", "error: folder.png is a folder, expected a file's name: choose one, folder.png/NAME say"),
        ("missing/a.png", "error: missing, where a.png is to be written, is no folder; create it first"),
    ],
)
@pytest.mark.parametrize(
    "words",
    [["plot", "folder", "--out"], ["export", "folder", "--out"], ["describe", "XLand-v0", "--world", "7", "--out"]],
    ids=lambda words: words[0],
)
def test_where_no_file_can_be_written_is_named(run, here, words, path, message):
    (here / "folder.png").mkdir()
    code, out, err = run(*words, path)
    assert (code, out, err) == (2, "", f"{message}\n")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["reproduce", "alphanpi-x", "--figure", "9", "--set", "atomic=nowhere"], "atomic is 'nowhere', expected"),
        (["reproduce", "alphanpi-x", "--figure", "1", "--policy", "nowhere"], "--policy is 'nowhere', expected a fol"),
        (
            ["reproduce", "alphanpi-x", "--table", "2", "--set", "model=nowhere"],
            "model is 'nowhere', expected a folder",
        ),
        (["reproduce", "alphanpi-x", "--table", "2", "--set", "rival=nowhere"], "nowhere is not the run of a rival"),
        (["reproduce", "xland", "--figure", "26", "--policy", "nowhere"], "--policy is 'nowhere', expected trained,"),
        (["export", "nowhere"], "'RUN': dir 'nowhere'"),
        (["sweep", "nowhere"], "'FILE.toml': file 'nowhere'"),
        (["generations", "nowhere"], "'FILE.toml': file 'nowhere'"),
        *(
            (["board", *words, "--board", "nowhere"], "--board: nowhere is no folder")
            for words in (["epoch"], ["carry"], ["ship"], ["audit", "bit-grid/test/random"])
        ),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, list) else "",
)
def test_what_is_not_there_is_named_with_its_option_before_the_work(run, here, words, named):
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ") and named in err and "Errno" not in err
    assert sorted(path.name for path in here.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    "words",
    [
        ["train", "ppo", "grid-world/graded", "--out", "/proc/new"],
        ["sweep", "file", "--out", "/proc/new"],
        ["reproduce", "apt-gen", "--figure", "3", "--out", "/proc/new"],
        ["reproduce", "xland", "--figure", "7", "--out", "/proc/new"],
        ["evaluate", "grid-world/graded", "--policy", "random", "--out", "/proc/new"],
        ["submit", "folder", "--board", "/proc/new"],
        ["leaderboard", "--board", "folder", "--html", "/proc/new"],
        ["plot", "folder", "--out", "/proc/new.png"],
        ["export", "folder", "--out", "/proc/new.onnx"],
        ["render", "folder", "--out", "/proc/new.gif"],
        ["import-fragments", "folder", "--out", "/proc/new.json"],
        ["describe", "XLand-v0", "--world", "7", "--out", "/proc/new.png"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_folder_that_cannot_be_written_is_named_before_the_work(run, here, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: /proc cannot be written \(.+\); choose another folder\n", err)
    assert sorted(path.name for path in here.iterdir()) == ["file", "folder"]
