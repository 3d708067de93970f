"""Reasons why sites cannot be solved: of designs that a person has not finished."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.tasks.sites import SiteDesign, SiteTask
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.unsolvable import why_unsolvable
from procgen_bench.tasks.sites.variation import CHOICES
from tests.tasks.sites.makers import SPACE, filled, tasks, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite


def right_at_first(task: SiteTask) -> list[bool]:
    """Of every active primitive whether it holds its value before anything is done."""
    wanted = dict(task.profile)
    return [one.initial == wanted[one.field] for one in task.design.primitives if one.active]


def assert_solves(task: SiteTask) -> float:
    """Played by the rules, the expert submits the site with every field right by its last action; the return."""
    actions, site, total = solve(task), ReferenceSite(task), 0.0
    assert actions.dtype == np.int64 and actions.shape == (task.num_steps, 2)
    for number, action in enumerate(actions, start=1):
        reward, terminated, success = site.step(tuple(action))
        assert (terminated, success) == (number == len(actions),) * 2, (task.to_text(), number, site.event)
        total += reward
    return total


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SPACE.suite_names)
def test_expert_solves_every_task_of_the_suites(name, every):
    suite = SPACE.suite(name)
    for task, steps in zip(suite.tasks[::every], suite.records["steps"][::every], strict=True):
        assert_solves(task)
        assert len(solve(task)) == steps


@settings(max_examples=80)
@given(tasks())
def test_expert_solves_every_valid_task(task):
    assert_solves(task)


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_expert_solves_uniform_tasks_in_the_fewest_steps_without_one_in_vain(count):
    for task in uniform_tasks(count, seed=0):
        right = sum(right_at_first(task))
        total = assert_solves(task)
        earned = 2 - right / task.design.num_active
        assert total == pytest.approx(earned - 0.05 * (task.design.num_steps - right - 1))


def test_expert_chooses_what_is_asked_for():
    design = SiteDesign.from_text("cc numberofpeople submit")
    pressed = {}
    for place in range(4):
        task = filled(design, place)
        assert_solves(task)
        pressed[tuple(value for _, value in task.profile)] = solve(task).tolist()
    assert [rows[0][0] for rows in pressed.values()] == [9, 12, 9, 12]
    assert len({tuple(rows[1]) for rows in pressed.values()}) == 1


def test_expert_leaves_alone_what_is_right_at_first():
    design = SiteDesign.from_text("rememberme state submit")
    lengths = {
        (tick, state): len(solve(filled(design, rememberme=tick, state=state)))
        for tick in ("true", "false")
        for state in ("CA", "NY")
    }
    assert lengths == {("true", "CA"): 2, ("true", "NY"): 3, ("false", "CA"): 1, ("false", "NY"): 2}


def test_expert_solves_every_variation():
    rng = np.random.default_rng(3)
    for task in SPACE.suite("varied"):
        for part in ("labels", "decoys"):
            choices = CHOICES[part]
            task = replace(task, variation=replace(task.variation, **{part: choices[rng.integers(len(choices))]}))
        task.validate()
        assert_solves(task)


def test_solver_leaves_the_task_alone_and_repeats():
    task = SPACE.suite("test")["shopping-4-3"]
    fingerprint = task.fingerprint()
    assert np.array_equal(solve(task), solve(task))
    assert task.fingerprint() == fingerprint
    assert SPACE.is_solvable(task)


ACTIVE = tuple(name for name, primitive in CATALOGUE.items() if primitive.active)


def site(*pages: tuple[str, ...]) -> SiteTask:
    design = SiteDesign(pages)
    return SiteTask(design, tuple((field, value_lists()[field][0]) for field in design.fields))


def test_nothing_is_asked_for():
    assert why_unsolvable(site(("navbar", "submit"))) == "no primitive on its pages asks for a value"


def test_a_page_without_its_button_is_named():
    stuck = "has no button to the next page: put next_checkout or next_login or next_login_page there"
    assert why_unsolvable(site(("username",), ("submit",))) == f"page 1 {stuck}"
    assert why_unsolvable(site(("username", "submit"), ("submit",))) == f"page 1 {stuck}"
    last = "page 2, the last, has no button to send the site off: put submit there"
    assert why_unsolvable(site(("username", "next_login"), ("city", "next_login"))) == last


def test_the_step_that_is_one_too_many_is_named():
    assert len(ACTIVE) == 24
    full = site((*ACTIVE, "submit"))
    full.validate()
    over = "it takes 26 steps, and an episode ends after 25: none is left"
    assert why_unsolvable(site((*ACTIVE, "next_login"), ("submit",))) == f"{over} for the button of page 2"
    # Page 1 takes two steps, so that the last field of page 2 is the 26th.
    pages = ("username", "next_login"), (*ACTIVE, "submit")
    late = f"it takes 27 steps, and an episode ends after 25: none is left to fill in {ACTIVE[-1]} on page 2"
    assert why_unsolvable(site(*pages)) == late


def test_a_value_that_is_none_is_named():
    task = replace(site(("username", "submit")), profile=(("username", ""),))
    assert "username" in why_unsolvable(task)


def test_a_site_that_can_be_solved_has_no_reason():
    with pytest.raises(ValueError, match="can be solved"):
        why_unsolvable(site(("username", "submit")))
