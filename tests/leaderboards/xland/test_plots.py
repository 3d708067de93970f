"""Pictures of made-up agents, which say so."""

import io

import numpy as np
import pytest
from PIL import Image

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.mixtures import best_values
from procgen_bench.leaderboards.xland.plots import (
    draw_participation,
    draw_percentile_surface,
    draw_percentiles,
    draw_returns,
)
from procgen_bench.leaderboards.xland.returns import EvaluationTask, ReturnTable
from procgen_bench.leaderboards.xland.summaries import summarise_agents
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS
from procgen_bench.tasks.xland.hand_authored import task_names
from tests.leaderboards.xland.makers import table_of, tasks_of

NOTE = "Made-up numbers of agents that do not exist, to try the picture."


def made_up_returns(num_agents, num_tasks, rng):
    """The later the agent, the more it gets, and the less often nothing."""
    strength = np.linspace(0.2, 1.0, num_agents)[:, None]
    easy = rng.random(num_tasks)
    rewarded = rng.random((num_agents, num_tasks)) < (0.25 + easy) * (0.3 + strength)
    return np.where(rewarded, rng.gamma(3, 120, num_tasks) * strength * rng.uniform(0.6, 1, rewarded.shape), 0)


def made_up_summaries(num_agents, num_games=80):
    rng = np.random.default_rng(4)
    tasks = tasks_of([f"game {k}" for k in range(num_games)], co_players=TEST_CO_PLAYERS)
    known = ReturnTable(TEST_CO_PLAYERS, tasks, made_up_returns(7, len(tasks), rng))
    agents = [f"generation {k + 1}" for k in range(num_agents)]
    table = ReturnTable(agents, tasks, made_up_returns(num_agents, len(tasks), rng) * 1.2)
    return summarise_agents(table, best_values(known), rng, resamples=200)


@pytest.fixture(scope="module")
def summaries():
    return made_up_summaries(5)


def range_names(count):
    return [f"world {k}" for k in range(count)]


def pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def colours(path):
    return {tuple(colour) for colour in pixels(path).reshape(-1, 3).tolist()}


def test_percentiles_as_lines(summaries, tmp_path):
    draw_percentiles(summaries, tmp_path / "percentiles.png", NOTE)
    found = colours(tmp_path / "percentiles.png")
    assert {(31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189)} <= found


def test_percentiles_as_a_surface(tmp_path):
    many = made_up_summaries(12, num_games=40)
    draw_percentile_surface(many, tmp_path / "surface.png", NOTE, axis="checkpoint")
    found = pixels(tmp_path / "surface.png")
    # The worst agent's column is redder than the best one's, which is blue.
    middle = found[found.shape[0] // 2 - 40].astype(int)
    reddish = np.flatnonzero((middle[:, 0] > middle[:, 1] + 60) & (middle[:, 0] > 120))
    bluish = np.flatnonzero(middle[:, 2] > middle[:, 0] + 60)
    assert reddish.min() < bluish.min()


def test_participation_as_bars(summaries, tmp_path):
    draw_participation(summaries, tmp_path / "participation.png", NOTE)
    found = pixels(tmp_path / "participation.png")
    bar = (found[..., 2] > 170) & (found[..., 0] < 120)
    lengths = bar.sum(axis=1)
    rows = np.flatnonzero(lengths > lengths.max() / 4)
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 3) + 1)
    drawn = np.array([lengths[run].max() for run in runs])
    shares = np.array([summary.participation.value for summary in summaries])
    assert len(drawn) == 5 and drawn / drawn[-1] == pytest.approx(shares / shares[-1], abs=0.02)


def hand_authored_table(num_agents=5):
    tasks = [EvaluationTask(name, name, "steady") for name in task_names()]
    agents = [f"generation {k + 1}" for k in range(num_agents)]
    return ReturnTable(agents, tasks, made_up_returns(num_agents, len(tasks), np.random.default_rng(2)).round(1))


def test_returns_as_a_table(tmp_path):
    draw_returns(hand_authored_table(), tmp_path / "returns.png", NOTE)
    found = colours(tmp_path / "returns.png")
    assert (253, 231, 36) in found or (253, 231, 37) in found  # the best of a row
    assert (230, 230, 230) in found  # no reward at all


def test_the_same_numbers_give_the_same_file(summaries, tmp_path):
    for name in ("a.png", "b.png"):
        draw_participation(summaries, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "b.png"]
    assert Image.open(io.BytesIO((tmp_path / "a.png").read_bytes())).format == "PNG"


def test_the_smallest_evaluation_is_drawn(tmp_path):
    """One agent without any reward on one task, one percentile, no interval."""
    table = table_of([[0.0]], policies=("an agent whose name is far longer than any column",), co_players=("noop",))
    found = summarise_agents(table, {"g": 1.0}, np.random.default_rng(0), percentiles=(50,))
    draw_percentiles(found, tmp_path / "percentiles.png")
    draw_percentile_surface(found, tmp_path / "surface.png")
    draw_participation(found, tmp_path / "participation.png")
    draw_returns(table, tmp_path / "returns.png")
    assert all(min(pixels(path).shape[:2]) > 100 for path in tmp_path.iterdir())
    assert (230, 230, 230) in colours(tmp_path / "returns.png")


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda found, folder: draw_percentiles([], folder / "a.png"), "number of agents is 0, expected at least 1"),
        (lambda found, folder: draw_percentiles(found * 2, folder / "a.png"), "number of agents is 10, expected at"),
        (lambda found, folder: draw_participation([], folder / "a.png"), "number of agents is 0"),
        (lambda found, folder: draw_participation(found, folder / "a.svg"), "suffix of the picture is 'a.svg', expect"),
        (
            lambda found, folder: draw_returns(table_of([[1] * 201], ("g",), range_names(201), ("a",), ("b",)), folder),
            "number of tasks is 201, expected at most 200",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(summaries, tmp_path, draw, message):
    with pytest.raises(InvalidReturnsError) as caught:
        draw(summaries, tmp_path)
    assert message in str(caught.value) and not list(tmp_path.iterdir())
