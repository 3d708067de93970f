"""Figures 23 and 24: which option of its goal each player meets, in a room with two spheres and in Chicken."""

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.xland.observations import NO_ATOM, goal_arrays
from procgen_bench.leaderboards.reproduction.xland import matches, probe_games
from procgen_bench.leaderboards.reproduction.xland.matches import Matches, play_matches
from procgen_bench.leaderboards.reproduction.xland.probe_games import (
    CHICKEN,
    CONTESTED,
    COOPERATE,
    DOMINATE,
    FREE,
    Chicken,
    ConflictAvoidance,
    conflict_task,
    measure_chicken,
    measure_conflict_avoidance,
)
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.games.goal import options_met, parse_goal
from procgen_bench.tasks.xland.games.truth_table import truth_table
from tests.leaderboards.reproduction.xland.followers import Still, Watcher, room


@pytest.mark.parametrize("black", [False, True])
@pytest.mark.parametrize("yellow", [False, True])
@pytest.mark.parametrize("near", [False, True])
def test_an_option_is_met_where_all_that_it_names_is_as_it_says(black, yellow, near):
    goal = parse_goal("see(me,black cube) & ~see(opponent,yellow sphere) | near(yellow sphere,me)")
    arrays = goal_arrays(goal)
    held = {"see(me,black cube)": black, "see(opponent,yellow sphere)": yellow, "near(yellow sphere,me)": near}
    truths = np.array([held[str(ATOMS[atom])] if atom != NO_ATOM else True for atom in arrays.atoms])
    met = options_met(arrays.matrix[None], truths[None])[0, :2]
    by_text = dict(zip(str(goal).split(" | "), met.tolist()))
    assert by_text.pop("near(yellow sphere,me)") == near
    assert [*by_text.values()] == [black and not yellow] and met.sum() == near + (black and not yellow)


def test_options_of_both_players_are_counted():
    """Player 1 sees the black cube from the start; player 2's goal is that player 1 does not see it."""
    game = parse_game("see(me,black cube) | ~see(me,black cube) & near(me,yellow sphere)\n~see(opponent,black cube)")
    facing = np.arctan2(-2.0, -2.0)  # from the middle to the cube's corner
    found = play_matches([Still()], [room(game, facing), room(game, facing + np.pi)], 0, 10)
    assert found.rewards[0, 0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    goal = game.goals[0]
    place = int((goal.matrix == parse_goal("see(me,black cube)").matrix).all(axis=1).argmax())
    assert found.options[0, 0, 0, 0, place] == 1 and found.options[0, 0, 0, 0].sum() == 1
    assert found.options[0, 0, 1, 1, 0] == 1 and not found.options[0, 0, 1, 0].any()


def test_seeds_decide_what_happens():
    tasks, trained = [conflict_task(False)], [load_policy("trained", "XLandSmall-v0")]
    first, again, other = (play_matches(trained, tasks, seed, 150).options for seed in (0, 0, 1))
    assert first.any() and np.array_equal(first, again) and not np.array_equal(first, other)


def test_the_room_is_fair():
    for is_swapped in (False, True):
        world = conflict_task(is_swapped).world
        ways = np.linalg.norm(world.player_positions[:, None] - world.object_positions[None], axis=2)
        assert np.ptp(ways) < 1e-12 and np.ptp(world.object_positions[:, 0]) == 0  # floors are strips along y
    shapes = [conflict_task(is_swapped).world.object_colours.tolist() for is_swapped in (False, True)]
    assert shapes[0] == shapes[1][::-1]


def test_both_can_cooperate_but_only_one_can_dominate():
    assert not joint(DOMINATE, DOMINATE)
    assert joint(COOPERATE, COOPERATE) and joint(COOPERATE, DOMINATE) and joint(DOMINATE, COOPERATE)


def joint(first, second):
    """Whether both players can be rewarded at once."""
    return bool(truth_table(parse_game(f"{first}\n{second}")).rewards.all(axis=1).any())


def test_conflicts_are_avoided_by_who_uses_the_free_sphere(monkeypatch):
    """The second checkpoint leaves the contested sphere alone in 3 of 4 rewarded steps, the first in 1 of 4."""
    order = [str(parse_goal(option)) for option in str(conflict_task(False).game).splitlines()[0].split(" | ")]
    options = np.zeros((2, 2, 2, 2, 6))
    options[0, ..., 0, order.index(FREE)], options[0, ..., 0, order.index(CONTESTED)] = 0.1, 0.3
    options[1, ..., 0, order.index(FREE)], options[1, ..., 0, order.index(CONTESTED)] = 0.6, 0.2
    found = Matches(options.sum(axis=4), options)
    monkeypatch.setattr(probe_games, "play_matches", lambda *_: found)
    measured = measure_conflict_avoidance(1, np.random.default_rng(0), ["random", "noop"])
    numbers = {row.name: row.ours for row in measured.key_numbers()}
    assert numbers["conflicts avoided, by player 1"] == "random 0.25, noop 0.75"
    assert numbers["player 1 is rewarded"] == "random 0.40, noop 0.80"
    measured.draw()


def test_a_pair_that_is_never_rewarded_avoids_nothing():
    nothing = np.zeros((1, 1, 2))
    measured = ConflictAvoidance(["a"], nothing, np.zeros((1, 1, 2, 2)))
    assert measured.key_numbers()[0].ours == "a -"
    measured.draw()


def test_players_of_chicken_are_asked_for_both_options(monkeypatch):
    """Player 1 cooperates in a tenth of the steps, and dominates in three."""
    order = [parse_goal(option) for option in str(CHICKEN).splitlines()[0].split(" | ")]
    options = np.zeros((1, 1, 2, 2, 6))
    options[..., 0, order.index(parse_goal(COOPERATE))], options[..., 0, order.index(parse_goal(DOMINATE))] = 0.1, 0.3
    monkeypatch.setattr(probe_games, "play_game", lambda *_: Matches(options.sum(axis=4), options))
    found = measure_chicken(2, np.random.default_rng(0), ["noop"])
    assert found.cooperates.tolist() == [[[0.1, 0.1]]] and found.dominates.tolist() == [[[0.3, 0.3]]]
    shares = np.array([[[0.1], [0.2]], [[0.3], [0.4]]])
    numbers = {row.name: row.ours for row in Chicken(["a", "b"], shares, 1 - shares).key_numbers()}
    assert numbers["cooperates, with itself"] == "a 0.10, b 0.40"
    assert numbers["dominates, with a"] == "a 0.90, b 0.70" and numbers["dominates, with b"] == "a 0.80, b 0.60"


def test_policies_that_observe_otherwise_are_refused(monkeypatch):
    players = {"a": Watcher(), "b": load_policy("noop", "XLandSmall-v0")}
    monkeypatch.setattr(matches, "load_player", players.get)
    for measure in (measure_chicken, measure_conflict_avoidance):
        with pytest.raises(InvalidOptionError, match="b observes by"):
            measure(1, np.random.default_rng(0), ["a", "b"])
