"""Games: text, checks, whom atoms mean, and who is rewarded.

The 212 atoms are the paper's.

Truth tables are those of the goals, and count to the properties of the game.
"""

import pickle
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, parse_atom
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.resolution import NONE, PLAYER_ATOMS, RESOLUTION, resolve
from procgen_bench.tasks.xland.games.truth_table import truth_table
from tests.tasks.xland.games.reference_game import facts_of
from tests.tasks.xland.games.strategies import goal_of, goals, random_games

HIDE_AND_SEEK = "see(me,opponent)\n~see(opponent,me)"


@given(st.lists(goals(), min_size=2, max_size=3))
def test_text_round_trip(drawn):
    game = Game(tuple(drawn))
    assert parse_game(str(game)) == game == Game(drawn)
    assert str(parse_game(f"\n {game}\n\n")) == str(game)
    assert hash(parse_game(str(game))) == hash(game) and pickle.loads(pickle.dumps(game)) == game


def test_the_order_of_players_matters():
    game = parse_game(HIDE_AND_SEEK)
    assert game != Game(game.goals[::-1])


@pytest.mark.parametrize(
    ("text", "parameter", "value"),
    [
        ("", "number of goals of the game", 0),
        ("\n".join(["see(me,black cube)"] * 4), "number of goals of the game", 4),
        ("see(me,black cube)\n\nsee(me,black cub)", "line 3 of the game at column 8", "black cub"),
        ("see(me,black cube)", None, None),
        ("see(black cube,opponent)", "atom in a game of one player", "see(black cube,opponent)"),
    ],
)
def test_errors(text, parameter, value):
    if parameter is None:
        assert parse_game(text).num_players == 1
        return
    with pytest.raises(InvalidTaskError) as raised:
        parse_game(text)
    assert raised.value.parameter == parameter and raised.value.value == value


def test_goals_are_goals():
    with pytest.raises(InvalidTaskError, match="goal of player 2 is 'see"):
        Game((parse_goal("see(me,opponent)"), "see(me,opponent)"))


def resolved(text: str, player: int, players: int) -> set[str]:
    return set(map(str, resolve(parse_atom(text), player, players)))


def test_what_one_sees_of_the_other_the_other_sees_shown():
    assert resolved("see(opponent,me)", 0, 2) == resolved("see(me,opponent)", 1, 2) == {"see(player 2,player 1)"}
    assert resolved("hold(opponent,black cube)", 0, 2) == resolved("hold(me,black cube)", 1, 2)
    assert resolved("near(black cube,purple cube)", 0, 2) == resolved("near(black cube,purple cube)", 1, 2)


def test_opponent_is_any_of_two():
    assert resolved("hold(opponent,black cube)", 1, 3) == {"hold(player 1,black cube)", "hold(player 3,black cube)"}
    assert resolved("see(opponent,me)", 2, 3) == {"see(player 1,player 3)", "see(player 2,player 3)"}
    assert resolved("see(me,opponent)", 2, 3) == {"see(player 3,player 1)", "see(player 3,player 2)"}
    assert resolved("on(me,blue floor)", 2, 3) == {"on(player 3,blue floor)"}


@pytest.mark.parametrize("players", [1, 2, 3])
def test_the_table_says_what_the_reference_says(players):
    for player in range(players):
        for atom, places in zip(ATOMS, RESOLUTION[players - 1, player]):
            facts = facts_of(atom, player, players)
            texts = [str(PLAYER_ATOMS[place]) for place in places if place != NONE]
            names = {f"P{number}": f"player {number + 1}" for number in range(3)}
            expected = {frozenset((names.get(a, a), names.get(b, b))) for _, a, b in facts}
            assert {frozenset(text.partition("(")[2][:-1].split(",")) for text in texts} == expected
            assert len(texts) == len(facts)


def test_rewards():
    game = parse_game(HIDE_AND_SEEK)
    truths = np.zeros((2, 2, len(ATOMS)), bool)
    # In the second state player 1 sees player 2.
    truths[1, 0, ATOMS.index(parse_atom("see(me,opponent)"))] = True
    truths[1, 1, ATOMS.index(parse_atom("see(opponent,me)"))] = True
    assert game.rewards(truths).tolist() == [[False, True], [True, False]]


PAPER_ATOMS = Path(__file__).with_name("paper_atoms.txt").read_text().splitlines()
PLAYERS = {"me", "opponent"}


def meaning(text: str) -> tuple:
    """A relation and what it relates; in order, where the order matters."""
    relation, first, second = re.fullmatch(r"(\w+)\((.+),(.+)\)", text).groups()
    directed = relation == "see" and PLAYERS & {first, second}
    return relation, (first, second) if directed else frozenset((first, second))


def test_the_atoms_are_those_of_the_paper():
    assert len(PAPER_ATOMS) == 212
    assert {meaning(str(atom)) for atom in ATOMS} == {meaning(text) for text in PAPER_ATOMS}
    assert len({meaning(str(atom)) for atom in ATOMS}) == len(ATOMS) == 212


def test_relations_follow_each_other():
    assert list(Counter(atom.relation for atom in ATOMS).items()) == [
        ("near", 54),
        ("see", 74),
        ("on", 66),
        ("hold", 18),
    ]
    assert [ATOM_INDEX[atom] for atom in ATOMS] == list(range(212))


def test_players_are_in_more_atoms_where_there_are_three():
    assert len(PLAYER_ATOMS) == len(set(PLAYER_ATOMS)) == 258


def test_every_atom_of_the_paper_is_read():
    assert {parse_atom(text) for text in PAPER_ATOMS} == set(ATOMS)


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_text_round_trip_of_atoms(atom):
    assert parse_atom(str(atom)) == atom
    assert parse_atom(f" {atom.relation} ( {atom.first.replace(' ', '  ')} ,{atom.second} ) ") == atom


@pytest.mark.parametrize("atom", ATOMS, ids=str)
def test_either_order_where_it_says_the_same(atom):
    swapped = f"{atom.relation}({atom.second},{atom.first})"
    if atom.relation == "hold":
        with pytest.raises(InvalidTaskError, match=re.escape(swapped)):
            parse_atom(swapped)
    elif atom.relation == "see" and PLAYERS & set(atom):
        assert parse_atom(swapped) != atom and meaning(str(parse_atom(swapped))) == meaning(swapped)
    else:
        assert parse_atom(swapped) == atom


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("", 1, "the end of the text"),
        ("nera(me,black cube)", 1, "nera"),
        ("near me", 1, "near me"),
        ("near[me", 5, "[me"),
        ("near(black cub,me)", 6, "black cub"),
        ("near(black cube;me)", 16, ";me)"),
        ("near(black cube, mee)", 18, "mee"),
        ("near(black cube,me", 19, "the end of the text"),
        ("near(black cube,me) & ", 21, "&"),
        ("  near(me,opponent)", 3, "near(me,opponent)"),
        ("see(me,me)", 1, "see(me,me)"),
        ("see(me,blue floor)", 1, "see(me,blue floor)"),
        ("hold(opponent,me)", 1, "hold(opponent,me)"),
        ("on(me,black cube)", 1, "on(me,black cube)"),
        ("near(black slab,me)", 6, "black slab"),
    ],
)
def test_errors_name_the_column(text, column, value):
    with pytest.raises(InvalidTaskError) as raised:
        parse_atom(text)
    assert raised.value.parameter == f"atom at column {column}" and raised.value.value == value


def test_hide_and_seek():
    table = truth_table(parse_game("see(me,opponent)\n~see(opponent,me)"))
    assert [str(atom) for atom in table.atoms] == ["see(player 1,player 2)"]
    assert table.states.tolist() == [[False], [True]]
    assert table.rewards.tolist() == [[False, True], [True, False]]


def test_an_opponent_of_three_is_any_of_the_others():
    table = truth_table(parse_game("\n".join(["hold(opponent,black cube)"] * 3)))
    holds = table.states
    assert holds.shape == (8, 3) and table.rewards.shape == (8, 3)
    for state, rewards in zip(holds.tolist(), table.rewards.tolist()):
        assert rewards == [any(state[other] for other in range(3) if other != player) for player in range(3)]


@pytest.mark.parametrize("players", [2, 3])
def test_tables_count_to_the_properties(players):
    counted = 0
    for game in random_games(np.random.default_rng(players), 60, players):
        try:
            table = truth_table(game)
        except InvalidTaskError:
            continue
        counted += 1
        some, everyone = table.rewards.any(axis=1).sum(), table.rewards.all(axis=1).sum()
        properties = game_properties(game)
        assert properties.exploration_difficulty == 1 - some / len(table.states)
        assert properties.cooperativeness == everyone / some
    assert counted > 30


def test_large_games_are_refused():
    goal = goal_of([dict.fromkeys(range(7), 1)])
    other = goal_of([dict.fromkeys(range(100, 107), 1)])
    assert len(ATOMS) > 107
    with pytest.raises(InvalidTaskError, match="number of atoms of the game is 14, expected at most 12"):
        truth_table(Game((goal, other)))
