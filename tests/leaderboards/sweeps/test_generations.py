"""Generations of a plan: the best of each teaches the next; a plan that cannot be obeyed is refused as it is read."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.leaderboards.sweeps import generations
from procgen_bench.leaderboards.sweeps.generations import GenerationFailedError, best_of, train_generations
from procgen_bench.leaderboards.sweeps.plan_file import read_plan
from procgen_bench.leaderboards.sweeps.population import Evolution
from procgen_bench.leaderboards.sweeps.sweep_file import SweepFileError
from tests.envs.conformance.trajectory import CHECKOUT

PLAN = """
method = "ppo"
benchmark = "grid-world/graded"
seeds = 2
steps = 64
[options]
num_envs = 4
rollout_steps = 8
width = 8
minibatches = 1
epochs = 1
evaluation_tasks = 2
evaluate_every = 32
[[generations]]
objective = "reward-play"
[[generations]]
fitness = ["return", "success"]
[generations.options]
distil_share = 0.5
"""


XLAND = PLAN.replace("grid-world/graded", "xland/small")


@pytest.fixture(autouse=True)
def agents_in_small_worlds(monkeypatch):
    """What ``ppo`` is in XLand, in GridWorld, where episodes take no time."""
    monkeypatch.setitem(METHODS.data, "ppo", METHODS["ppo"].within("XLandSmall-v0"))


def plan_of(tmp_path, text=PLAN):
    (tmp_path / "plan.toml").write_text(text)
    return read_plan(tmp_path / "plan.toml")


def test_the_best_of_a_generation_is_the_next_ones_teacher(tmp_path):
    first, second = train_generations(plan_of(tmp_path), tmp_path / "runs", workers=None)
    assert (first.generation, list(first.fitness), len(first.others)) == (1, ["success"], 1)
    assert list(second.fitness) == ["return", "success"]
    kept = {path.parent: json.loads(path.read_text()) for path in (tmp_path / "runs").rglob("config.json")}
    assert len(kept) == 4 and all(config["finished"] for config in kept.values())
    for folder, config in kept.items():
        own = config["settings"]["configuration"]
        is_second = "generation-2" in str(folder)
        assert own["teacher_policy"] == (first.policy if is_second else "")
        assert own["reward_play"] is not is_second and own["distil_share"] == (0.5 if is_second else 0.2)
        assert ("distillation_loss" in (folder / "curve.csv").read_text()) is is_second
    assert json.loads((tmp_path / "runs/generations.json").read_text())[1]["policy"] == second.policy

    written = {folder: (folder / "config.json").stat().st_mtime_ns for folder in kept}
    assert train_generations(plan_of(tmp_path), tmp_path / "runs", workers=None) == [first, second]
    assert written == {folder: (folder / "config.json").stat().st_mtime_ns for folder in kept}, "nothing ran again"


def members(*rows):
    return [
        SimpleNamespace(read_curve=lambda row=row: [{"success": 9.0}, row], seed=seed, folder=Path(f"run-{seed}"))
        for seed, row in enumerate(rows)
    ]


def is_chosen_by_the_first_measure_then_the_next():
    cells = members({"a": 1.0, "b": 9.0}, {"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 3.0}, {"a": 2.0, "b": 3.0})
    best = best_of(1, cells, ["a", "b"])
    return best.seed == 2 and best.fitness == {"a": 2.0, "b": 3.0} and len(best.others) == 3


def test_the_best_has_the_greatest_fitness_at_its_last_evaluation(monkeypatch):
    assert is_chosen_by_the_first_measure_then_the_next()
    monkeypatch.setattr(generations, "max", min, raising=False)
    assert not is_chosen_by_the_first_measure_then_the_next()


def test_a_generation_of_which_a_run_failed_has_no_best(tmp_path):
    plan = plan_of(tmp_path)
    broken = replace(plan.generations[0], options=plan.generations[0].options | {"teacher": "nobody"})
    with pytest.raises(GenerationFailedError, match=r"generation 1 lacks runs, .*'nobody'"):
        train_generations(replace(plan, generations=(broken, *plan.generations[1:])), tmp_path / "runs", workers=None)
    assert not (tmp_path / "runs/generation-2").exists()


def test_earlier_generations_are_co_players(tmp_path):
    text = PLAN.replace("grid-world/graded", "xland/skills") + 'co_players = ["noop", "earlier"]\n'
    text = text.replace("co_players", '[[generations]]\nteacher_policy = "none"\nco_players')
    plan = plan_of(tmp_path, text)
    cells = plan.cells(2, [tmp_path / "one", tmp_path / "two"], tmp_path)
    assert cells[0].options["co_players"] == f"noop,{tmp_path}/one,{tmp_path}/two"
    assert "teacher_policy" not in cells[0].options and cells[0].folder != cells[1].folder


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('objective = "reward-play"', 'teacher_policy = "last"', "generation 1: .*no generation is before the first"),
        ('objective = "reward-play"', 'teacher_policy = "nowhere"', "generation 1: nowhere is not a policy folder"),
        ('objective = "reward-play"', 'objective = "glory"', "objective is 'glory', expected one of"),
        ('"return", "success"', '"percentile_10"', "generation 2: fitness is 'percentile_10', expected what .* pay"),
        ("distil_share = 0.5", "reward_play = true", "options is 'reward_play', expected a key of a generation's"),
        ("distil_share = 0.5", "distil_share = true", "distil_share is True"),
        ('method = "ppo"', 'method = "dqn"', "options.dqn|none: dqn has none"),
        ('method = "ppo"', 'method = "random"', "expected the name of one that learns"),
        ("seeds = 2", "seeds = []", "seeds is"),
        ("seeds = 2", "seeds = 1\nevolution = {}", "evolution is 'with 1 member', expected at least 2"),
        ("seeds = 2", "seeds = 2\nevolution = {rest = 2}", "evolution.rest is 2, expected a number from 0 to 1"),
        ("seeds = 2", "seeds = 2\nevolution = {speed = 2}", "evolution is 'speed', expected one of"),
    ],
)
def test_plans_that_cannot_be_obeyed_are_refused(tmp_path, old, new, message):
    assert old in PLAN
    with pytest.raises(SweepFileError, match=message):
        plan_of(tmp_path, PLAN.replace(old, new))


def refuses_the_second_generation(tmp_path, text, key, option, message):
    """Whether a plan is refused over a key or an option of its second generation."""
    with pytest.raises(SweepFileError, match=f"generation 2: .*{message}"):
        plan_of(tmp_path, text.replace("[generations.options]", f"{key}\n[generations.options]\n{option}"))


@pytest.mark.parametrize(
    ("key", "option", "message"),
    [
        ("", 'teacher = "nobody"', "unknown teacher 'nobody'"),
        ("", 'teacher_options = "size=3"', "teacher 'uniform' has no option 'size'"),
        ("", "num_envs = 65", "steps is 64, expected at least 65"),
        ("", "distil = -1.0", "distil is -1.0, expected a number of at least 0"),
        ("", 'begin_from = "nowhere"', "begin_from is 'nowhere', expected the folder of a policy or of a run"),
        ('co_players = ["nobody"]', "", "unknown co-player 'nobody'"),
        ('co_players = ["./nowhere"]', "", "nowhere is not a policy folder"),
        ('co_players = ["earlier"]', "", "co_players has the best of generation 1, expected none: GridWorld-v0 has no"),
        (
            'co_players = ["trained"]',
            "",
            "trained is the policy .* which has none for GridWorld-v0, expected a policy's",
        ),
    ],
)
def test_a_later_generation_is_refused_before_the_first_is_trained(tmp_path, key, option, message):
    refuses_the_second_generation(tmp_path, PLAN, key, option, message)


def test_a_teacher_of_another_environment_is_refused(tmp_path):
    sizes = {"width": 8, "layers": 1, "memory": 0, "network": "", "action_repeat": 1}
    weights = network_arrays(ActorPolicy("GridWorld-v0", True, **sizes).network)
    PolicyFolder("ppo", "GridWorld-v0", {"stochastic": True} | sizes, weights).write(tmp_path / "grid")
    teacher = f'teacher_policy = "{tmp_path / "grid"}"'
    refuses_the_second_generation(tmp_path, XLAND, teacher, "", "/grid', a policy of GridWorld-v0 with other actions")


@pytest.mark.parametrize(
    ("key", "option", "message"),
    [
        (
            "",
            "action_repeat = 4",
            "'the best of generation 1', whose actions last 1 steps, expected 4, as action_repeat",
        ),
        ("", "privileged = true", "'the best of generation 1', whose privileged is False, expected True"),
        ("", "goal_attention = true\npopart_share = 0.0", "popart_share is 0, expected more where goal_attention"),
        ('co_players = ["trained", "nobody"]', "", "unknown co-player 'nobody'"),
    ],
)
def test_in_xland_generations_that_do_not_agree_are_refused(tmp_path, key, option, message):
    refuses_the_second_generation(tmp_path, XLAND, key, option, message)


def test_generations_that_observe_otherwise_neither_teach_nor_take_seats(tmp_path):
    text = XLAND.replace("xland/small", "xland/hand-authored").replace("[options]", '[options]\nobservation = "state"')
    option = 'observation = "pixels"'
    refuses_the_second_generation(tmp_path, text, "", option, "a policy of XLand-v0 with other observations")
    alone = 'teacher_policy = "none"\nco_players = ["earlier"]'
    refuses_the_second_generation(tmp_path, text, alone, option, "expected a policy for observation='pixels'")


def test_percentiles_are_a_fitness_where_tasks_pay(tmp_path):
    text = XLAND.replace('"return", "success"', '"percentile_10"')
    assert plan_of(tmp_path, text).generations[1].fitness == ("percentile_10",)


@pytest.mark.slow
def test_the_examples_are_plans(tmp_path):
    population = read_plan(CHECKOUT / "examples" / "population.toml")
    assert len(population.seeds) == 4 and population.evolution == Evolution(start=0.2, every=0.2)
    plan = read_plan(CHECKOUT / "examples" / "generations.toml")
    assert [generation.reward_play for generation in plan.generations] == [True, False]
    assert plan.cells(1, [tmp_path], tmp_path)[0].options["co_players"] == f"noop,random,learner,{tmp_path}"


def test_the_policy_that_comes_with_the_package_can_teach_where_there_is_one(tmp_path):
    old, new = 'objective = "reward-play"', 'teacher_policy = "trained"'
    with pytest.raises(SweepFileError, match=r"generation 1: trained is the policy .* has none for GridWorld-v0"):
        plan_of(tmp_path, PLAN.replace(old, new))
    plan = plan_of(tmp_path, XLAND.replace(old, f'{new}\nco_players = ["trained", "learner"]'))
    options = plan.cells(0, [], tmp_path)[0].options
    assert (options["teacher_policy"], options["co_players"]) == ("trained", "trained,learner")


def test_generations_that_cannot_learn_from_each_other_are_told_what_to_give(tmp_path, monkeypatch):
    """Outside of XLand, where nothing draws ``ppo`` to another policy."""
    monkeypatch.undo()
    plain = PLAN.replace('objective = "reward-play"\n', "").partition("[generations.options]")[0]
    with pytest.raises(
        SweepFileError, match=r'expected teacher_policy = "none": ppo is not distilled from the generat'
    ):
        plan_of(tmp_path, plain)
    assert len(plan_of(tmp_path, plain + 'teacher_policy = "none"\n').generations) == 2
