"""``procgen-bench doctor``: one line for each thing, with the way to get what is missing.

Where commands write: a file in a folder's place, or the reverse, is reported at once, in one line.
"""

import importlib.metadata
import re
import sys
import types

import pytest

from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.registrations import ENVIRONMENT_IDS


def findings(out: str) -> dict[str, str]:
    """What is reported -> what is found."""
    return {line[:20].strip(): line[21:] for line in out.splitlines()}


def test_another_pygame_is_named_where_windows_are_opened(run, monkeypatch):
    """pygame's own package, installed after pygame-ce, replaces it."""
    other = types.ModuleType("pygame")
    other.version = types.SimpleNamespace(ver="2.6.1")
    monkeypatch.setitem(sys.modules, "pygame", other)
    told = "pygame 2.6.1 lies over pygame-ce, whose windows and pictures are needed: pip uninstall"
    assert findings(run("doctor")[1])["windows"].startswith(told)
    code, _, err = run("play", "GridWorld-v0")
    assert (code, err.count("\n")) == (2, 1) and err.startswith(f"error: {told}")


def test_what_is_there_is_shown_and_what_is_missing_with_its_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ['no-such-package>=1; extra == "web"'])
    monkeypatch.setenv("PROCGEN_BENCH_CHROMIUM", str(tmp_path / "nothing"))
    monkeypatch.setenv("MUJOCO_GL", "crayons")
    code, out, _ = run("doctor")
    found = findings(out)
    assert code == 0 and f"numba {importlib.metadata.version('numba')}" in found["versions"]
    assert found["free disk here"].endswith(" GB") and found["machine"] and found["compiled functions"]
    assert found["extra web"] == "missing: no-such-package; pip install 'procgen-bench[web]'"
    assert "expected the path of an executable file" in found["Chromium"]
    assert found["windows"] == f"pygame-ce {importlib.metadata.version('pygame-ce')}"
    assert found["MuJoCo's pictures"].startswith("cannot be drawn: ") and "crayons" in found["MuJoCo's pictures"]


def test_a_version_that_was_not_tested_is_named_with_its_remedy(run, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ['numpy>=99,<100; extra == "mujoco"'])
    found = findings(run("doctor")[1])["extra mujoco"]
    here = importlib.metadata.version("numpy")
    assert found.startswith(f"numpy {here} is installed, but the extra mujoco was tested with numpy>=99,<100; ")
    assert found.endswith("pip install 'numpy>=99,<100'")


def test_one_environment_is_compiled_and_kept(run):
    code, out, _ = run("compile", "BitGrid-v0")
    assert code == 0
    assert out.splitlines()[0].startswith("BitGrid-v0: ")
    assert out.splitlines()[-1].startswith("ready after ")
    assert run("compile", "BitGrid-v0")[1].splitlines()[0] == "BitGrid-v0: compiled before"


def test_everything_is_compiled_but_that_whose_packages_are_missing(run, monkeypatch):
    seen = []

    def train():
        raise MissingExtraError("torch", "baselines")

    def use(environment_id):
        seen.append(environment_id)
        if environment_id == "XLand-v0":
            raise MissingExtraError("mujoco", "mujoco")

    monkeypatch.setattr("procgen_bench.engine.first_use.use_once", use)
    monkeypatch.setattr("procgen_bench.baselines.first_use.train_once", train)
    code, out, _ = run("compile", "--workers", 1)
    assert code == 0
    longest = ["XLand-v0", "XLandSmall-v0"]
    assert seen == longest + [name for name in ENVIRONMENT_IDS if name not in longest]
    assert "XLand-v0: left out, mujoco is not installed; install it with: pip install 'procgen-bench[mujoco]'" in out
    assert "learners: left out, torch is not installed" in out


@pytest.mark.slow
def test_processes_compile_all_rooms_and_what_they_share_once(run, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code, out, _ = run("compile", "--workers", 2)
    assert code == 0
    lines = {line.partition(":")[0]: line for line in out.splitlines()}
    assert lines.keys() >= {*ENVIRONMENT_IDS, "learners"}
    assert " functions in " in lines["XLand-v0"]
    assert lines["XLandSmall-v0"] == "XLandSmall-v0: compiled before"
    again = run("compile", "--workers", 2)[1].splitlines()
    assert all(line.endswith(": compiled before") for line in again[:-1])


def test_an_unknown_environment_is_refused(run):
    code, _, err = run("compile", "XLand-v9")
    assert code == 2
    assert "XLand-v9" in err


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
        (
            ["reproduce", "alphanpi-x", "--figure", "1", "--policy", "nowhere"],
            "--policy is 'nowhere', expected trained,",
        ),
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
