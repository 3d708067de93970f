"""Games: text, checks, whom atoms mean, and who is rewarded."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, parse_atom
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.games.resolution import NONE, PLAYER_ATOMS, RESOLUTION, resolve
from tests.tasks.xland.games.reference_game import facts_of
from tests.tasks.xland.games.strategies import goals

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
