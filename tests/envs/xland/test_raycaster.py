"""Pictures of staged scenes, pixel by pixel."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.colours import FLOOR_COLOURS
from procgen_bench.envs.xland.raycaster import camera_at, draw_cameras, draw_players
from procgen_bench.envs.xland.rays.faces import WALL_HEIGHT
from procgen_bench.envs.xland.rays.painting import VISOR_COLOUR
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.tasks.xland import generate_world
from procgen_bench.tasks.xland.predicates.states import States
from tests.envs.xland.stages import EYE, ROOM, begin, body_masks, directions, slopes, stage

PLAYER = "\nblue player at 0.5 3.5"
RIGHT, UP = slopes()


def test_a_sphere_covers_its_disc():
    for centre, pitch in [((6.0, 7.0, 1.5), 0.0), ((4.0, 8.3, 0.4), -0.4), ((3.0, 6.0, 2.2), 0.2)]:
        states, scene = stage(ROOM + PLAYER + "\npurple sphere 0.9 m at 3 3")
        states.object_positions[0, 0], states.player_pitches[0, 0] = centre, pitch
        rays, to_centre = directions(0.0, pitch), np.array(centre) - EYE
        distance = np.linalg.norm(to_centre)
        cosines = rays @ to_centre / (np.linalg.norm(rays, axis=-1) * distance)
        disc = cosines >= np.sqrt(1 - (0.45 / distance) ** 2)
        assert disc.sum() > 50
        assert np.array_equal(body_masks(states, scene)[0, 0], disc)


@pytest.mark.parametrize(("size", "depth"), [(1.0, 4.0), (0.6, 2.5), (2.0, 9.0)])
def test_a_cube_covers_the_rows_and_columns_of_its_projection(size, depth):
    states, scene = stage(ROOM + PLAYER + f"\nyellow cube {size} m at 3 3.5")
    states.object_positions[0, 0] = EYE + np.array([depth + size / 2, 0.0, 0.0])  # only its front is seen
    columns, rows = abs(RIGHT) <= size / 2 / depth, abs(UP) <= size / 2 / depth
    assert columns.sum() == rows.sum() > 5
    assert np.array_equal(body_masks(states, scene)[0, 0], rows[:, np.newaxis] & columns)


def test_a_pyramid_on_its_base_is_a_triangle():
    states, scene = stage(ROOM + PLAYER + "\npurple pyramid 0.3 m at 3 3.5")
    # Turned by an eighth, an edge towards the eye: its outline is a triangle of its diagonal and its apex.
    states.object_positions[0, 0] = EYE + np.array([12.0, 0.0, 0.0])
    states.object_rotations[0, 0] = np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)
    camera = np.array([camera_at(tuple(EYE), 0.0, 0.0)]).reshape(1, 1)
    assert camera["forward"][0, 0].tolist() == [1.0, 0.0, 0.0]
    with_it, without = (np.empty((1, 1, 120, 120, 3), np.uint8) for _ in range(2))
    angle = np.radians(3.0)
    draw_cameras(states, scene, camera, with_it, angle)
    states.objects_present[:] = False
    draw_cameras(states, scene, camera, without, angle)
    mask = (with_it != without).any(axis=-1)[0, 0]
    metres = (np.arange(120) - 59.5) * 2 * np.tan(angle / 2) / 120 * 12.0
    height = (-metres + 0.3 / 4)[:, np.newaxis]  # above the base
    half = 0.3 * np.sqrt(0.5) * (1 - height / 0.3)
    # The corners to either side lie at the depth of the axis; the base's near corner is nearer, so a little lower.
    certain = (height > 0) & (abs(metres) < half - 0.006)
    possible = (height > -0.006) & (abs(metres) < half + 0.006)
    assert certain.sum() > 1000
    assert mask[certain].all()
    assert not mask[~possible].any()


def test_a_slab_lies_flat():
    states, scene = stage(ROOM + PLAYER + "\nyellow slab 1.6 m at 3 3.5")
    states.object_positions[0, 0] = EYE + np.array([4.0, 0.0, 0.0])
    front = 4.0 - 0.8
    columns, rows = abs(RIGHT) <= 0.4 / front, abs(UP) <= 0.1 / front
    assert np.array_equal(body_masks(states, scene)[0, 0], rows[:, np.newaxis] & columns)
    states.object_rotations[0, 0] = np.cos(np.pi / 4), 0.0, 0.0, np.sin(np.pi / 4)
    front = 4.0 - 0.4
    columns, rows = abs(RIGHT) <= 0.8 / front, abs(UP) <= 0.1 / front
    assert np.array_equal(body_masks(states, scene)[0, 0], rows[:, np.newaxis] & columns)


def test_a_player_is_an_upright_capsule():
    states, scene = stage(ROOM + PLAYER + "\nred player at 3.5 3.5")
    distance = 6.0
    mask = body_masks(states, scene)[1, 0]
    rays = directions(0.0, 0.0)
    # Its outline is that of points at most a radius from its axis, seen from the eye.
    heights = np.linspace(0.3, 1.35, 400) - EYE[2]
    inside = np.zeros(mask.shape, bool)
    for height in heights:
        centre = np.array([distance, 0.0, height])
        cosines = rays @ centre / np.linalg.norm(rays, axis=-1) / np.linalg.norm(centre)
        inside |= cosines >= np.sqrt(1 - (0.3 / np.linalg.norm(centre)) ** 2)
    assert inside.sum() > 50
    assert np.array_equal(mask, inside)


def test_a_ramp_has_its_horizon_where_its_top_is():
    ramp = "0. 0. 0. 0> 1. 1. 1.\n" * 7 + "floors 0 orange 1 blue"
    states, scene = stage(ramp + "\ntiles 2.0 2.0 m, levels 2.0 m" + PLAYER)
    picture = draw_players(states, scene)[0, 0].astype(int)
    # The ramp rises from 5 to 7 m ahead of the eye to half a metre above it, and hides the blue floor on top.
    middle = picture[:, 48]
    orange = middle[:, 0] > middle[:, 2] + 50
    assert np.array_equal(orange, UP <= 0.5 / 7.0)
    # It begins where its foot is: it is a slope, so it is lit otherwise.
    on_slope = UP > -1.5 / 5.0
    shades = [scene.shades[0, kind] * FLOOR_COLOURS["orange"] for kind in (2, 0)]
    expected = np.where(on_slope[:, np.newaxis], *shades)
    close = abs(middle - np.minimum(np.rint(expected), 255)).max(axis=-1) <= 1
    assert close[orange].mean() > 0.7  # the others lie on lines
    assert not (picture[..., 2] > picture[..., 0] + 50)[UP <= 0.5 / 7.0].any()


def test_walls_end_where_they_do():
    states, scene = stage(ROOM + "floors 0 orange" + PLAYER)
    picture = draw_players(states, scene)[0, 0].astype(int)
    middle = picture[:, 48]
    wall = (abs(middle[:, 0] - middle[:, 2]) < 40) & (UP > -1.5 / 13.0)
    assert np.array_equal(wall, (UP > -1.5 / 13.0) & (UP < (WALL_HEIGHT - 1.5) / 13.0))
    assert (middle[UP >= (WALL_HEIGHT - 1.5) / 13.0, 2] > 220).all()


@pytest.mark.parametrize("shape", ["cube", "sphere", "pyramid", "slab"])
def test_a_ledge_hides_what_is_behind_it(shape):
    ledge = "0. 0. 0. 3. 0. 0. 0.\n" * 7
    for place, seen in [("2.5 3.5", True), ("4.5 3.5", False)]:
        states, scene = stage(ledge + PLAYER + f"\npurple {shape} 0.8 m at {place}")
        assert body_masks(states, scene)[0, 0].any() == seen


def test_bodies_hide_each_other():
    states, scene = stage(
        ROOM + PLAYER + "\nyellow cube 0.8 m at 2.0 3.5\nblack cube 0.8 m at 4.0 3.5\ngreen player at 5.0 4.4"
    )
    front, back, _, player = body_masks(states, scene)[:, 0]
    assert front.any() and player.any()
    assert not (front & back).any() and not (back & player).any()
    states.objects_present[0, 0] = False
    _, alone, _, _ = body_masks(states, scene)[:, 0]
    assert (alone | back).sum() > back.sum()
    assert (alone & front).any()


def test_diagonals_are_cut_from_corner_to_corner():
    text = ROOM.replace("0. 0. 0. 0. 0. 0. 0.", "0. 0. 0. 0◢ 0. 0. 0.") + "floors 0 white" + PLAYER
    states, scene = stage(text + "\ntiles 2.0 2.0 m, levels 4.0 m")
    picture = draw_players(states, scene)[0, 0].astype(int)
    assert len(np.unique(picture[36], axis=0)) >= 2
    # The cut runs from the tile's south-western to its north-eastern corner: straight ahead it is met in its middle,
    # 6 m from the eye, and its light is its own.
    cut = np.rint(np.minimum(scene.shades[0, 6] * FLOOR_COLOURS["white"], 255))
    foot = UP > -1.5 / 6.0
    column = picture[:, 48]
    assert (abs(column[foot & (UP < 0.3)] - cut).max(axis=-1) <= 1).mean() > 0.8
    assert not (abs(column[~foot] - cut).max(axis=-1) <= 1).any()


def test_only_the_sky_is_above():
    states, scene = stage(ROOM + PLAYER + "\nyellow cube 0.8 m at 1 3.5\nred player at 2 3.5")
    states.player_positions[0, 0, :2], states.player_positions[0, 1, :2] = (7.0, 7.0), (7.0, 9.0)
    states.player_pitches[:] = np.pi / 2
    assert not body_masks(states, scene)[:, 0].any()
    picture = draw_players(states, scene)[0, 0].astype(int)
    assert (picture[..., 2] > 220).all() and (picture[..., 0] < picture[..., 2] - 40).all()


def test_who_is_gone_is_not_drawn_and_sees_nothing():
    states, scene = stage(ROOM + PLAYER + "\nred player at 3.5 3.5\nblack cube at 2.5 4.5")
    full = draw_players(states, scene)
    empty, empty_scene = stage(ROOM + PLAYER)
    states.players_present[0, 1], states.objects_present[0, 0] = False, False
    gone = draw_players(states, scene)
    assert (full[0, 0] != gone[0, 0]).any()
    assert np.array_equal(gone[0, 0], draw_players(empty, empty_scene)[0, 0])
    assert not gone[0, 1].any()


def test_nobody_sees_its_own_body():
    states, scene = stage(ROOM + PLAYER + "\nred player at 0.5 3.5")
    for pitch in (-np.pi / 2, -0.7, 0.0, 1.0):
        states.player_pitches[:] = pitch
        for player in range(2):
            states.players_present[0] = [player == 0, player == 1]
            assert not body_masks(states, scene)[-2:, player].any()


def test_players_look_with_their_visors():
    states, scene = stage(ROOM + PLAYER + "\ngreen player at 1.5 3.5")
    visor = []
    for yaw in (np.pi, 0.0, np.pi / 2):
        states.player_yaws[0, 1] = yaw
        picture = draw_players(states, scene)[0, 0].astype(int)
        shown = body_masks(states, scene)[-1, 0]
        everywhere = picture[shown]
        visor.append((everywhere.max(axis=-1) < 2 * max(VISOR_COLOUR)) & (np.ptp(everywhere, axis=-1) < 20))
    towards, away, aside = (found.sum() for found in visor)
    assert towards > aside > away == 0


def test_tints_mark_things():
    states, scene = stage(ROOM + PLAYER + "\nblack cube at 2.5 3.5\nred player at 3.5 4.2")
    tints = np.zeros((1, 3, 4), np.uint8)
    plain = draw_players(states, scene)
    assert np.array_equal(plain, draw_players(states, scene, tints=tints))
    tints[0, 0], tints[0, 2] = (0, 255, 255, 255), (255, 255, 0, 128)
    marked = draw_players(states, scene, tints=tints)[0, 0].astype(int)
    cube, _, player = body_masks(states, scene)[:, 0]
    assert (marked[cube][:, 0] == 0).all() and (marked[cube][:, 1:] > 100).all()
    assert (marked[player] >= plain[0, 0][player])[:, :2].all()
    assert np.array_equal(marked[~cube & ~player], plain[0, 0][~cube & ~player])


def test_bodies_cast_soft_shadows_below_them():
    """Darkest below the middle, lighter as the body rises; only the ground changes, and only near."""
    states, scene = stage(ROOM + PLAYER + "\npurple sphere 0.8 m at 3 3.5")
    bright = draw_players(states, scene._replace(shadow_darkness=0.0))[0, 0].astype(int)
    below = []
    for height in (0.4, 1.2, 2.4):
        states.object_positions[0, 0, 2] = height
        dark = draw_players(states, scene)[0, 0].astype(int)
        bright = draw_players(states, scene._replace(shadow_darkness=0.0))[0, 0].astype(int)
        changed, sphere = (dark != bright).any(axis=-1), body_masks(states, scene)[0, 0]
        assert (dark <= bright).all() and not changed[sphere].any() and changed.sum() > 10
        foot = np.abs(np.argwhere(changed) - (35.5 + 1.5 / 5 / (RIGHT[1] - RIGHT[0]), 47.5)).max(axis=0)
        assert (foot < 14).all()
        below.append((bright - dark).max())
    assert below[1] > below[2] > 0 and below[1] > 10


def test_a_beam_leads_from_the_hand_to_what_is_held():
    states, scene = stage(
        ROOM + PLAYER + "\npurple cube 0.6 m at 2.5 3.5\ngreen player at 2.0 1.0\nblack cube at 2.0 2.0"
    )
    states.object_positions[0, 0, 2] = 1.5
    states.player_yaws[0, 1] = np.pi / 2
    free = draw_players(states, scene)[0].astype(int)
    states.held[0, 0, 0] = True
    held = draw_players(states, scene)[0].astype(int)
    for changed in (held != free).any(axis=-1):
        assert 10 < changed.sum() < 120  # a thin line, for people who watch
        assert (held[0] != free[0]).any(axis=-1)[40:, 48:].sum() > 10  # from the lower right
    states.objects_present[0, 0] = False
    states.held[0, 0, 0] = False
    gone = draw_players(states, scene)[0]
    states.held[0, 0, 0] = True
    assert np.array_equal(draw_players(states, scene)[0], gone)


def test_the_light_counts():
    pictures = [
        draw_players(*stage(ROOM + PLAYER + "\nfloors 0 grey\nyellow cube at 2.5 3.5\n" + light))[0, 0].astype(int)
        for light in (
            "light from 0.8 0.9 strength 1.0 hue 0.0",
            "light from 0.8 0.9 strength 0.2 hue 0.0",
            "light from 0.8 0.9 strength 1.0 hue 0.66",
            "light from 3.9 0.9 strength 1.0 hue 0.0",
        )
    ]
    floor = [picture[-1, 10] for picture in pictures]
    assert (floor[0] > floor[1]).all()
    assert floor[0][0] - floor[0][2] > floor[2][0] - floor[2][2]
    assert np.array_equal(floor[0], floor[3])
    assert (pictures[0] != pictures[3]).any()


def test_the_same_states_give_the_same_bytes():
    rng = np.random.default_rng(3)
    worlds = [generate_world(rng, 6 + m, 9 - m, players=2) for m in range(3)]
    states, scene = begin(worlds), scenery(worlds)
    before = {name: array.copy() for name, array in states.arrays._asdict().items()}
    first = draw_players(states, scene)
    assert np.array_equal(first, draw_players(states, scene, np.full(first.shape, 7, np.uint8)))
    assert all(np.array_equal(before[name], array) for name, array in states.arrays._asdict().items())
    for s, world in enumerate(worlds):  # nor does a picture depend on its neighbours, or on other worlds' sizes
        assert np.array_equal(draw_players(begin([world]), scenery([world]))[0], first[s])


def test_the_first_players_alone_can_be_drawn():
    world = generate_world(np.random.default_rng(5), 6, 6, players=3)
    states, scene = begin([world]), scenery([world])
    every = draw_players(states, scene)
    for count in (1, 2):
        first = draw_players(states, scene, np.empty((1, count, 72, 96, 3), np.uint8))
        assert np.array_equal(first, every[:, :count])


def test_places_that_are_no_numbers_end():
    """A simulation that has burst is drawn somehow, and nothing is written elsewhere."""
    states, scene = stage(ROOM + PLAYER + "\nyellow cube at 2.5 3.5\nred player at 3.5 3.5")
    whole = draw_players(states, scene)
    frame = np.full((3, 2, 72, 96, 3), 9, np.uint8)
    for number in (np.nan, np.inf, -np.inf, 1e300):
        burst, _ = stage(ROOM + PLAYER + "\nyellow cube at 2.5 3.5\nred player at 3.5 3.5")
        burst.object_positions[:], burst.object_rotations[:], burst.player_positions[0, 1] = number, number, number
        draw_players(burst, scene, frame[1:2])
        assert (frame[[0, 2]] == 9).all()
        burst.objects_present[:], burst.players_present[0, 1] = True, False
        states.objects_present[:], states.players_present[0, 1] = False, False
        assert np.array_equal(draw_players(burst, scene)[0, 0], draw_players(states, scene)[0, 0])
    assert (draw_players(states, scene)[0, 0] != whole[0, 0]).any()


def test_free_cameras_see_what_players_see():
    states, scene = stage(ROOM + PLAYER + "\nblack cube at 2.5 3.0")
    states.player_yaws[:], states.player_pitches[:] = 0.3, -0.2
    seen = draw_players(states, scene)
    camera = np.array([camera_at(tuple(EYE), 0.3, -0.2)]).reshape(1, 1)
    states.players_present[:] = False
    eye = states.player_positions[0, 0] + (0, 0, 1.5 - 1.65 / 2)
    assert np.allclose(eye, EYE)
    free = draw_cameras(states, scene, camera, np.empty_like(seen))
    assert (free == seen).mean() > 0.999


def test_misfits_are_errors():
    states, scene = stage(ROOM + PLAYER)
    with pytest.raises(InvalidTaskError, match="pictures's type"):
        draw_players(states, scene, np.zeros((1, 1, 72, 96, 3)))
    with pytest.raises(InvalidTaskError, match="pictures's shape"):
        draw_players(states, scene, np.zeros((1, 2, 72, 96, 3), np.uint8))
    with pytest.raises(InvalidTaskError, match="tints's shape"):
        draw_players(states, scene, tints=np.zeros((1, 3, 4), np.uint8))
    with pytest.raises(InvalidTaskError, match="number of worlds of the scenery"):
        draw_players(states, scenery([generate_world(np.random.default_rng(0))] * 2))
    with pytest.raises(InvalidTaskError, match="number of worlds"):
        scenery([])
    cameras = np.array([camera_at((1.0, 1.0, 1.0), 0.0, 0.0)]).reshape(1, 1)
    with pytest.raises(InvalidTaskError, match="field_of_view"):
        draw_cameras(states, scene, cameras, np.zeros((1, 1, 4, 4, 3), np.uint8), np.pi)
    with pytest.raises(InvalidTaskError, match="cameras's"):
        draw_cameras(states, scene, cameras[0], np.zeros((1, 1, 4, 4, 3), np.uint8))
    beyond = States.empty(states.scenes, 1, 1)
    beyond.scene[0] = 1
    with pytest.raises(InvalidTaskError, match=r"scene\[0\]"):
        draw_players(beyond, scene)
