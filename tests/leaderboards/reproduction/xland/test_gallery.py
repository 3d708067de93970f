"""Every figure at its smallest: its picture and its file of numbers."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland.figures import FIGURES
from procgen_bench.leaderboards.reproduction.xland.gallery import reproduce
from procgen_bench.leaderboards.reproduction.xland.game_counts import count_games

#: Figures that take long.
LONG = (3, 4, 5, 6, 8, 35)
SAMPLED = [number for number, figure in FIGURES.items() if figure.samples]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("figures") / "xland"


def numbers_of(figure, folder, seed):
    found = reproduce(figure, folder, figure.samples and figure.samples.least, figure.samples and seed)
    return found, json.loads(found.numbers.read_text(), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=[pytest.mark.slow] if number in LONG else []) for number in FIGURES]
)
def test_every_figure_is_drawn_and_repeatable(number, folder):
    figure = FIGURES[number]
    found, numbers = numbers_of(figure, folder, 3)
    assert (found.picture, found.numbers) == (folder / f"figure-{number}.png", folder / f"figure-{number}.json")
    with Image.open(found.picture) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    assert min(pixels.shape[:2]) > 250
    assert 0.02 < (pixels != pixels[0, 0]).any(axis=2).mean() < 0.98  # neither blank nor full
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
    assert found.picture.stat().st_size < 300_000
    assert numbers["figure"] == number and numbers["title"] == figure.title and numbers["claim"] == figure.claim
    assert numbers["key numbers"] == {row.name: row.ours for row in found.measurement.key_numbers()}
    if figure.samples:
        assert (numbers["samples"], numbers["seed"]) == (figure.samples.least, 3)
        assert numbers_of(figure, folder, 3)[1] == numbers
        assert numbers_of(figure, folder, 4)[1] != {**numbers, "seed": 4}


def test_figures_are_those_of_the_paper():
    assert list(FIGURES) == [3, 4, 5, 6, 7, 8, 35]
    assert all(number == figure.number for number, figure in FIGURES.items())


@pytest.mark.parametrize("number", SAMPLED)
def test_too_few_samples_are_refused_before_anything_is_written(number, tmp_path):
    least = FIGURES[number].samples.least
    with pytest.raises(InvalidOptionError, match=f"figure {number} is {least - 1}, expected at least {least} "):
        reproduce(FIGURES[number], tmp_path / "new", least - 1, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("samples", "seed"), [(10, None), (None, 0)])
def test_an_exact_figure_takes_neither_samples_nor_a_seed(samples, seed, tmp_path):
    with pytest.raises(InvalidOptionError, match="figure 7 is exact: it takes neither samples nor a seed"):
        reproduce(FIGURES[7], tmp_path, samples, seed)


def test_policies_are_taken_by_figures_that_have_some_by_default():
    with pytest.raises(InvalidOptionError, match="figure 7 takes no policy, not 1"):
        reproduce(FIGURES[7], Path("never"), None, None, ["trained"])


def test_who_plays_is_written_beside_the_numbers(tmp_path):
    played = []

    def measure(*measured):
        played.append(measured[-1])
        return count_games()

    one, several = (dataclasses.replace(FIGURES[7], measure=measure, policies=names) for names in (("a",), ("a", "b")))
    for figure, policies in ((one, []), (several, ["c", "d", "e"])):
        found = reproduce(figure, tmp_path, None, None, policies)
        assert json.loads(found.numbers.read_text())["policies"] == played[-1]
    assert played == [["a"], ["c", "d", "e"]]


def test_a_run_that_keeps_policies_stands_for_them_all(tmp_path):
    for step in (0, 1_000, 200):
        (tmp_path / "policies" / str(step)).mkdir(parents=True)
    figure = dataclasses.replace(FIGURES[7], measure=lambda policies: count_games(), policies=("a", "b"))
    numbers = json.loads(reproduce(figure, tmp_path / "new", None, None, [str(tmp_path), "c"]).numbers.read_text())
    assert numbers["policies"] == [*(str(tmp_path / "policies" / step) for step in ("0", "200", "1000")), "c"]


def test_a_plan_stands_for_the_best_of_its_generations(tmp_path):
    members = [{"generation": n, "seed": 0, "policy": f"policy {n}", "fitness": {}, "others": []} for n in (1, 2)]
    (tmp_path / "generations.json").write_text(json.dumps(members))
    figure = dataclasses.replace(FIGURES[7], measure=lambda policies: count_games(), policies=("a", "b"))
    numbers = json.loads(reproduce(figure, tmp_path / "new", None, None, ["c", str(tmp_path)]).numbers.read_text())
    assert numbers["policies"] == ["c", "policy 1", "policy 2"]
    (tmp_path / "generations.json").write_text("[{}]")
    with pytest.raises(InvalidOptionError, match=r"json is damaged .* expected what `procgen-bench gener"):
        reproduce(figure, tmp_path / "new", None, None, [str(tmp_path)])


def test_a_failure_leaves_the_old_picture(tmp_path, monkeypatch):
    (tmp_path / "figure-7.png").write_bytes(b"old")
    monkeypatch.setattr("procgen_bench.leaderboards.reproduction.xland.game_counts.GameCounts.draw", None)
    with pytest.raises(TypeError):
        reproduce(FIGURES[7], tmp_path, None, None)
    assert (tmp_path / "figure-7.png").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
