from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS, OPPONENT, RELATIONS, Atom
from procgen_bench.tasks.xland.games.resolution import NONE, PLAYER_ATOM_INDEX, RESOLUTION
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from tests.tasks.xland.predicates.makers import LAYOUTS, random_states, random_world, scene_of, world_of
from tests.tasks.xland.predicates.reference_predicates import reference_atoms, reference_facts

NAMES = [str(atom) for atom in ATOMS]
OF_RELATION = {relation: np.array([atom.relation == relation for atom in ATOMS]) for relation in RELATIONS}
WITH_OPPONENT = np.array([OPPONENT in atom for atom in ATOMS])
FAR_AWAY = ((9.0, 9.0, 0.825), 0.0, 0.0)


def names_that_hold(states: States, player: int = 0) -> set[str]:
    return {NAMES[a] for a in np.flatnonzero(evaluate_atoms(states)[0, player])}


def compare(seed: int, count: int, num_players: int, layout: str) -> np.ndarray:
    """Hold the kernel against the reference on random states; the atoms' truths."""
    states = random_states(np.random.default_rng([20210727, seed]), count, num_players, layout)
    truths, expected = evaluate_atoms(states), reference_atoms(states)
    differing = [(int(s), int(p), NAMES[a]) for s, p, a in np.argwhere(truths != expected)]
    assert not differing
    return truths


def relation_shares(truths: np.ndarray) -> dict[str, float]:
    """How often atoms hold, by relation; those of an opponent do not count where there is none."""
    asked = ~WITH_OPPONENT | (truths.shape[1] > 1)
    return {relation: truths[:, :, asked & of_it].mean() for relation, of_it in OF_RELATION.items()}


@pytest.mark.parametrize(
    ("layout", "num_players", "count"),
    [
        pytest.param("crowded", 2, 40, marks=pytest.mark.slow),
        ("crowded", 2, 12),
        ("spread", 2, 12),
        pytest.param("generated", 2, 30, marks=pytest.mark.slow),
        ("crowded", 3, 8),
        ("crowded", 1, 8),
    ],
)
def test_atoms_are_those_of_the_reference(layout, num_players, count):
    truths = compare(0, count, num_players, layout)
    # Often true and often false; things in generated worlds lie far apart, and few are held.
    for relation, share in relation_shares(truths).items():
        assert (0.01 if layout == "generated" else 0.05) < share < 0.95, relation
    assert truths[:, :, WITH_OPPONENT].any() == (num_players > 1)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_atoms_are_those_of_the_reference_on_ten_thousand_states(part):
    num_players = (2, 2, 2, 2, 1, 2, 2, 2, 2, 3)[part % 10]
    truths = compare(100 + part, 500, num_players, LAYOUTS[part % len(LAYOUTS)])
    shares = truths.mean(axis=(0, 1))
    asked = ~WITH_OPPONENT | (num_players > 1)
    assert (shares[asked] > 0).all() and (shares < 1).all() and not shares[~asked].any()
    assert all(0.01 < share < 0.95 for share in relation_shares(truths).values())


@pytest.mark.parametrize(("num_players", "count"), [(1, 6), (2, 10), (3, 16)])
def test_an_atom_holds_where_one_of_what_it_resolves_to_does(num_players, count):
    """Games count predicate states by :mod:`procgen_bench.tasks.xland.games.resolution`; simulations agree with it."""
    states = random_states(np.random.default_rng([13, num_players]), count, num_players)
    facts, truths = reference_facts(states), evaluate_atoms(states)
    for player in range(num_players):
        places = RESOLUTION[num_players - 1, player]
        expected = (facts[:, places] & (places != NONE)).any(axis=-1)
        assert np.array_equal(truths[:, player], expected)
    # Co-players differ, or it would not matter which of them is asked.
    if num_players == 3:
        seen_by = facts[:, [PLAYER_ATOM_INDEX[Atom("see", f"player {n}", "player 1")] for n in (2, 3)]]
        assert (seen_by[:, 0] != seen_by[:, 1]).any()


def test_states_are_evaluated_apart():
    states = random_states(np.random.default_rng(3), 12, 2, num_worlds=5)
    together = evaluate_atoms(states)
    for s in range(len(states)):
        alone = States(states.scenes, *(array[s : s + 1].copy() for array in states.arrays))
        assert np.array_equal(evaluate_atoms(alone)[0], together[s])


def test_padding_changes_nothing():
    rng = np.random.default_rng(4)
    states = random_states(rng, 6, 2, num_worlds=1)
    large = random_world(rng, cast=[(0, 0)] * 15)
    # The first world again, beside one with more objects (and other tiles).
    wide = scene_arrays([large, *worlds_of(states)])
    assert wide.object_shapes.shape == (2, 15)
    moved = States.empty(wide, len(states), 2)
    moved.scene[:] = 1
    for name in ("object_positions", "object_rotations", "objects_present"):
        getattr(moved, name)[:, :12] = getattr(states, name)
    for name in ("player_positions", "player_yaws", "player_pitches", "players_present"):
        getattr(moved, name)[:] = getattr(states, name)
    moved.held[:, :, :12] = states.held
    moved.contacts[:, :12], moved.contacts[:, 15:] = states.contacts[:, :12], states.contacts[:, 12:]
    assert np.array_equal(evaluate_atoms(moved), evaluate_atoms(states))


def worlds_of(states: States) -> list:
    """The worlds of states again, as far as predicates read them."""
    scenes, worlds = states.scenes, []
    for m, (rows, columns) in enumerate(scenes.extents):
        cast = list(zip(scenes.object_shapes[m].tolist(), scenes.object_colours[m].tolist()))
        tiles = scenes.kinds[m, :rows, :columns], scenes.levels[m, :rows, :columns]
        worlds.append(world_of(*tiles, cast, scenes.object_sizes[m], scenes.tile_size[m]))
    return worlds


@pytest.mark.parametrize("num_players", [1, 2, 3])
def test_only_wanted_atoms_are_evaluated(num_players):
    rng = np.random.default_rng(5)
    states = random_states(rng, 40, num_players)
    everything = evaluate_atoms(states)
    for shape in ((1, num_players, 212), (40, num_players, 212)):
        wanted = rng.random(shape) < 0.1
        assert np.array_equal(evaluate_atoms(states, wanted=wanted), everything & wanted)
    assert not evaluate_atoms(states, wanted=np.zeros((1, num_players, 212), bool)).any()


def test_out_is_overwritten_and_returned():
    states = random_states(np.random.default_rng(6), 10, 2)
    out = np.ones((10, 2, 212), bool)
    assert evaluate_atoms(states, out) is out
    assert np.array_equal(out, evaluate_atoms(states)) and not out.all()


def test_what_is_gone_makes_every_atom_false_that_names_it():
    states = random_states(np.random.default_rng(7), 60, 2)
    states.objects_present[:], states.players_present[:] = True, True
    before = evaluate_atoms(states)
    cube = states.scenes.object_shapes[0].tolist().index(0)  # the black cube
    states.objects_present[:, cube] = False
    after = evaluate_atoms(states)
    of_cube = np.array(["black cube" in name for name in NAMES])
    assert before[:, :, of_cube].any() and not after[:, :, of_cube].any()
    # The others lose nothing, and see more where the cube stood between them.
    assert (after >= before)[:, :, ~of_cube].all() and (after > before)[:, :, ~of_cube].any()
    states.players_present[:, 0] = False
    for player, name in ((0, "me"), (1, "opponent")):
        of_player = np.array([name in atom for atom in NAMES])
        assert after[:, player, of_player].any() and not evaluate_atoms(states)[:, player, of_player].any()
        assert evaluate_atoms(states)[:, player].any()


@pytest.mark.parametrize("axis", range(3))
def test_a_place_that_is_not_a_number_harms_no_other_atoms(axis):
    states = random_states(np.random.default_rng(14), 60, 2)
    states.objects_present[:, 0] = True
    states.object_positions[:, 0, axis] = np.nan
    truths = evaluate_atoms(states)
    states.objects_present[:, 0] = False
    first = OBJECTS[3 * states.scenes.object_colours[0, 0] + states.scenes.object_shapes[0, 0]]
    others = np.array([first not in atom for atom in ATOMS])
    assert np.array_equal(truths[:, :, others], evaluate_atoms(states)[:, :, others])


def test_objects_that_are_not_in_the_world_make_every_atom_false():
    states = scene_of({"black cube": (0.5, (1, 1, 0.25))}, [((2, 1, 0.825), 0.0, 0.0), FAR_AWAY])
    states.held[:], states.contacts[:] = True, True
    assert not [name for name in names_that_hold(states) for thing in OBJECTS[1:] if thing in name]
    assert {"near(black cube,me)", "hold(me,black cube)", "on(black cube,blue floor)"} <= names_that_hold(states)


def test_one_of_several_alike_objects_is_enough():
    objects = {"black cube a": (0.5, (8, 8, 0.25)), "black cube b": (0.5, (1, 1, 0.25))}
    objects["purple sphere"] = (0.5, (1.8, 1, 0.25))
    states = scene_of(objects, [((1, 4, 0.825), 0.0, 0.0)])
    states.held[0, 0, 1] = True
    states.contacts[0, 0, 2] = True
    expected = {"near(black cube,purple sphere)", "hold(me,black cube)", "on(black cube,orange floor)"}
    assert expected <= names_that_hold(states)
    states.objects_present[0, 1] = False
    assert expected & names_that_hold(states) == {"on(black cube,orange floor)"}


def test_any_co_player_is_an_opponent():
    objects = {"yellow pyramid": (0.5, (8, 8, 0.125))}
    places = [(2, 2, 0.825), (2, 6, 0.825), (8, 7, 0.825)]
    states = scene_of(objects, [(place, np.pi / 2, -0.3) for place in places])
    states.held[0, 2, 0] = True
    states.contacts[0, 1 + 1, 4] = True
    common = {"see(yellow pyramid,opponent)"}
    first, second, third = (names_that_hold(states, p) for p in range(3))
    assert common | {"near(yellow pyramid,opponent)", "hold(opponent,yellow pyramid)"} <= first & second
    assert {"see(me,opponent)", "on(opponent,grey floor)", "see(opponent,yellow pyramid)"} <= first
    assert "see(opponent,me)" in second and "see(opponent,me)" not in first | third
    assert {"on(me,grey floor)"} <= second and "see(me,opponent)" not in second
    # Player 1 sees player 2: no atom of player 3 speaks of that.
    assert {"near(yellow pyramid,me)", "hold(me,yellow pyramid)", "see(me,yellow pyramid)"} <= third
    assert "see(me,opponent)" not in third and "hold(opponent,yellow pyramid)" not in third


def test_errors_name_what_is_wrong():
    states = random_states(np.random.default_rng(8), 4, 2)
    with pytest.raises(InvalidTaskError, match=r"out's shape is \(4, 2, 211\), expected \(4, 2, 212\)"):
        evaluate_atoms(states, np.empty((4, 2, 211), bool))
    with pytest.raises(InvalidTaskError, match="wanted's type is 'int8', expected an array of bool"):
        evaluate_atoms(states, wanted=np.ones((1, 2, 212), np.int8))
    with pytest.raises(InvalidTaskError, match="player_yaws's type is 'float32'"):
        replace(states, player_yaws=states.player_yaws.astype(np.float32))
    with pytest.raises(InvalidTaskError, match="held's shape"):
        replace(states, held=states.held[:, :1].copy())
    with pytest.raises(InvalidTaskError, match="contacts's strides"):
        replace(states, contacts=np.asfortranarray(states.contacts))
    states.scene[2] = 9
    with pytest.raises(InvalidTaskError, match=r"scene\[2\] is 9, expected 0 to 3"):
        evaluate_atoms(states)
    with pytest.raises(InvalidTaskError, match=r"scene\[2\] is 9, expected 0 to 3"):
        states.validate()
    states.scene[2] = 0
    states.object_rotations[1, 3] *= 2
    with pytest.raises(InvalidTaskError, match=r"object_rotations\[1, 3\].*a quaternion of length 1"):
        states.validate()
    states.player_pitches[0, 1] = np.nan
    with pytest.raises(InvalidTaskError, match=r"player_pitches\[0, 1\] is nan"):
        states.validate()
    world = random_world(np.random.default_rng(9))
    with pytest.raises(InvalidTaskError, match=r"worlds\[1\].levels\[0, 0\] is 6, expected 0 to 5"):
        scene_arrays([world, replace(world, levels=np.full(world.shape, 6, np.int8))])
    with pytest.raises(InvalidTaskError, match=r"worlds\[0\].tile_size\[2\] is 0.0, expected above 0"):
        scene_arrays([replace(world, tile_size=np.array([1.0, 1.0, 0.0]))])
    large = replace(world, kinds=np.zeros((5, 16), np.int8), levels=np.zeros((5, 16), np.int8))
    with pytest.raises(InvalidTaskError, match=r"worlds\[1\]'s shape is \(5, 16\), expected 1 to 15 rows and columns"):
        scene_arrays([world, large])
    with pytest.raises(InvalidTaskError, match="number of worlds is 0"):
        scene_arrays([])
    with pytest.raises(InvalidTaskError, match="number of players is 4, expected 1 to 3"):
        States.empty(states.scenes, 1, 4)
