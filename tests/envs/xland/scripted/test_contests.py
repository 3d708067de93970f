"""Two players after the same thing: the scripted one keeps what it has."""

import pytest

from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.scripted.proving import play_scripted
from procgen_bench.envs.xland.scripted.tempers import STRONGEST
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import hand_authored_task
from procgen_bench.tasks.xland.co_players import CO_PLAYERS
from tests.envs.xland.scenes import FLAT, RAMP, player, simulate
from tests.envs.xland.scripted.episodes import play, seat


def share(simulation: XLandSimulation, steps: int) -> float:
    """Of some steps, those that reward the scripted player beside a steady one."""
    rewards, _ = play(simulation, seat(simulation, ScriptedParticipant(), new_co_player("steady")), steps)
    return float(rewards[:, 0].mean())


def test_what_another_would_take_is_frozen_where_it_belongs():
    players = player("blue", 4.5, 6.5, gadget="freeze"), player("red", 5.5, 2.5, gadget="freeze")
    game = "on(purple cube,olive floor)\n~on(purple cube,olive floor)"
    assert share(simulate(RAMP, "purple cube 0.6 m at 5.5 6.2 facing 0", *players, game=game), 200) > 0.9


def test_a_rival_is_tagged_as_it_comes_back():
    """The cube is let go of for that, and taken again."""
    players = player("blue", 1.5, 1.5, gadget="tag"), player("red", 5.5, 5.5, -2.0, gadget="tag")
    game = "hold(me,purple cube)\nhold(me,purple cube)"
    assert share(simulate(FLAT, "purple cube 0.6 m at 3.5 2.5 facing 0", *players, game=game), 250) > 0.6


def test_co_players_are_frozen_as_they_were():
    """What the strongest player has learned since, they have not: rows on boards were played beside them."""
    assert STRONGEST.contends
    assert not any(new_co_player(name).temper.contends for name in CO_PLAYERS if name not in ("noop", "random"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"), [("solve_agi", 700), ("race_to_clifftop_with_orb", 200), ("xfootball", 700)]
)
def test_contests_are_won(name, least):
    for seed in range(3):
        mine, other = play_scripted(hand_authored_task(name).task, seed).returns
        assert mine > least > other
