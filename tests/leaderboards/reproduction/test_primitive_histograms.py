"""CoDE's figure 9: which primitives designs have, by third of the evaluations."""

import pytest
from PIL import Image

from procgen_bench import make_task_space
from procgen_bench.baselines.training.task_records import ProposedLevels
from procgen_bench.leaderboards.reproduction.drawing import draw_figure
from procgen_bench.leaderboards.reproduction.primitive_histograms import primitive_shares
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepError, sweep_runs

SPACE = make_task_space("GMiniWoB-v0")
SUITE = SPACE.suite("test")
FIGURE = read_figure("code", 9)


def noted(folder, names):
    folder.mkdir(parents=True)
    levels = ProposedLevels(folder, SPACE)
    for place, name in enumerate(names):
        levels.add(100 * place, [SUITE[f"{name}-0"], SUITE[f"{name}-1"]])


def test_shares_are_by_third_and_a_design_counts_once(tmp_path):
    noted(tmp_path / "run", ["login-1", "login-2", "login-4"])
    shares = primitive_shares(tmp_path / "run", SPACE)
    names = list(SPACE.library.catalogue)
    for part, task in zip(shares, (SUITE["login-1-0"], SUITE["login-2-0"], SUITE["login-4-0"])):
        expected = [sum(page.count(name) for page in task.design.pages) for name in names]
        assert part.tolist() == expected


def test_runs_that_noted_too_little_are_left_out_and_none_is_one_line(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], ["CoDE"], 2, 100)
    with pytest.raises(SweepError, match=r"no levels\.jsonl with designs of three evaluations lies in"):
        draw_figure(FIGURE, runs, tmp_path / "figure.png")
    noted(runs[0].folder, ["login-1", "login-2"])
    noted(runs[1].folder, ["login-1", "login-2", "login-4", "payment-4"])
    assert list(draw_figure(FIGURE, runs, tmp_path / "figure.png")) == [runs[1]]
    with Image.open(tmp_path / "figure.png") as picture:
        picture.verify()
