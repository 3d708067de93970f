from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.tasks.sites import SiteDesign, SiteTask
from procgen_bench.tasks.sites.solver import solve
from tests.tasks.sites.makers import SPACE, filled, tasks, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite


def assert_solves(task: SiteTask) -> float:
    """Played by the rules, the expert sends the site off with every field right by its last action; the return."""
    actions, site, total = solve(task), ReferenceSite(task), 0.0
    assert actions.dtype == np.int64 and actions.shape == (task.design.num_steps, 2)
    for number, action in enumerate(actions, start=1):
        reward, terminated, success = site.step(tuple(action))
        assert (terminated, success) == (number == len(actions),) * 2, (task.to_text(), number, site.event)
        total += reward
    return total


@pytest.mark.parametrize("name", SPACE.suite_names)
def test_expert_solves_every_task_of_the_suites(name):
    suite = SPACE.suite(name)
    for task, steps in zip(suite, suite.records["steps"]):
        assert_solves(task)
        assert len(solve(task)) == steps


@settings(max_examples=200)
@given(tasks())
def test_expert_solves_every_valid_task(task):
    assert_solves(task)


def test_expert_solves_uniform_tasks_without_repeating_itself():
    for task in uniform_tasks(400, seed=0):
        total = assert_solves(task)
        if len(task.profile) > 2:
            assert total == pytest.approx(2 - 0.05 * task.design.num_steps)


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        # The button's index on page 0 is that of the line of text on page 1, whose field is the first.
        ("captcha rememberme forgotpassword next_login\ncity next_login\nstate submit", 0),
        ("forgotpassword next_login\ncaptcha city state submit", 0),
        ("next_login\nnext_login\ncaptcha city submit", 0),
        ("next_login\nnext_login\ncaptcha submit", 1),
    ],
)
def test_buttons_at_one_place_are_no_repetition(text, repeats):
    task = filled(SiteDesign.from_text(text))
    actions = solve(task).tolist()
    assert sum(one == other for one, other in pairwise(actions)) == repeats
    assert assert_solves(task) == pytest.approx(2 - 0.05 * len(actions) - 0.5 * repeats)


def test_expert_chooses_what_is_asked_for():
    design = SiteDesign.from_text("cc numberofpeople submit")
    pressed = {}
    for place in range(4):
        task = filled(design, place)
        assert_solves(task)
        pressed[tuple(value for _, value in task.profile)] = solve(task).tolist()
    assert [rows[0][0] for rows in pressed.values()] == [4, 6, 4, 6]
    assert len({tuple(rows[1]) for rows in pressed.values()}) == 1


def test_solver_leaves_the_task_alone_and_repeats():
    task = SPACE.suite("test")["shopping-4-3"]
    fingerprint = task.fingerprint()
    assert np.array_equal(solve(task), solve(task))
    assert task.fingerprint() == fingerprint
    assert SPACE.is_solvable(task)
