"""Runs of the methods that learn from whole episodes: the paper's figures, resumption, the command line's errors."""

import csv
import dataclasses
import functools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import GOALS, TABLE_1
from procgen_bench.baselines.papers.sibling_rivalry.goal_view import GoalView, steps_between
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import make_labeller
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.run_folder import RunFolder, read_curve, read_training_record
from procgen_bench.baselines.training.settings import for_environment
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import environment_type
from tests.baselines.killed_runs import last_checkpoint

METHODS = ["sibling-rivalry", "ppo-naive", "ppo-icm", "ppo-rnd", "ppo-grid-oracle"]
SMALL = {"rollouts": 2, "evaluate_every": 200, "checkpoint_every": 200, "evaluation_tasks": 2}
STEPS = 600


def train(method, out, benchmark="point-maze/corridor-2", seed=3, steps=STEPS, **options) -> RunFolder:
    configuration = get_method(method).load("configuration")(**SMALL | options)
    return get_method(method).train(get_benchmark(benchmark), configuration, seed, steps, out)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """whole_run(method, benchmark) -> a run that nothing disturbed, made once."""

    @functools.cache
    def of(method: str, benchmark: str = "point-maze/corridor-2") -> RunFolder:
        return train(method, tmp_path_factory.mktemp("whole") / "run", benchmark)

    return of


@pytest.mark.slow
def test_seeds_give_different_runs(whole_run, tmp_path):
    first, second = whole_run("ppo-icm"), train("ppo-icm", tmp_path / "other", seed=4)
    (arrays, *_), (others, *_) = last_checkpoint(first), last_checkpoint(second)
    for part in (
        "player.student.network.critic.1.weight",
        "player.student.labeller.bonus.network.inverse_model.0.weight",
    ):
        assert not np.array_equal(arrays[part], others[part])


def test_the_curve_tells_the_methods_measures(whole_run):
    measures = {
        "sibling-rivalry": {"distance", "sibling_distance", "included"},
        "ppo-naive": {"distance"},
        "ppo-icm": {"bonus", "bonus_scale", "inverse_loss", "forward_loss"},
        "ppo-rnd": {"bonus", "bonus_scale", "distillation_loss"},
        "ppo-grid-oracle": {"regions"},
    }
    for method in METHODS:
        run = whole_run(method)
        record = read_training_record(run.policy_path)
        shared = {
            "step",
            "seconds",
            "return",
            "success",
            "length",
            "policy_loss",
            "value_loss",
            "entropy",
            "divergence",
        }
        shared |= {"training_return", "training_success", "training_length"}
        shared |= {"worst_tenth_return", "worst_tenth_success"}
        assert record.curve[-1].keys() == shared | measures[method]
        assert record.command.startswith(f"procgen-bench train {method} point-maze/corridor-2 --seed 3 --steps 600")


@pytest.mark.parametrize(
    ("method", "discount", "bootstrap"),
    [
        ("sibling-rivalry", 1.0, False),
        ("ppo-naive", 1.0, False),
        ("ppo-grid-oracle", 1.0, False),
        ("ppo-icm", 0.98, True),
        ("ppo-rnd", 0.98, True),
    ],
)
def test_table_1(method, discount, bootstrap):
    configuration = get_method(method).load("configuration")()
    assert (configuration.minibatches, configuration.learning_rate, configuration.gae_lambda) == (4, 1e-3, 0.98)
    paid = hasattr(configuration, "per_step")
    table = GOALS if paid else TABLE_1
    maze, ant = (for_environment(configuration, f"Sparse{kind}Maze-v0", table) for kind in ("Point", "Ant"))
    assert (maze.discount, maze.bootstrap) == (discount, bootstrap)
    assert (maze.epochs, maze.learning_rate_decay, maze.entropy_weight) == (4, 0.999, 0.025)
    assert (ant.epochs, ant.learning_rate_decay, ant.entropy_weight) == (2, 1.0, 0.025)
    assert (maze.evaluation_tasks, ant.evaluation_tasks) == (None, 30)
    if paid:
        blocks = for_environment(configuration, "VoxelBuild-v0", table)
        assert (maze.per_step, ant.per_step) == (False, False)
        assert (blocks.per_step, blocks.bootstrap, blocks.discount) == (True, True, 0.99)
    given = for_environment(dataclasses.replace(configuration, epochs=7), "BitGrid-v0", TABLE_1)
    assert (given.epochs, given.entropy_weight) == (7, 0.025)
    for name in ("bonus_weight", "module_rate"):
        if hasattr(configuration, name):
            assert getattr(configuration, name) == {"bonus_weight": 0.01, "module_rate": 0.05}[name]


@pytest.mark.parametrize("method", ["sibling-rivalry", "ddpg-her"])
def test_evaluations_of_the_ant_take_at_most_a_tenth_of_its_steps(method, monkeypatch, tmp_path):
    """Counted over a run of 800,000 steps in which nothing is played: one at the beginning, and one every 200,000."""
    evaluated = []

    def counted(policy, benchmark, num_tasks, episodes):
        tasks = num_tasks or len(benchmark.task_suite())
        evaluated.append(tasks * (episodes or benchmark.episodes_per_task) * benchmark.max_episode_steps)
        return {"return": 0.0, "success": 0.0, "length": 0.0}

    def unplayed(trainer, num_steps):
        trainer.rows.steps += num_steps * trainer.rows.steps_of_next

    monkeypatch.setattr("procgen_bench.baselines.training.player_evaluations.evaluate", counted)
    monkeypatch.setattr(Trainer, "_learn_from_one_rollout", unplayed)
    configuration = get_method(method).load("configuration")()
    get_method(method).train(get_benchmark("ant-maze/test"), configuration, 0, 800_000, tmp_path / "run")
    assert len(evaluated) == 5
    assert sum(evaluated) <= 800_000 / 10


def test_a_pose_is_observed_in_training_and_in_play(tmp_path):
    run = train("sibling-rivalry", tmp_path / "run", "voxel-build/test", steps=200, observation="pose")
    policy = load_policy(run.policy_path, "VoxelBuild-v0")
    assert policy.environment_options == {"observation": "pose"}
    (episode,) = play_episodes(policy, "VoxelBuild-v0", get_benchmark("voxel-build/test").task_suite().tasks[:1], [0])
    assert len(episode.actions) == 100


def test_a_pose_that_is_recognised_is_known_in_training_and_seen_in_play(tmp_path):
    run = train("sibling-rivalry", tmp_path / "run", "voxel-build/test", steps=800, rollouts=4, recognition=0.5)
    rows = list(csv.DictReader((tmp_path / "run" / "curve.csv").read_text().splitlines()))
    assert 0 <= float(rows[-1]["recognised"]) <= 1
    policy = load_policy(run.policy_path, "VoxelBuild-v0")
    assert policy.environment_options == {} and policy.network[0].reader is not None
    (episode,) = play_episodes(policy, "VoxelBuild-v0", get_benchmark("voxel-build/test").task_suite().tasks[:1], [0])
    assert len(episode.actions) == 100


@pytest.mark.parametrize(
    ("benchmark_id", "options"),
    [("voxel-build/test", {"observation": "pose"}), ("voxel-build/small", {}), ("point-maze/corridor-2", {})],
)
def test_a_pose_is_recognised_in_pictures_alone(benchmark_id, options, tmp_path):
    with pytest.raises(InvalidOptionError, match=r"recognition is 0\.5, expected 0: only agents that see pictures"):
        train("sibling-rivalry", tmp_path / "run", benchmark_id, recognition=0.5, **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("benchmark_id", "observation", "why"),
    [
        ("voxel-build/test", "places", "observation is 'places', expected one of"),
        ("point-maze/corridor-2", "pose", "SparsePointMaze-v0 takes no option 'observation'"),
    ],
)
def test_an_unknown_observation_is_refused_before_anything_is_written(benchmark_id, observation, why, tmp_path):
    with pytest.raises(InvalidOptionError, match=why):
        train("sibling-rivalry", tmp_path / "run", benchmark_id, observation=observation)
    assert not (tmp_path / "run").exists()


def test_an_unknown_low_level_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InvalidOptionError, match="low_level is 'none'"):
        train("ppo-naive", tmp_path / "run", "ant-maze/test", low_level="none")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", METHODS)
def test_environments_without_goals_are_refused_before_anything_is_written(method, tmp_path):
    with pytest.raises(UnsupportedEnvironmentError, match="does not support TablePush-v0; supported: BitGrid-v0"):
        train(method, tmp_path / "run", "table-push/target-a")
    assert not (tmp_path / "run").exists()


def test_starts_apart_are_refused_where_tasks_have_none_of_their_own(tmp_path):
    with pytest.raises(InvalidOptionError, match="own_starts is True, expected False: GridWorld-v0 has no starts"):
        train("sibling-rivalry", tmp_path / "run", "grid-world/graded", own_starts=True)
    assert not (tmp_path / "run").exists()


def test_the_entropy_bonus_falls_over_the_runs_last_part(whole_run, tmp_path):
    """The same seed, and so the same run until then: other weights at the end, and the learning rate as before."""
    cooled = train("sibling-rivalry", tmp_path / "cooled", entropy_cooldown=0.2)
    (arrays, *_), (others, *_) = last_checkpoint(whole_run("sibling-rivalry")), last_checkpoint(cooled)
    weights = [name for name in arrays if name.startswith("player.student.network.")]
    assert weights and not all(np.array_equal(arrays[name], others[name]) for name in weights)
    first, second = (read_curve(run.path / "curve.csv") for run in (whole_run("sibling-rivalry"), cooled))
    assert first[0] | {"seconds": 0} == second[0] | {"seconds": 0}


def test_no_step_is_taken_beyond_the_runs(whole_run):
    for method in METHODS:
        reached = read_curve(whole_run(method).path / "curve.csv")[-1]["step"]
        assert STEPS - 2 * 50 < reached <= STEPS, "another episode of both rows might have fitted"


def test_runs_of_less_than_an_episode_of_every_row_are_refused(tmp_path):
    with pytest.raises(TooFewStepsError, match="steps is 600, expected at least 650, an episode of each of 13 rows"):
        train("ppo-naive", tmp_path / "run", rollouts=13)
    assert not (tmp_path / "run").exists()


def test_rows_that_are_no_pairs_are_refused_where_there_are_siblings(tmp_path):
    with pytest.raises(InvalidOptionError, match="rollouts is 3, expected an even number: siblings are pairs"):
        train("sibling-rivalry", tmp_path / "run", rollouts=3)
    with pytest.raises(InvalidOptionError, match="group_size is 3, expected an even number, or 1: siblings are pairs"):
        train("sibling-rivalry", tmp_path / "run", rollouts=6, group_size=3)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", METHODS)
def test_every_option_is_described(method):
    for field in dataclasses.fields(get_method(method).load("configuration")):
        assert field.metadata["description"].endswith("."), field.name


@pytest.mark.parametrize(
    ("method", "benchmark_id"),
    [
        ("ppo-naive", "voxel-build/test"),
        pytest.param("sibling-rivalry", "voxel-build/small", marks=pytest.mark.slow),
        ("sibling-rivalry", "grid-world/graded"),
        pytest.param("sibling-rivalry", "fetch-blocks/test", marks=pytest.mark.slow),
        pytest.param("ppo-naive", "ant-maze/test", marks=pytest.mark.slow),
        pytest.param("sibling-rivalry", "ant-maze/test", marks=pytest.mark.slow),
        pytest.param("sibling-rivalry", "voxel-build/test", marks=pytest.mark.slow),
    ],
)
def test_subgoals_pictures_and_tasks_seen_as_goals_are_learned_from(method, benchmark_id, tmp_path):
    run = train(method, tmp_path / "run", benchmark_id, steps=100 if benchmark_id.startswith("grid") else 1_000)
    assert run.finished
    first, *_, last = read_curve(run.path / "curve.csv")
    assert first["step"] == 0 and last["step"] > 0
    policy = load_policy(run.policy_path, run.benchmark.environment_id)
    (episode,) = play_episodes(policy, run.benchmark.environment_id, run.benchmark.task_suite().tasks[:1], [0])
    assert episode.finished and len(np.unique(episode.actions, axis=0)) > 1


@pytest.fixture
def asked():
    """asked(method, benchmark, **options) -> the configuration, the labeller and what pairs share; nothing is run."""

    def of(method, benchmark_id, **options):
        environment_id = get_benchmark(benchmark_id).environment_id
        configuration = get_method(method).load("configuration")(**options).resolved(environment_id)
        get_method(method).load("rows_options")(environment_id, configuration)
        shown = environment_type("SparsePointMaze-v0")
        env = SimpleNamespace(single_observation_space=shown.observation_space, single_action_space=shown.action_space)
        rows = SimpleNamespace(view=GoalView(steps_between, 0.25), env=env, environment_id="SparsePointMaze-v0")
        return configuration, make_labeller(configuration, rows), configuration.siblings

    return of


@pytest.mark.parametrize(
    ("benchmark_id", "epsilon", "entropy_weight", "epochs", "decay", "tasks"),
    [
        ("point-maze/test", 5.0, 0.025, 4, 0.999, None),
        ("ant-maze/test", 10.0, 0.025, 2, 1.0, 30),
        ("bit-grid/test", math.inf, 0.0, 4, 0.999, None),
        ("voxel-build/test", math.inf, 0.0, 2, 0.999, None),
        ("voxel-build/small", math.inf, 0.0, 2, 0.999, None),
        ("fetch-blocks/test", 0.15, 0.025, 4, 0.999, 100),
        ("grid-world/graded", 4.0, 0.025, 4, 1.0, None),
    ],
)
def test_figures_of_sibling_rivalry_and_of_the_naive_reward(
    benchmark_id, epsilon, entropy_weight, epochs, decay, tasks, asked
):
    """The same, but for the entropy's weight; in voxel building both are paid by the step."""
    (ours, labeller, siblings), (naive, by_distance, alone) = (
        asked(method, benchmark_id) for method in ("sibling-rivalry", "ppo-naive")
    )
    assert (labeller.epsilon, labeller.threshold, by_distance.threshold) == (epsilon, 0.25, 0.25)
    assert (ours.entropy_weight, naive.entropy_weight) == (entropy_weight, 0.025)
    for found in (ours, naive):
        assert (found.epochs, found.learning_rate_decay, found.evaluation_tasks) == (epochs, decay, tasks)
        assert (found.rollouts, found.group_size, found.clip_range) == (80, 4, 0.2)
        assert found.stochastic, "evaluations draw their actions, as the published source's do"
    assert labeller.per_step == by_distance.per_step == benchmark_id.startswith("voxel-build/")
    assert (siblings, alone) == ("start and goal", "none")


def test_given_options_come_before_the_figures(asked):
    _, labeller, siblings = asked("sibling-rivalry", "point-maze/test", epsilon=2.0, per_step=True, own_starts=True)
    assert (labeller.epsilon, labeller.per_step, siblings) == (2.0, True, "goal")


@pytest.mark.parametrize(("method", "scaled"), [("ppo-icm", False), ("ppo-rnd", True)])
def test_bonuses_are_weighed_and_learned_as_the_options_say(method, scaled, asked):
    _, labeller, siblings = asked(method, "point-maze/test", learning_rate=0.5, bonus_weight=0.25, discount=0.75)
    assert (labeller.weight, labeller.discount, labeller.scaled, siblings) == (0.25, 0.75, scaled, "none")
    assert labeller.bonus.settings.learning_rate == 0.5 * 0.05
    _, labeller, _ = asked(method, "point-maze/test", module_rate=0.5, scale_bonus=not scaled)
    assert (labeller.weight, labeller.scaled) == (0.01, not scaled)
    assert labeller.bonus.settings.learning_rate == 0.5 * 1e-3


def test_the_oracles_regions_are_those_of_the_options(asked):
    _, labeller, siblings = asked("ppo-grid-oracle", "point-maze/test")
    assert (labeller.divisions, labeller.weight, siblings) == (5, 0.01, "none")
    _, labeller, _ = asked("ppo-grid-oracle", "point-maze/test", divisions=3, region_weight=0.5)
    assert (labeller.divisions, labeller.weight) == (3, 0.5)


@pytest.mark.parametrize("own_starts", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_run_plays_pairs_whose_critic_sees_the_siblings_end(own_starts, monkeypatch, tmp_path):
    learned, update = [], EpisodeLearner.update
    monkeypatch.setattr(
        EpisodeLearner, "update", lambda self, episodes: learned.append((self, episodes)) or update(self, episodes)
    )
    train("sibling-rivalry", tmp_path / "run", steps=400, rollouts=8, own_starts=own_starts)
    ((learner, episodes),) = learned
    starts = episodes.observations["observation"][0]
    assert np.array_equal(episodes.goals[::2], episodes.goals[1::2])
    assert len(np.unique(episodes.goals, axis=0)) == 4
    assert np.array_equal(starts[::2], starts[1::2]) != own_starts
    assert learner.network.critic[0].names == ("observation", "desired_goal", "anti_goal")
    assert learner.network.actor[0].names == ("observation", "desired_goal")


@pytest.mark.parametrize(
    ("method", "benchmark_id"),
    [
        ("ppo-naive", "point-maze/test"),
        pytest.param("ppo-naive", "ant-maze/test", marks=pytest.mark.slow),
        pytest.param("ddpg-her", "point-maze/test", marks=pytest.mark.slow),
    ],
)
def test_the_seed_draws_the_first_weights(method, benchmark_id, monkeypatch, tmp_path):
    """Those of both levels, where there are two."""
    begun = []
    monkeypatch.setattr(
        Trainer, "advance", lambda trainer, steps: begun.append(trainer.student.learner.policy_weights())
    )
    for place, seed in enumerate((3, 4, 3)):
        configuration = get_method(method).load("configuration")(rollouts=2)
        train_method = get_method(method).train
        train_method(get_benchmark(benchmark_id), configuration, seed, 1_000, tmp_path / str(place))
    first, other, again = begun
    assert all(np.array_equal(array, again[name]) for name, array in first.items())
    assert not any(np.array_equal(array, other[name]) for name, array in first.items())
