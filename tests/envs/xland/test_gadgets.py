"""Gadgets: what is frozen, and who is tagged."""

import math
from itertools import groupby

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.gadgets import FREEZE_STEPS, IMMUNITY_STEPS, TAG_STEPS
from procgen_bench.envs.xland.model import STEP_SECONDS
from tests.envs.xland.scenes import FLAT, FORWARD, GRAB, PILLAR, RAMP, USE, act, look_at, place_object, player, simulate

CUBE = "purple cube 0.6 m at 3.5 3.5 facing 0"


@pytest.mark.parametrize("thing", ["purple sphere 0.6 m", "purple pyramid 0.6 m", "purple slab 0.6 m"])
def test_a_frozen_object_stays_for_five_seconds(thing):
    simulation = simulate(RAMP, f"{thing} at 3.5 4.4 facing 0.2", player("blue", 3.5, 2.5))
    # In the air, where nothing but the gadget holds it.
    place_object(simulation, 0, (7.0, 8.8, 2.0))
    act(simulation, 1)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, USE)
    before, frozen = simulation.states.object_positions[0, 0].copy(), 1
    while np.abs(simulation.states.object_positions[0, 0] - before).max() < 0.001:
        act(simulation, 1)
        frozen += 1
        assert frozen < 60
    frozen -= 1
    assert frozen == FREEZE_STEPS and abs(frozen * STEP_SECONDS - 5.0) <= STEP_SECONDS
    act(simulation, 10)
    assert simulation.states.object_positions[0, 0, 2] < 1.3


def test_a_frozen_sphere_stays_on_a_ramp_for_five_seconds():
    simulation = simulate(RAMP, "purple sphere 0.6 m at 3.5 4.3 facing 0", player("blue", 3.5, 2.5))
    before = simulation.states.object_positions[0, 0].copy()
    look_at(simulation, 0, before)
    act(simulation, 1, USE)
    act(simulation, FREEZE_STEPS - 1)
    assert abs(FREEZE_STEPS * STEP_SECONDS - 5.0) <= STEP_SECONDS
    assert np.abs(simulation.states.object_positions[0, 0] - before).max() < 0.001
    assert simulation.states.contacts[0, 0, 0]
    act(simulation, 1)
    assert np.abs(simulation.states.object_positions[0, 0] - before).max() > 0.01
    act(simulation, 9)
    assert before[1] - simulation.states.object_positions[0, 0, 1] > 1.0


def test_a_frozen_object_is_neither_pushed_nor_carried():
    simulation = simulate(FLAT, CUBE, player("blue", 3.5, 2.4))
    before = simulation.states.object_positions[0, 0].copy()
    look_at(simulation, 0, before)
    act(simulation, 1, USE)
    act(simulation, 15, (2, 2, 3, 2, 1, 0))
    assert np.abs(simulation.states.object_positions[0, 0] - before).max() < 0.001


def test_what_rests_on_a_tagged_object_falls():
    simulation = simulate(FLAT, CUBE, "black cube 0.6 m at 5.5 3.5 facing 0", player("blue", 3.5, 2.0, gadget="tag"))
    place_object(simulation, 1, (7.0, 7.0, 0.9))
    act(simulation, 15)
    assert not simulation.bodies.awake[1:3].any() and simulation.states.object_positions[0, 1, 2] > 0.89
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, USE)
    assert simulation.states.objects_present[0].tolist() == [False, True]
    act(simulation, 10)
    assert simulation.states.object_positions[0, 1, 2] == pytest.approx(0.3, abs=0.01)
    # Its place is taken when it comes back: it comes back above, and nothing is thrown about.
    act(simulation, TAG_STEPS - 11)
    assert not simulation.states.objects_present[0, 0]
    fastest = 0.0
    for _ in range(20):
        act(simulation, 1)
        fastest = max(fastest, float(np.abs(simulation.bodies.object_motions[:, :3]).max()))
    assert simulation.states.objects_present[0].all() and fastest < 5.0
    assert sorted(simulation.states.object_positions[0, :, 2].round(2).tolist()) == [0.3, 0.9]


def test_a_tagged_player_is_gone_for_three_seconds_and_returns_to_its_start():
    simulation = simulate(FLAT, player("blue", 3.5, 2.5, gadget="tag"), player("red", 3.5, 4.5, 0.3, "tag"))
    start = simulation.states.player_positions[0, 1].copy()
    act(simulation, 4, FORWARD, (2, 2, 6, 4, 0, 0))
    look_at(simulation, 0, simulation.states.player_positions[0, 1])
    act(simulation, 1, USE)
    gone = 0
    while not simulation.states.players_present[0, 1]:
        assert simulation.rewards.tolist() == [1.0, 0.0]
        act(simulation, 1, NOOP, FORWARD if gone < TAG_STEPS - 1 else NOOP)  # who is gone does nothing
        gone += 1
        assert gone < 60
    assert gone == TAG_STEPS and abs(gone * STEP_SECONDS - 3.0) <= STEP_SECONDS
    assert math.dist(simulation.states.player_positions[0, 1], start) < 0.005
    assert simulation.states.player_yaws[0, 1] == pytest.approx(0.3)
    assert simulation.rewards.tolist() == [1.0, 1.0]


def present_by_step(simulation, start, steps: int, is_there) -> list[bool]:
    """Whether a thing is there after each step, while player 1 looks at its start, and uses its gadget as soon as it
    takes."""
    present = []
    for _ in range(steps):
        look_at(simulation, 0, start)
        # The step that comes is the first one without immunity where one is left of it.
        act(simulation, 1, USE if simulation.effects.immune.max() <= 1 and is_there() else NOOP)
        present.append(bool(is_there()))
    return present


def runs_of(present: list[bool]) -> list[tuple[bool, int]]:
    return [(value, len(list(same))) for value, same in groupby(present)]


@pytest.mark.parametrize("thing", ["player", "object"])
def test_who_camps_at_a_start_cannot_tag_what_is_back_for_a_second(thing):
    camper = player("blue", 3.5, 1.5, gadget="tag")
    things = (CUBE, camper) if thing == "object" else (camper, player("red", 3.5, 3.5))
    simulation = simulate(FLAT, *things)
    states = simulation.states
    start = (states.object_positions if thing == "object" else states.player_positions[:, 1:])[0, 0].copy()
    there = states.objects_present if thing == "object" else states.players_present[:, 1:]
    runs = runs_of(present_by_step(simulation, start, 300, lambda: there[0, 0]))
    gone, back = ([count for value, count in runs[:-1] if value == wanted] for wanted in (False, True))
    assert len(gone) > 5 and set(gone) == {TAG_STEPS}
    assert set(back) == {IMMUNITY_STEPS} == {8}
    assert pytest.approx(1.0, abs=STEP_SECONDS) == IMMUNITY_STEPS * STEP_SECONDS


def test_what_is_immune_can_be_frozen_and_nothing_is_immune_at_the_start():
    simulation = simulate(FLAT, CUBE, player("blue", 3.5, 2.4), player("red", 3.5, 5.0, gadget="tag"))
    assert not simulation.effects.immune.any()
    cube = simulation.states.object_positions[0, 0].copy()
    look_at(simulation, 1, cube)
    act(simulation, 1, NOOP, USE)
    assert not simulation.effects.immune.any() and simulation.effects.gone.tolist() == [TAG_STEPS, 0, 0]
    act(simulation, TAG_STEPS)
    assert simulation.effects.immune.tolist() == [IMMUNITY_STEPS, 0, 0]
    look_at(simulation, 0, cube)
    act(simulation, 1, USE)
    assert simulation.effects.frozen[0] == FREEZE_STEPS and simulation.states.objects_present.all()
    simulation.reset()
    assert not simulation.effects.immune.any()


def test_who_is_tagged_lets_go_and_what_is_tagged_is_lost():
    simulation = simulate(
        FLAT, CUBE, player("blue", 3.5, 2.4), player("red", 5.0, 2.4, gadget="tag"), player("green", 1.0, 1.0)
    )
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB)
    assert simulation.hand_is_holding[0]
    look_at(simulation, 1, simulation.states.player_positions[0, 0])
    act(simulation, 1, GRAB, USE)
    assert not simulation.hand_is_holding[0] and not simulation.states.players_present[0, 0]
    act(simulation, TAG_STEPS)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB)
    assert simulation.hand_is_holding[0]
    look_at(simulation, 1, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB, USE)
    assert not simulation.hand_is_holding[0] and not simulation.states.objects_present[0, 0]


def test_gadgets_need_a_line_of_sight_and_a_second_between_uses():
    simulation = simulate(PILLAR, "purple cube 0.6 m at 3.5 5.0 facing 0", player("blue", 3.5, 1.5, gadget="tag"))
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, USE)
    assert simulation.states.objects_present.all()
    place_object(simulation, 0, (7.0, 5.0, 0.3))
    look_at(simulation, 0, (7.0, 5.0, 0.3))
    waited = 1
    while simulation.states.objects_present.all():
        act(simulation, 1, USE)
        waited += 1
        assert waited < 20
    assert (waited - 1) * STEP_SECONDS == pytest.approx(1.0, abs=STEP_SECONDS)


def test_players_do_not_freeze():
    simulation = simulate(FLAT, player("blue", 3.5, 2.5), player("red", 3.5, 4.5, 0.0))
    look_at(simulation, 0, simulation.states.player_positions[0, 1])
    act(simulation, 1, USE)
    x = float(simulation.states.player_positions[0, 1, 0])
    act(simulation, 5, NOOP, FORWARD)
    assert simulation.states.player_positions[0, 1, 0] - x > 1.0
