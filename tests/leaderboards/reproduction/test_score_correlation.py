"""Correlations of scores with true regret: by hand, and of a student that is trained as it would be without them."""

import json
import re

import numpy as np
import pytest

from procgen_bench.baselines.curricula.level_scores import ScoreError
from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.run import run
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.score_correlation import (
    RESULTS,
    LevelHistory,
    groups_by_length,
    main,
    measure,
    rank_correlations,
    regrets_of_means,
)
from procgen_bench.leaderboards.reproduction.score_correlation_drawing import NAMES, draw, table

BENCHMARK = get_benchmark("grid-world/graded")
METHOD = get_method("ppo").within(BENCHMARK.environment_id)


def episodes(returns) -> FinishedEpisodes:
    """All levels once, then once more: returns (episodes, levels), which are successes above 0."""
    flat = np.asarray(returns, float).ravel()
    number, numbers = np.arange(len(flat)), np.linspace(0, 1, len(flat), dtype=np.float32)
    return FinishedEpisodes(
        level=number,
        player=np.zeros(len(flat), np.int16),
        train=np.zeros(len(flat), np.bool_),
        return_=flat,
        success=flat > 0,
        length=number + 1,
        start_value=numbers,
        mean_value=numbers,
        value_loss=numbers * 2,
        step_score=numbers * 3,
        gradient_norm=numbers * 4,
        steps=(None,) * len(flat),
    )


def errors(steps):
    """The k-th episode was foreseen with an error of 10 * k."""
    return 10.0 * np.arange(len(steps))


def test_scores_of_two_levels_by_hand():
    history = LevelHistory(np.array([0.9, 0.8]), errors)
    played = episodes([[0.5, 0.0], [0.7, 0.0], [0.0, 0.0]])
    first = history.scores(played)
    assert first["value_loss"] == pytest.approx([0.0, 0.4])
    assert first["max_monte_carlo"] == pytest.approx([0.7 - 0.0, 0.0 - 0.2]), "greatest return less the first's value"
    assert first["mna"] == pytest.approx([0.0, 0.0]), "the second level was never rewarded"
    assert first["pace"] == pytest.approx([0.0, 0.8])
    assert first["traced"] == pytest.approx([0.0, 0.4 + 10.0])
    assert first["regret"] == pytest.approx([0.4, 0.8]), "of the first episode alone"
    assert first["mean_regret"] == pytest.approx([0.5, 0.8])
    assert first["learnability"] == pytest.approx([2 / 9, 0.0])
    assert np.isnan(first["progress"]).all()
    second = history.scores(episodes([[0.1, 0.6], [0.1, 0.0], [0.1, 0.0]]))
    assert second["progress"] == pytest.approx([0.3, 0.2])
    assert second["max_monte_carlo"] == pytest.approx([0.7, 0.4]), "the greatest return of both times"
    assert second["mna"] == pytest.approx([0.0, 0.6])


def test_regret_is_counted_from_the_mean():
    assert regrets_of_means(np.array([0.9, 0.8]), episodes([[0.5, 0.0], [0.7, 0.4]])) == pytest.approx([0.3, 0.6])


def test_correlations_are_of_ranks_within_groups():
    regret = np.array([0.1, 0.2, 0.3, 0.9])
    groups = {"all": np.ones(4, bool), "two": np.array([True, True, False, False])}
    scores = {"up": regret**5, "down": -regret, "same": np.ones(4), "swapped": np.array([2.0, 1.0, 3.0, 4.0])}
    found = rank_correlations(scores | {"unknown": np.full(4, np.nan)}, regret, groups)
    assert found["up"] == {"all": pytest.approx(1), "two": pytest.approx(1)}
    assert found["down"] == {"all": pytest.approx(-1), "two": pytest.approx(-1)}
    assert found["swapped"] == {"all": pytest.approx(0.8), "two": pytest.approx(-1)}
    assert found["same"] == found["unknown"] == {"all": None, "two": None}


def test_groups_hold_every_level_once():
    lengths = np.array([3, 1, 9, 9, 4, 5, 2, 20])
    groups = groups_by_length(lengths)
    assert list(groups) == ["all", "1 to 2 steps", "3 to 4 steps", "5 to 9 steps", "20 to 20 steps"]
    every = np.array([own for name, own in groups.items() if name != "all"])
    assert every.sum(axis=0).tolist() == [1] * 8 and groups["all"].all()
    assert list(groups_by_length(np.full(5, 7))) == ["all", "7 to 7 steps"]


def test_a_student_learns_as_it_would_without_being_measured(tmp_path, capsys):
    steps, every = 49_152, 16_384
    path = measure(METHOD, BENCHMARK, 0, steps, every, 20, tmp_path / "measured")
    result = json.loads(path.read_text())
    assert [point["step"] for point in result["points"]] == [0, 16_384, 32_768, 49_152]
    assert set(result["points"][0]["correlations"]) == set(NAMES)
    last = result["points"][-1]["correlations"]
    assert last["mean_regret"]["all"] > 0.3 and last["regret"]["all"] is not None
    configuration = METHOD.configured(BENCHMARK.environment_id, {"evaluate_every": every})
    alone = run(METHOD, BENCHMARK, configuration, 0, steps, tmp_path / "alone")
    columns = ("step", "return", "success", "policy_loss", "value_loss")
    curves = [
        [[row.get(name) for name in columns] for row in curve_of(folder)]
        for folder in (tmp_path / "measured" / "run", alone.path)
    ]
    assert curves[0] == curves[1] and len(curves[0]) > 2
    with pytest.raises(InvalidOptionError, match="exists already, expected a new folder"):
        measure(METHOD, BENCHMARK, 0, steps, every, 20, tmp_path / "measured")
    capsys.readouterr()
    main(["draw", str(tmp_path / "measured"), "--picture", str(tmp_path / "picture.png")])
    assert capsys.readouterr().out.strip() == table([result])
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_a_learner_without_a_critic_is_refused():
    played = episodes([[0.5, 0.0]])
    played.value_loss[:] = np.nan
    with pytest.raises(ScoreError, match="critic"):
        LevelHistory(np.ones(2), errors).scores(played)


def test_levels_of_several_seats_are_refused(tmp_path):
    benchmark = get_benchmark("xland/skills")
    method = get_method("ppo").within(benchmark.environment_id)
    with pytest.raises(InvalidOptionError, match=r"a level of XLand.* has 2 seats, expected an environment of one"):
        measure(method, benchmark, 0, 1000, 1000, 2, tmp_path / "measured")
    assert not (tmp_path / "measured").exists()


def result_of(*values, benchmark="a/b", seed=0, method="ppo"):
    points = [{"step": n, "correlations": {name: {"all": value} for name in NAMES}} for n, value in enumerate(values)]
    return {"benchmark": benchmark, "method": method, "seed": seed, "points": points}


def test_a_table_has_the_mean_of_each_seed_s_evaluations():
    lines = table([result_of(1.0, 0.5, None), result_of(1.0, 0.1, 0.3, seed=1)]).splitlines()
    assert lines[0] == "| a/b, ppo | all |" and lines[2] == "| regret, four episodes | 0.35 |"
    assert table([result_of(1.0, None)]).splitlines()[2] == "| regret, four episodes | - |"


def test_five_seeds_have_an_interval_about_their_mean():
    seeds = [result_of(1.0, value, seed=10 * value) for value in (0.1, 0.2, 0.3, 0.4, 0.5)]
    cell = table(seeds).splitlines()[2].split("|")[2].strip()
    mean, low, high = map(float, re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", cell).groups())
    assert mean == 0.3 and 0.05 < low < 0.25 and 0.35 < high < 0.55


@pytest.mark.parametrize("benchmarks", [1, 2, 3])
def test_every_benchmark_has_a_panel(benchmarks, tmp_path):
    names = [f"a/{number}" for number in range(benchmarks)]
    draw([result_of(0.1, None, 0.3, benchmark=name) for name in names], tmp_path / "picture.svg")
    titles = re.findall(r"(a/\d), ppo, one seed", (tmp_path / "picture.svg").read_text(encoding="utf-8"))
    assert titles == names


def test_methods_are_apart_and_seeds_are_given_once():
    assert table([result_of(1.0, 0.5), result_of(1.0, 0.1, method="a2c")]).count("| a/b, ") == 2
    with pytest.raises(InvalidOptionError, match="seed 3 of ppo on a/b is given twice, expected it once"):
        table([result_of(1.0, 0.5, seed=3), result_of(1.0, 0.1, seed=3)])


def test_numbers_that_make_no_sense_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["measure", "ppo", "grid-world/graded", "--levels", "0", "--out", str(tmp_path / "x")])
    assert "--levels 0, expected 1 or more" in capsys.readouterr().err
    assert not (tmp_path / "x").exists() and RESULTS == "correlations.json"
