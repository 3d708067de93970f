import subprocess
import sys

import pytest
from PIL import Image
from typer.testing import CliRunner

from procgen_bench.cli import app
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs


def test_a_figure_is_written_and_its_numbers_are_reported(tmp_path):
    words = ["reproduce", "xland", "--figure", "3", "--samples", "500", "--seed", "1", "--out", str(tmp_path / "new")]
    shown = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert shown.exit_code == 0, shown.output
    assert "the paper's" in shown.output and "9 x 9 worlds, at most" in shown.output and "10^92.8" in shown.output
    assert shown.stdout.splitlines()[-1] == f"picture: {tmp_path / 'new' / 'figure-3.png'}"
    assert f"numbers: {tmp_path / 'new' / 'figure-3.json'}" in shown.output
    with Image.open(tmp_path / "new" / "figure-3.png") as picture:
        picture.verify()


def test_figures_lie_in_runs_by_default(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("reproduce", "xland", "--figure", 7)
    assert (code, err) == (0, "")
    files = sorted(path.name for path in (tmp_path / "runs" / "xland").iterdir())
    assert files == ["figure-7.json", "figure-7.png"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["xlant", "--figure", 3],
            "there is no paper 'xlant', expected one of ['sibling-rivalry', 'apt-gen', 'code', 'alphanpi-x', 'xl",
        ),
        (
            ["xland", "--figure", 9],
            "xland has no figure 9 here, expected one of [3, 4, 5, 6, 7, 8, 13, 14, 16, 18, 19, 22, 23, 24, 25,",
        ),
        (
            ["xland", "--figure", 5, "--policy", "trained"],
            "--policy does not go with figure 5 of xland, which takes --samples, --seed",
        ),
        (
            ["xland", "--figure", 25, "--steps", 2],
            "--steps does not go with figure 25 of xland, which takes --samples, --seed, --policy",
        ),
        (["xland", "--figure", 25, "--policy", "a", "--policy", "b"], "figure 25 takes one policy, not 2"),
        (["xland", "--figure", 26, "--policy", "a", "--policy", "b"], "figure 26 takes one policy, not 2"),
        (
            ["xland", "--figure", 16, "--policy", "a"],
            "--policy does not go with figure 16 of xland, which takes --panel, ",
        ),
        (["xland", "--figure", 22, "--policy", "a"], "figure 22 takes two policies or more, not 1"),
        (
            ["xland", "--figure", 27, "--policy", "random"],
            "random is a RandomPolicy, expected a policy of ppo,",
        ),
        (["xland", "--figure", 19, "--policy", "none"], "unknown policy 'none'"),
        (
            ["sibling-rivalry", "--figure", 35],
            "sibling-rivalry has no figure 35 here, expected one of [3, 4, 5, 6, 7, 8,",
        ),
        (["xland", "--figure", 4, "--samples", 1], "samples of figure 4 is 1, expected at least 2 worlds"),
        (["xland", "--figure", 16, "--samples", 9], "--samples does not go with figure 16 of xland"),
        (["xland", "--figure", 4, "--samples", 0], "Invalid value for '--samples'"),
        (
            ["xland", "--figure", 7, "--seed", 0],
            "--seed does not go with figure 7 of xland, which takes no option but --out",
        ),
        (["xland", "--figure", 3, "--seed", -1], "Invalid value for '--seed'"),
        (["code", "--figure", 7, "--by-value"], "--by-value does not go with figure 7 of code"),
        (["xland", "--figure", 3, "--panel", "a"], "--panel does not go with figure 3 of xland"),
        (["xland", "--figure", 3, "--method", "a"], "--method does not go with figure 3 of xland"),
        (["xland", "--figure", 3, "--seeds", 2], "--seeds does not go with figure 3 of xland"),
        (["xland", "--figure", 3, "--steps", 2], "--steps does not go with figure 3 of xland"),
        (["xland", "--figure", 3, "--jobs", 2], "--jobs does not go with figure 3 of xland"),
        (["xland", "--figure", 3, "--no-train"], "--no-train does not go with figure 3 of xland"),
        (["sibling-rivalry", "--figure", 3, "--samples", 2], "--samples does not go with figure 3 of sibling-rivalry"),
        (["sibling-rivalry", "--figure", 3, "--seed", 0], "--seed does not go with figure 3 of sibling-rivalry"),
        (["sibling-rivalry", "--figure", 3, "--panel", "ant"], "the figure has no panel 'ant'"),
        (["code", "--table", 2], "code has no table 2 here, expected one of [1, 3]"),
        (["apt-gen", "--figure", 7], "apt-gen has no figure 7 here, expected one of [3, 4, 5, 6, 13]"),
        (
            ["apt-gen", "--figure", 3, "--panel", "a"],
            "the figure has no panel 'a', expected one of ['grid-a', '",
        ),
        (["apt-gen", "--figure", 5, "--method", "PPO"], "no curve 'PPO', expected one of ['APT-Gen', 'return only',"),
        (["sibling-rivalry", "--figure", 3, "--no-train"], "holds no run of this figure; leave --no-train out"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("reproduce", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_missing_matplotlib_names_its_extra(tmp_path):
    script = (
        "import sys\nsys.modules['matplotlib'] = None\nfrom procgen_bench.cli import main\n"
        f"main(['reproduce', 'xland', '--figure', '7', '--out', {str(tmp_path / 'new')!r}])"
    )
    answered = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert answered.returncode == 2
    assert "pip install 'procgen-bench[site]'" in answered.stderr and answered.stderr.count("\n") == 1


def test_levels_that_no_run_noted_and_runs_that_are_missing_are_reported(run, tmp_path):
    runs = sweep_runs(read_figure("apt-gen", 6), tmp_path, ["grid-a"], [], 2, None)
    runs[0].folder.mkdir(parents=True)
    (runs[0].folder / "config.json").write_text('{"settings": {}, "finished": true, "command": ""}')
    (runs[0].folder / "curve.csv").write_text("step,seconds,return,success\n0,1,-1,0\n100,2,-1,0\n")
    words = ["reproduce", "apt-gen", "--panel", "grid-a", "--no-train", "--out", tmp_path, "--figure"]
    code, out, err = run(*words, 6)
    assert (code, out) == (2, "")
    assert err.startswith("error: no levels.jsonl, from which the figure is drawn, lies in ") and err.count("\n") == 1
    assert str(runs[0].folder) in err and not (tmp_path / "figure-6.png").exists()
    code, out, err = run(*words, 3, "--method", "APT-Gen", "--seeds", 11)
    assert code == 0 and f"picture: {tmp_path / 'figure-3.png'}" in out
    assert err == "warning: the figure has 1 of 11 runs; the others have not begun, or are not finished\n"
