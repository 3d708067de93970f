"""Truth tables are those of the goals, and count to the properties of the game."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.truth_table import truth_table
from tests.tasks.xland.games.strategies import goal_of, random_games


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
