"""Boxes and groups of options by their values, which the learner does not read: it has to solve all of them.

A learner that reads the values puts any field that is ``true`` into any box; one whose group is not filled as a whole
chooses the same option over and over.
"""

import itertools

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.envs.web import dom_simulation
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace
from tests.baselines.papers.code.site_runs import BENCHMARK, learning

BOXES, UNEQUAL = ("rememberme", "stayloggedin"), [("false", "true"), ("true", "false")]
WAYS = {"greedy": False, "drawn": True}
LIBRARY = SiteTaskSpace().library
SMALL_DESIGNS = {"teacher": "random-designs", "teacher_options": "slots=5,pages=3"}


def solved_by_value(policy, design, fields, count=20):
    """By the values of some fields the shares of so many episodes that are solved, greedy and drawn."""
    rng, shares = np.random.default_rng(0), {}
    for values in itertools.product(*(LIBRARY.value_lists[field] for field in fields)):
        tasks = []
        for _ in range(count):
            places = {field: int(rng.integers(len(LIBRARY.value_lists[field]))) for field in design.fields}
            drawn = dict(LIBRARY.profile(design.fields, places)) | dict(zip(fields, values))
            tasks.append(SiteTask(design, tuple(drawn.items())))
        for way, policy.stochastic in WAYS.items():
            episodes = play_episodes(policy, "GMiniWoB-v0", tasks, range(count))
            shares[way, values] = np.mean([episode.success for episode in episodes])
    return shares


def toy(designs, fields, **settings):
    """The same of the last of small designs, greedy, after 8,000 steps on all of them."""
    designs = [SiteDesign.of_pairs([(name, 0) for name in names], 1) for names in designs]
    sizes = {"num_envs": 32, "rollout_steps": 16, "minibatches": 4}
    for player, steps, _ in learning(designs, **sizes, **settings):
        if steps >= 8_000:
            shares = solved_by_value(player.current_policy(), designs[-1], fields)
            return {values: share for (way, values), share in shares.items() if way == "greedy"}


def test_boxes_are_told_apart_by_their_keys():
    solved = toy([["rememberme"], ["stayloggedin"], BOXES], BOXES)
    assert len(solved) == 4 and min(solved.values()) >= 0.95


def test_whoever_reads_the_values_puts_what_is_true_into_any_box():
    solved = toy([["rememberme"], ["stayloggedin"], BOXES], BOXES, values=True)
    assert min(solved[values] for values in UNEQUAL) < 0.5


def test_each_option_of_a_group_is_chosen():
    solved = toy([["cc"]], ["cc"])
    assert len(solved) == 2 and min(solved.values()) >= 0.95


def test_whoever_does_not_see_that_a_group_is_filled_chooses_for_ever(monkeypatch):
    real = dom_simulation.view_of
    monkeypatch.setattr(
        dom_simulation, "view_of", lambda arrays, all_present, grouped: real(arrays, all_present, False)
    )
    assert min(toy([["cc"]], ["cc"]).values()) < 0.5


@pytest.mark.slow
def test_small_designs_teach_every_combination_of_boxes_and_both_cards(tmp_path):
    """On held-out designs after 1.5 million steps, about eight minutes of a processor."""
    method, settings = METHODS["pair-ppo"], SMALL_DESIGNS | {"evaluate_every": 1_500_000}
    configuration = method.configured(BENCHMARK.environment_id, settings)
    run = method.train(BENCHMARK, configuration, 0, 1_500_000, tmp_path / "run")
    policy = load_policy(run.policy_path, BENCHMARK.environment_id)
    for site, fields in (("login-3", BOXES), ("login-4", BOXES), ("payment-1", ["cc"]), ("payment-4", ["cc"])):
        design = SiteTaskSpace().resolve(f"test/{site}-0").design
        solved = solved_by_value(policy, design, fields, count=200)
        assert min(solved.values()) >= 0.95, (site, solved)
