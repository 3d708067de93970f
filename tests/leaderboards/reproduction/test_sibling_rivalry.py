"""Sibling Rivalry's figures: which runs there are, in what their curves differ, and what figures share."""

import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.run_folder import read_curve
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.reproduction.sibling_rivalry import FIGURES
from procgen_bench.leaderboards.reproduction.sweep import sweep_runs

#: Environment steps of the runs, by benchmark; those of corridors and U mazes are fewer.
STEPS = {
    "point-maze/test": 10_000_000,
    "ant-maze/test": 32_000_000,
    "bit-grid/test": 2_000_000,
    "voxel-build/test": 5_000_000,
    "voxel-build/small": 800_000,
}


def runs_of_figure(number, out):
    return sweep_runs(FIGURES[number], out, [], [], None, None)


def curves_of(number, out):
    """What is run, by panel and label: methods and options."""
    return {(run.panel.name, run.curve.label): (run.method, dict(run.options)) for run in runs_of_figure(number, out)}


@pytest.mark.parametrize(
    ("number", "runs", "folders"),
    [(3, 70, 70), (4, 25, 25), (5, 10, 10), (6, 150, 130), (7, 55, 55), (8, 20, 20), (9, 20, 20)],
)
def test_so_many_runs_are_behind_a_figure(number, runs, folders, tmp_path):
    asked = runs_of_figure(number, tmp_path)
    assert (len(asked), len({run.folder for run in asked})) == (runs, folders)
    assert all(run.steps == STEPS.get(run.benchmark, 1_500_000) for run in asked)


def test_the_rivals_in_mazes_are_the_papers(tmp_path):
    everyone = {
        "PPO + SR": "sibling-rivalry",
        "PPO (naive)": "ppo-naive",
        "PPO + ICM": "ppo-icm",
        "PPO + RND": "ppo-rnd",
        "DDPG + HER": "ddpg-her",
    }
    found = curves_of(3, tmp_path)
    assert {label: method for (panel, label), (method, _) in found.items() if panel == "point-maze"} == everyone
    del everyone["PPO + RND"]
    assert {label: method for (panel, label), (method, _) in found.items() if panel == "ant-maze"} == everyone
    assert not any(options for _, options in found.values())


def test_on_bits_everyone_multiplies_in_bfloat16(tmp_path):
    found = {label: own for (_, label), own in curves_of(4, tmp_path).items()}
    assert {label: method for label, (method, _) in found.items()} == {
        "PPO + SR": "sibling-rivalry",
        "PPO (naive)": "ppo-naive",
        "PPO + ICM": "ppo-icm",
        "DQN": "dqn-dense",
        "DQN + HER": "dqn-her",
    }
    assert all(options == {"precision": "bfloat16"} for _, options in found.values())


def test_construction_is_learned_from_two_rewards_with_as_little_chance(tmp_path):
    evaluated = {"evaluate_every": 500_000, "evaluation_tasks": 100}
    small = {"evaluate_every": 100_000, "rollouts": 32, "minibatches": 8, "adam_epsilon": 1e-5, "gae_lambda": 0.9}
    assert curves_of(5, tmp_path) == {
        ("voxel-build", "PPO + SR"): ("sibling-rivalry", evaluated),  # whose entropy has no weight there
        ("voxel-build", "PPO (naive)"): ("ppo-naive", {**evaluated, "entropy_weight": 0.0}),
        ("small", "PPO + SR"): ("sibling-rivalry", small),
        ("small", "PPO (naive)"): ("ppo-naive", {**small, "entropy_weight": 0.0}),
    }
    assert FIGURES[5].measures == ("success", "completion")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "steps", "least", "most"), [("PPO + SR", 310_000, 0.3, 1.0), ("PPO (naive)", 110_000, -0.01, 0.01)]
)
def test_siblings_build_in_the_small_arena_and_the_naive_reward_nothing(label, steps, least, most, tmp_path):
    (run,) = sweep_runs(FIGURES[5], tmp_path, ["small"], [label], 1, steps)
    method = get_method(run.method)
    configuration = method.load("configuration")(**run.options)
    trained = method.train(get_benchmark(run.benchmark), configuration, run.seed, steps, run.folder)
    assert least <= read_curve(trained.path / "curve.csv")[-1]["completion"] <= most


def test_mazes_are_those_of_their_panels_and_curves_those_of_their_epsilons(tmp_path):
    for run in runs_of_figure(6, tmp_path):
        assert run.benchmark == f"point-maze/{run.panel.name.removesuffix('-epsilon')}"
        assert run.method == "sibling-rivalry" and run.options == {"epsilon": float(run.curve.label.split()[1])}
    epsilons = {}
    for panel, label in curves_of(6, tmp_path):
        epsilons.setdefault(panel, []).append(label)
    lengths = [f"{kind}-{side}" for kind in ("corridor", "u") for side in (2, 4, 6, 8, 10)]
    assert epsilons.keys() == {*lengths, "corridor-10-epsilon", "u-10-epsilon"}
    assert all(epsilons[panel] == ["epsilon 1", "epsilon 5"] for panel in lengths)
    assert epsilons["u-10-epsilon"] == [f"epsilon {epsilon}" for epsilon in (0, 1, 2, 5, 10)]


def test_the_inclusion_threshold_alone_is_varied(tmp_path):
    """That of 5 is the point maze's own, so its runs are figure 3's."""
    expected = {f"epsilon {epsilon}": {} if epsilon == 5 else {"epsilon": float(epsilon)} for epsilon in range(11)}
    assert {label: options for (_, label), (_, options) in curves_of(7, tmp_path).items()} == expected


def test_siblings_have_starts_of_their_own_in_one_curve_of_two(tmp_path):
    found = curves_of(8, tmp_path)
    assert len(found) == 4
    for name, options in (("point-maze", {}), ("bit-grid", {"precision": "bfloat16"})):
        assert found[name, "same start"] == ("sibling-rivalry", options)
        assert found[name, "own starts"] == ("sibling-rivalry", {"own_starts": True, **options})


def test_the_oracle_stands_beside_sibling_rivalry(tmp_path):
    assert curves_of(9, tmp_path) == {
        (maze, label): (method, {})
        for maze in ("point-maze", "ant-maze")
        for label, method in (("PPO + SR", "sibling-rivalry"), ("PPO + GO", "ppo-grid-oracle"))
    }


def test_figures_share_their_runs(tmp_path):
    folders = {number: {run.folder for run in runs_of_figure(number, tmp_path)} for number in FIGURES}
    assert [len(folders[3] & folders[number]) for number in (7, 8, 9)] == [5, 5, 10]
    assert len(folders[4] & folders[8]) == 5
