"""Figures of what a trained policy does: each at its smallest, and those that the command line names."""

import json

import pytest
from PIL import Image

from procgen_bench.cli.reproduce import _ANALYSES
from procgen_bench.leaderboards.reproduction.xland import analyses
from procgen_bench.leaderboards.reproduction.xland.analyses import FIGURES
from procgen_bench.leaderboards.reproduction.xland.gallery import reproduce


def test_the_command_line_names_all():
    assert {"xland": (analyses.__name__, tuple(FIGURES))} == _ANALYSES
    assert all(number == figure.number and figure.policies for number, figure in FIGURES.items())


@pytest.mark.slow
@pytest.mark.parametrize("number", FIGURES)
def test_every_figure_is_drawn(number, tmp_path):
    figure = FIGURES[number]
    found = reproduce(figure, tmp_path, figure.samples.least, 1)
    numbers = json.loads(found.numbers.read_text(), parse_constant=pytest.fail)
    assert numbers["policies"] == [*figure.policies]
    assert numbers["key numbers"] == {row.name: row.ours for row in found.measurement.key_numbers()}
    with Image.open(found.picture) as picture:
        assert min(picture.size) > 250 and len(picture.convert("RGB").getcolors(2**24)) > 50
