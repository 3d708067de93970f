"""A full disk, in every command that writes: one line that names the file, and nothing that looks finished."""

import importlib
import sys

import pytest

from procgen_bench.cli import main
from procgen_bench.core.benchmarks import get_benchmark
from tests.full_disk import full_above
from tests.leaderboards.few_benchmarks import only_benchmarks

#: Kernels that are compiled here are not kept either, which stops nothing.
pytestmark = pytest.mark.filterwarnings("ignore::procgen_bench.core.kernel_cache.UnkeptWarning")

BENCHMARK = "bit-grid/test"
PLAY = ["evaluate", BENCHMARK, "--workers", "1"]
SETTINGS = ["num_envs", 4, "rollout_steps", 8, "width", 8, "minibatches", 1, "epochs", 1, "evaluation_tasks", 2]
TRAINING = [word if place % 2 else f"--{word.replace('_', '-')}" for place, word in enumerate(SETTINGS)]
TRAIN = ["train", "ppo", BENCHMARK, "--steps", "64", *map(str, TRAINING), "--out"]
SWEEP = f"""methods = ["ppo"]
benchmarks = ["{BENCHMARK}"]
steps = 64
[options]
""" + "".join(f"{name} = {value}\n" for name, value in zip(SETTINGS[::2], SETTINGS[1::2]))
#: What stands there only when all of it has been written.
FINISHED = {"policy", "checkpoint", "submission.json", "record.json", "index.html", "results.json"}
FINISHED |= {f"new.{kind}" for kind in ("onnx", "gif", "mp4", "png")}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with what commands read: a run, a submission, a board and a sweep."""
    folder = tmp_path_factory.mktemp("written")
    play = [*PLAY, "--policy", "random", "--out", folder / "submission"]
    submit = ["submit", folder / "submission", "--board", folder / "board", "--workers", "1"]
    for words in ([*TRAIN, folder / "run"], play, submit):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        assert not stop.value.code
    (folder / "sweep.toml").write_text(SWEEP)
    return folder


@pytest.mark.parametrize(
    ("words", "size", "named"),
    [
        ([*PLAY, "--policy", "random", "--out", "new"], 300, "new"),
        (
            [*PLAY, "--policy", "{}/run/policy", "--out", "new"],
            2_000,
            "policy-0.onnx",
        ),
        (["submit", "{}/submission", "--board", "new", "--workers", "1"], 100, "epochs.json"),
        (["submit", "{}/submission", "--board", "new", "--workers", "1"], 2_000, "random"),
        (["export", "{}/run", "--out", "new.onnx"], 2_000, "new.onnx"),
        (["render", "{}/submission", "--out", "new.gif"], 2_000, "new.gif"),
        (["render", "{}/submission", "--out", "new.mp4"], 2_000, "new.mp4"),
        (["plot", "{}/run", "--out", "new.png"], 2_000, "new.png"),
        ([*TRAIN, "new"], 100, "new/config.json"),
        ([*TRAIN, "new"], 20_000, "weights.safetensors"),
        (["sweep", "{}/sweep.toml", "--out", "new"], 100, "new/results.json"),
        (["leaderboard", "--board", "{}/board", "--html", "new", "--workers", "1"], 2_000, "new"),
        (["describe", "XLand-v0", "--world", "7", "--out", "new.png"], 2_000, "new.png"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_full_disk_is_one_line_that_names_the_file(run, written, tmp_path, monkeypatch, words, size, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("procgen_bench.cli.sweep.workers_of", lambda number, ray: None)  # trained in this process
    with only_benchmarks(get_benchmark(BENCHMARK)), full_above(size):
        code, _, err = run(*(word.format(written) for word in words))
    (line,) = (line for line in err.splitlines() if line.startswith("error: "))
    assert code == 2 and "Traceback" not in err and err.endswith(f"{line}\n")
    assert f"{named} cannot be written: " in line and "File too large" in line
    names = {path.name for path in tmp_path.rglob("*")}
    assert not names & FINISHED and not [name for name in names if name.startswith(".") and name != ".lock"]


def test_a_sweep_without_room_for_its_runs_says_so_of_each(run, written, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("procgen_bench.cli.sweep.workers_of", lambda number, ray: None)
    with full_above(3_000):
        code, _, err = run("sweep", written / "sweep.toml", "--out", "new")
    assert code == 1 and "Traceback" not in err
    assert "1 of 1 runs failed" in err and "cannot be written: File too large" in err.splitlines()[-1]


def test_what_is_imported_on_a_full_disk_can_be_imported_later(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    source = tmp_path / "imported_on_a_full_disk.py"
    source.write_text("TEXT = '" + "long " * 1_000 + "'\n")
    with full_above(2_000):
        importlib.import_module(source.stem)
    del sys.modules[source.stem]
    assert len(importlib.import_module(source.stem).TEXT) == 5_000
