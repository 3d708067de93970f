"""Every skill's literal is what its name says, of any objects and floors."""

import re

import numpy as np
import pytest

from procgen_bench.tasks.xland.games.templates import ABOUT_ONESELF, ABOUT_THINGS, SKILLS, skill_game, template_game

PATTERNS = {
    "see": r"^see\(me,[a-z]+ [a-z]+\)$",
    "near": r"^near\([a-z]+ [a-z]+,me\)$",
    "hold": r"^hold\(me,[a-z]+ [a-z]+\)$",
    "stand": r"^on\(me,[a-z]+ floor\)$",
    "carry": r"^on\([a-z]+ (cube|sphere|pyramid),[a-z]+ floor\)$",
    "gather": r"^near\([a-z]+ (cube|sphere|pyramid),[a-z]+ (cube|sphere|pyramid)\)$",
    "clear": r"^~on\([a-z]+ (cube|sphere|pyramid),[a-z]+ floor\)$",
}


@pytest.mark.parametrize("skill", list(SKILLS))
def test_goals_of_a_skill_are_of_its_kind(skill):
    rng = np.random.default_rng(0)
    goals = [str(goal) for _ in range(40) for goal in skill_game(rng, 2, skill).goals]
    assert all(re.match(PATTERNS[skill], goal) for goal in goals), goals
    assert len(set(goals)) > 5


def test_the_first_stages_are_of_their_skills_and_the_last_of_two_options():
    rng = np.random.default_rng(0)
    assert set(ABOUT_ONESELF) | set(ABOUT_THINGS) == set(SKILLS)
    for _ in range(40):
        assert all(len(goal.atoms) == 1 for goal in template_game(rng, 2, 2).goals)
    sizes = {len(goal.matrix) for _ in range(60) for goal in template_game(rng, 2).goals}
    assert sizes == {1, 2}
