"""Games that the paper names.

Every skill's literal is what its name says, of any objects and floors.
"""

import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.templates import (
    ABOUT_ONESELF,
    ABOUT_THINGS,
    ALL_SKILLS,
    SKILLS,
    skill_game,
    template_game,
)
from tests.tasks.xland.games import reference_game as reference

SIMPLE_COOPERATION = "hold(me,purple sphere) | near(purple sphere,yellow sphere) & ~see(me,opponent)"

#: Section 3.2.3: what beats yellow is purple, what beats purple is black, what beats black is yellow.
XRPS_GOAL = " | ".join(
    f"hold(me,{mine} sphere) & ~hold(opponent,{stronger} sphere)"
    for mine, stronger in (("yellow", "purple"), ("purple", "black"), ("black", "yellow"))
)

#: A.9.3: the text keeps of each option only its negation. The option that cooperates leaves the other player alone; the
#: two that defect need to see the yellow pyramid while the other player does not.
COOPERATE = ["see(me,purple pyramid) & see(me,black pyramid) & ~see(black pyramid,purple pyramid)"]
DEFECT = [
    f"see(me,yellow pyramid) & see(me,{colour} sphere) & ~see(opponent,yellow pyramid)"
    for colour in ("black", "purple")
]


def test_hide_and_seek_is_competitive_and_imbalanced():
    measured = game_properties(parse_game("see(me,opponent)\n~see(opponent,me)"))
    # One atom: always one of the two is rewarded. It names no object, so no recolouring balances it.
    assert measured == (0, 0, 1, 0, False)


@pytest.mark.parametrize("players", [2, 3])
def test_identical_goals_that_name_no_player_are_cooperative(players):
    goal = "near(purple sphere,yellow sphere) & ~on(black cube,blue floor) | see(black cube,yellow pyramid)"
    measured = game_properties(parse_game("\n".join([goal] * players)))
    assert measured.cooperativeness == measured.balance == 1 and measured.competitiveness == 0


def test_identical_words_about_me_are_not_one_goal():
    text = f"{SIMPLE_COOPERATION}\n{SIMPLE_COOPERATION}"
    assert 0 < game_properties(parse_game(text)).competitiveness == float(reference.properties(text)[2])


def test_capture_the_cube():
    # One flag: each wants it on the own base floor and not on the other's.
    # With a cube of another colour each, nothing binds the goals: both hold in 1/16 of the states, one in 7/16.
    mine, theirs = "on(black cube,blue floor)", "on(black cube,grey floor)"
    measured = game_properties(parse_game(f"{mine} & ~{theirs}\n{theirs} & ~{mine}"))
    assert measured == (0.5, 0, 1, 1 / 7, False)


def test_conflict_avoidance():
    goals = [f"on(purple sphere,{floor}) | on(yellow sphere,{floor})" for floor in ("orange floor", "grey floor")]
    measured = game_properties(parse_game("\n".join(goals)))
    # Four atoms, of which no two are the same: 3/4 each alone, 9/16 both.
    assert measured == (1 / 16, 9 / 15, 6 / 15, 9 / 15, False)


def test_rock_paper_scissors():
    text = f"{XRPS_GOAL}\n{XRPS_GOAL}"
    expected = reference.properties(text)
    assert game_properties(parse_game(text)) == tuple(map(float, expected[:4])) + expected[4:]
    stronger = {"yellow": "purple", "purple": "black", "black": "yellow"}
    for mine, theirs in product(stronger, repeat=2):
        rewards = rewards_where(text, {("hold", "P0", f"{mine} sphere"), ("hold", "P1", f"{theirs} sphere")})
        assert rewards == [theirs != stronger[mine], mine != stronger[theirs]]


def test_rock_paper_scissors_in_three():
    text = "\n".join([XRPS_GOAL] * 3)
    measured = game_properties(parse_game(text))
    tables, states = reference.reward_tables(reference.read(text))
    everyone, some = (tables[0] & tables[1] & tables[2]).bit_count(), (tables[0] | tables[1] | tables[2]).bit_count()
    assert measured.exploration_difficulty == 1 - some / states and measured.cooperativeness == everyone / some
    assert measured.balance >= measured.cooperativeness


def rewards_where(text: str, true_facts: set) -> list[bool]:
    """Who is rewarded where of all facts just these are true."""
    goals = reference.read(text)

    def holds(wanted, atom, player):
        return wanted == bool(true_facts & set(reference.facts_of(atom, player, len(goals))))

    return [
        any(all(holds(wanted, atom, player) for wanted, *atom in option) for option in goal)
        for player, goal in enumerate(goals)
    ]


@pytest.mark.parametrize(
    ("mine", "theirs", "payoffs"),
    [
        (COOPERATE, COOPERATE, (1, 1)),
        (COOPERATE, DEFECT, (1, 2)),
        (DEFECT, COOPERATE, (2, 1)),
        (DEFECT, DEFECT, (0, 0)),
    ],
)
def test_chicken(mine, theirs, payoffs):
    """A payoff is the number of options of one's own action that can be had beside the other player's action."""
    feasible = [
        [game_properties(parse_game(f"{option}\n{other}")).cooperativeness > 0 for other in theirs] for option in mine
    ]
    assert payoffs == (sum(map(any, feasible)), sum(map(any, zip(*feasible))))


def test_chicken_as_a_game():
    goal = " | ".join(COOPERATE + DEFECT)
    text = f"{goal}\n{goal}"
    expected = reference.properties(text)
    measured = game_properties(parse_game(text))
    assert measured == tuple(map(float, expected[:4])) + expected[4:]
    assert 0 < Fraction(measured.competitiveness) < 1


PATTERNS = {
    "see": r"^see\(me,[a-z]+ [a-z]+\)$",
    "near": r"^near\([a-z]+ [a-z]+,me\)$",
    "hold": r"^hold\(me,[a-z]+ [a-z]+\)$",
    "stand": r"^on\(me,[a-z]+ floor\)$",
    "carry": r"^on\([a-z]+ (cube|sphere|pyramid),[a-z]+ floor\)$",
    "gather": r"^near\([a-z]+ (cube|sphere|pyramid),[a-z]+ (cube|sphere|pyramid)\)$",
    "clear": r"^~on\([a-z]+ (cube|sphere|pyramid),[a-z]+ floor\)$",
    "expose": r"^see\([a-z]+ (cube|sphere|pyramid),[a-z]+ (cube|sphere|pyramid)\)$",
    "hide": r"^~see\([a-z]+ (cube|sphere|pyramid),[a-z]+ (cube|sphere|pyramid)\)$",
}


@pytest.mark.parametrize("skill", list(ALL_SKILLS))
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
