"""The native twin against the specification in plain Python, its drawing, and rows saved, restored and copied."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.rewards import PUBLISHED_REWARDS, SiteRewards
from procgen_bench.envs.web.site_rows import draw_task
from procgen_bench.tasks.sites import CATALOGUE, HORIZON, SiteDesign, SiteTaskSpace
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.solver import solve
from tests.envs.web.play import hostile_task, play_in_lockstep, random_action
from tests.envs.web.test_browser_simulation import EVENTS
from tests.tasks.sites.makers import filled, sparse_tasks, tasks, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite

SPACE = SiteTaskSpace()


def begun(chosen, rewards=PUBLISHED_REWARDS):
    simulation = DomSimulation(len(chosen), HORIZON, rewards)
    every_row = np.ones(len(chosen), np.bool_)
    for row, task in enumerate(chosen):
        simulation.load(row, task)
    simulation.start(every_row, ~every_row)
    return simulation


def test_random_actions_do_what_the_specification_says():
    rng = np.random.default_rng(0)
    chosen = uniform_tasks(60, 1) + sparse_tasks(60, 2)
    seen = play_in_lockstep(DomSimulation(8, HORIZON), chosen, lambda site, _: random_action(site, rng))
    assert all(seen[event] for event in EVENTS), seen


@given(task=tasks())
@settings(max_examples=30)
def test_any_task_with_any_values_is_played_as_the_specification_says(task):
    rng = np.random.default_rng(len(task.design.pairs))
    play_in_lockstep(DomSimulation(1, HORIZON), [task], lambda site, _: random_action(site, rng))


def test_hostile_values_are_texts_like_any_others():
    rng = np.random.default_rng(3)
    designs = [task.design for task in sparse_tasks(30, 4)]
    chosen = [hostile_task(design, place) for place, design in enumerate(designs)]
    play_in_lockstep(DomSimulation(5, HORIZON), chosen, lambda site, _: random_action(site, rng))


def test_the_expert_succeeds():
    chosen = uniform_tasks(40, 5)
    plans = {task: solve(task) for task in chosen}
    seen = play_in_lockstep(DomSimulation(7, HORIZON), chosen, lambda site, step: plans[site.task][step])
    assert seen["success"] == len(chosen)


def test_other_penalties():
    rng, rewards = np.random.default_rng(6), SiteRewards(0.0, 0.25)
    task = sparse_tasks(1, 7)[0]
    simulation, site = begun([task], rewards), ReferenceSite(task, 0.0, 0.25)
    for _ in range(HORIZON):
        action = random_action(site, rng)
        simulation.step(np.array([action]), np.ones(1, np.bool_))
        assert simulation.rewards[0] == site.step(action)[0]
        if site.terminated:
            break


def test_drawn_tasks_are_those_of_the_renderer():
    """A drawn design is what the rule makes of its own pairs; all sizes and primitives are drawn."""
    stream, pages, primitives = stream_from_seed(8), Counter(), Counter()
    for _ in range(400):
        stream, task = draw_task(stream)
        task.validate()
        design = task.design
        assert SiteDesign.of_pairs(design.pairs, len(design.pages)) == design
        pages[len(design.pages)] += 1
        primitives.update(primitive.name for primitive in design.primitives)
    assert set(pages) == set(range(1, 11)) and max(pages.values()) < 80
    assert set(primitives) == set(CATALOGUE)


def test_draws_are_distributed_as_samples_of_the_space():
    """Mean sizes of 2,000 draws from a row's stream and from NumPy's generator are within four standard errors."""
    stream, drawn, rng = stream_from_seed(9), [], np.random.default_rng(9)
    for _ in range(2_000):
        stream, task = draw_task(stream)
        drawn.append(_sizes(task))
    sampled = np.array([_sizes(SPACE.decode(SPACE.sample(rng))) for _ in range(2_000)])
    difference = np.abs(np.mean(drawn, axis=0) - sampled.mean(axis=0))
    assert (difference < 4 * np.sqrt(2) * sampled.std(axis=0) / np.sqrt(2_000)).all(), difference


def _sizes(task):
    design = task.design
    places = [SPACE.encode(task)["profile"].sum()]
    return [len(design.pages), len(design.pairs), design.num_active, len(design.fields), len(design.pages[-1]), *places]


def test_rows_draw_from_the_given_tasks():
    bank = uniform_tasks(5, 10)
    simulation, every_row = DomSimulation(40, HORIZON), np.ones(40, np.bool_)
    simulation.use_tasks(bank)
    simulation.streams[:] = [stream_from_seed(seed) for seed in range(40)]
    simulation.start(every_row, every_row)
    assert {simulation.task(row) for row in range(40)} == set(bank)


@pytest.mark.parametrize("way", ["restored", "copied", "pickled"])
def test_a_row_goes_on_from_where_it_was(way):
    """With values of its own, which are in no list."""
    task = filled(
        SiteDesign.from_text("username password cc carousel navbar submit"), username="Zo\u00eb <b>", password="x"
    )
    simulation, rng, one = begun([task]), np.random.default_rng(11), np.ones(1, np.bool_)
    site = ReferenceSite(task)
    actions = [_harmless(site, rng) for _ in range(12)]
    for action in actions[:5]:
        simulation.step(np.array([action]), one)
    if way == "restored":
        state, other = simulation.save_state(), begun(uniform_tasks(1, 12))
        other.restore_state(state)
    else:
        other = copy.deepcopy(simulation) if way == "copied" else pickle.loads(pickle.dumps(simulation))
    for action in actions[5:]:
        simulation.step(np.array([action]), one)
        other.step(np.array([action]), one)
        assert other.records(0) == simulation.records(0) and other.rewards[0] == simulation.rewards[0]
        for name, array in simulation.observations.items():
            assert np.array_equal(other.observations[name], array)
    assert other.task(0) == simulation.task(0) == task


def _harmless(site, rng):
    """An action that does not end the episode."""
    while True:
        action = random_action(site, rng)
        used = site.nodes[action[0]].element.behaviour if action[0] < len(site.nodes) else Behaviour.NONE
        if used not in (Behaviour.SUBMIT, Behaviour.END):
            return action


def test_what_was_filled_in_is_gone_on_the_next_page():
    task = filled(SiteDesign.from_text("username rememberme next_login\nusername submit"))
    simulation, one = begun([task]), np.ones(1, np.bool_)
    for action in solve(task)[:-1]:
        simulation.step(action[None], one)
    assert [record.value for record in simulation.records(0) if record.value] == [dict(task.profile)["username"]]
    assert simulation.pages.num_right[0] == task.design.num_active == 3
