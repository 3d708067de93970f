"""Figures that are measured, each at its smallest: their pictures and files of numbers."""

import dataclasses
import json

import numpy as np
import pytest
from PIL import Image

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.measured import reproduce
from procgen_bench.leaderboards.reproduction.xland.game_counts import count_games
from procgen_bench.leaderboards.sweeps.figure_file import Asked, figure_numbers, read_figure

FIGURES = {n: figure for n in figure_numbers("xland") if (figure := read_figure("xland", n)).measure}
PLAYED = []


def asked(folder, samples=None, seed=None, policies=()):
    return Asked(folder, samples, seed, policies, {})


def numbers_of(figure, folder, seed):
    made = reproduce(figure, asked(folder, figure.samples and figure.samples.least, seed))
    return made, json.loads(made.files["numbers"].read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize("number", [7, *(pytest.param(n, marks=pytest.mark.slow) for n in FIGURES if n != 7)])
def test_every_figure_is_drawn_and_repeatable(number, tmp_path):
    figure = FIGURES[number]
    made, numbers = numbers_of(figure, tmp_path / "new", 3)
    assert [path.name for path in made.files.values()] == [f"figure-{number}.json", f"figure-{number}.png"]
    with Image.open(made.files["picture"]) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    assert min(pixels.shape[:2]) > 250 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
    assert 0.02 < (pixels != pixels[0, 0]).any(axis=2).mean() < 0.98  # neither blank nor full
    assert made.files["picture"].stat().st_size < 300_000
    assert (numbers["figure"], numbers["title"], numbers["claim"]) == (number, figure.title, figure.claim)
    assert numbers["key numbers"] == {row.name: row.ours for row in made.rows}
    assert numbers.get("policies", []) == figure.policies or not figure.policies
    if figure.samples:
        assert (numbers["samples"], numbers["seed"]) == (figure.samples.least, 3)
    if figure.samples and not figure.policies:
        assert numbers_of(figure, tmp_path, 3)[1] == numbers != numbers_of(figure, tmp_path, 4)[1] | {"seed": 3}


@pytest.mark.parametrize("number", [number for number, figure in FIGURES.items() if figure.samples])
def test_too_few_samples_are_refused_before_anything_is_written(number, tmp_path):
    least = FIGURES[number].samples.least
    with pytest.raises(InvalidOptionError, match=f"figure {number} is {least - 1}, expected at least {least} "):
        reproduce(FIGURES[number], asked(tmp_path / "new", least - 1))
    assert list(tmp_path.iterdir()) == []


def measure(policies):
    """Notes who plays."""
    PLAYED.append(policies)
    return count_games()


def played(tmp_path, defaults, policies):
    figure = dataclasses.replace(FIGURES[7], measure=f"{__name__}:measure", policies=defaults)
    made = reproduce(figure, asked(tmp_path / "new", policies=policies))
    assert json.loads(made.files["numbers"].read_text())["policies"] == PLAYED[-1]
    return PLAYED[-1]


def test_who_plays_is_written_beside_the_numbers(tmp_path):
    assert played(tmp_path, ["a"], []) == ["a"] and played(tmp_path, ["a", "b"], ["c", "d", "e"]) == ["c", "d", "e"]
    with pytest.raises(InvalidOptionError, match="figure 7 takes one policy, not 2"):
        played(tmp_path, ["a"], ["b", "c"])


def test_a_run_that_keeps_policies_and_a_plan_of_generations_stand_for_them_all(tmp_path):
    for step in (0, 1_000, 200):
        (tmp_path / "policies" / str(step)).mkdir(parents=True)
    kept = [str(tmp_path / "policies" / step) for step in ("0", "200", "1000")]
    assert played(tmp_path, ["a", "b"], [str(tmp_path), "c"]) == [*kept, "c"]
    members = [{"generation": n, "seed": 0, "policy": f"policy {n}", "fitness": {}, "others": []} for n in (1, 2)]
    (tmp_path / "generations.json").write_text(json.dumps(members))
    assert played(tmp_path, ["a", "b"], ["c", str(tmp_path)]) == ["c", "policy 1", "policy 2"]
    (tmp_path / "generations.json").write_text("[{}]")
    with pytest.raises(InvalidOptionError, match=r"json is damaged .* expected what `procgen-bench gener"):
        played(tmp_path, ["a", "b"], [str(tmp_path)])


def test_a_failure_leaves_the_old_picture(tmp_path, monkeypatch):
    (tmp_path / "figure-7.png").write_bytes(b"old")
    monkeypatch.setattr("procgen_bench.leaderboards.reproduction.xland.game_counts.GameCounts.draw", None)
    with pytest.raises(TypeError):
        reproduce(FIGURES[7], asked(tmp_path))
    assert (tmp_path / "figure-7.png").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
