"""Views for people: a map of the world as it is, the world from outside, a player from behind.

Frames for people: their parts are where they belong, and words say what is the case.
"""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.engine.recording import write_clip
from procgen_bench.envs.xland.colours import FLOOR_COLOURS, OBJECT_COLOURS
from procgen_bench.envs.xland.frames import FIRST_PERSON, MAP, VIEW_SHAPE, VIEWS, caption, draw_frame, draw_view
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.views import draw_map, draw_third_person, fitting_map_height
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from tests.cli.test_render import gif_frames
from tests.engine.recorded import record_episode
from tests.envs.xland.overview import draw_overview
from tests.envs.xland.scenes import FLAT, FORWARD, GRAB, USE, act, look_at, player, simulate
from tests.envs.xland.stages import ROOM, begin, stage


def bare(states):
    """The state without objects and players."""
    states.objects_present[:], states.players_present[:] = False, False
    return states


def test_a_map_shows_the_tiles_colours():
    rng = np.random.default_rng(0)
    for rows, columns in [(5, 12), (12, 5), (9, 9)]:
        world = generate_world(rng, columns, rows, players=2)
        scene = scenery([world])
        picture = draw_map(bare(begin([world])), scene, height=300).astype(int)
        left, right, top, bottom = frame(picture)
        width, height = (right - left) / columns, (bottom - top) / rows
        assert abs(width / height - world.tile_size[0] / world.tile_size[1]) < 0.05
        floors = np.array([FLOOR_COLOURS[name] for name in FLOORS])
        for row, column in np.ndindex(rows, columns):
            kind = world.kinds[row, column]
            facing = kind if kind <= TileKind.RAMP_WEST else 0
            expected = np.minimum(floors[world.floors[row, column]] * scene.shades[0, facing], 255)
            for u, v in ((0.3, 0.4), (0.6, 0.3)):  # off the lines, and off diagonals' cuts
                pixel = picture[int(bottom - (row + v) * height), int(left + (column + u) * width)]
                assert abs(pixel - expected).max() <= 1


def frame(picture) -> tuple[int, int, int, int]:
    """The first column and row of the world on a map, and those after the last."""
    backdrop = picture[0, 0]
    world = (abs(picture - backdrop) > 6).any(axis=-1)
    columns, rows = np.flatnonzero(world.any(axis=0)), np.flatnonzero(world.any(axis=1))
    return columns[0], columns[-1] + 1, rows[0], rows[-1] + 1


def test_a_map_shows_things_where_they_are():
    rng = np.random.default_rng(1)
    world = generate_world(rng, 8, 6, players=3)
    states, scene = begin([world]), scenery([world])
    picture = draw_map(states, scene, height=600).astype(int)
    left, right, top, bottom = frame(picture)
    for k, (x, y) in enumerate(world.object_positions):
        pixel = picture[int(bottom - y / 6 * (bottom - top)), int(left + x / 8 * (right - left))]
        own = np.array(OBJECT_COLOURS[COLOURS[world.object_colours[k]]])
        # Its hue: the brightness depends on the light and on how its upper face lies.
        assert np.linalg.norm(pixel / np.linalg.norm(pixel) - own / np.linalg.norm(own)) < 0.2
    empty = draw_map(bare(begin([world])), scene, height=600)
    for x, y in world.player_positions:
        row, column = int(bottom - y / 6 * (bottom - top)), int(left + x / 8 * (right - left))
        assert (picture[row, column] != empty[row, column]).any()


def test_views_have_the_sizes_asked_for():
    states, scene = stage(ROOM + "red player at 3.5 3.5")
    assert draw_map(states, scene, height=200).shape == (200, 200, 3)
    for draw in (draw_overview, draw_third_person):
        picture = draw(states, scene, shape=(90, 160))
        assert picture.shape == (90, 160, 3) and picture.dtype == np.uint8
        assert np.array_equal(picture, draw(states, scene, shape=(90, 160)))


def test_an_overview_has_the_whole_world_in_it():
    rng = np.random.default_rng(2)
    for columns, rows in [(5, 13), (13, 5), (8, 8)]:
        world = generate_world(rng, columns, rows, players=2)
        states, scene = begin([world]), scenery([world])
        picture = draw_overview(states, scene, shape=(120, 160)).astype(int)
        border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
        assert (border.min(axis=-1) > 205).all()  # the backdrop all around
        inner = picture.std(axis=-1) > 12
        assert inner.mean() > 0.02
        tints = np.zeros((1, 14, 4), np.uint8)
        tints[..., 3], tints[..., 0] = 255, 255
        assert (draw_overview(states, scene, shape=(120, 160), tints=tints) != picture).any()


def test_third_person_shows_the_player_from_behind():
    text = ROOM + "floors 0 white\nred player at 3.5 3.5\ngreen player at 5.5 3.5"
    states, scene = stage(text)
    for yaw in (0.0, 2.0):
        states.player_yaws[0, 0] = yaw
        picture = draw_third_person(states, scene, shape=(120, 160)).astype(int)
        red = picture[..., 0] - picture[..., 1:].max(axis=-1) > 60
        rows, columns = np.nonzero(red)
        assert 0.01 < red.mean() < 0.2
        assert abs(columns.mean() - 79.5) < 1
        assert rows.min() > 0 and rows.max() < 119  # all of it
        green = picture[..., 1] - picture[..., [0, 2]].max(axis=-1) > 40
        assert green.any() == (yaw == 0.0)
    other = draw_third_person(states, scene, player=1, shape=(120, 160)).astype(int)
    assert (other[..., 1] - other[..., [0, 2]].max(axis=-1) > 40).mean() > 0.01
    with pytest.raises(InvalidTaskError, match="player"):
        draw_third_person(states, scene, player=2)


def test_the_camera_behind_a_player_comes_closer_before_a_ledge():
    cliff = "5. 5. 5. 0. 0. 0. 0.\n" * 7 + "floors 0 white 5 blue\nred player at 3.2 3.5"
    covers = []
    for yaw in (np.pi, 0.0):  # with the cliff ahead, and behind
        states, scene = stage(cliff)
        states.player_yaws[:] = yaw
        picture = draw_third_person(states, scene, shape=(120, 160)).astype(int)
        covers.append((picture[..., 0] - picture[..., 1:].max(axis=-1) > 60).mean())
    ahead, behind = covers
    assert behind > 2 * ahead > 0.01


def test_states_are_chosen_by_number():
    rng = np.random.default_rng(4)
    worlds = [generate_world(rng, 5 + m, 6, players=2) for m in range(2)]
    states, scene = begin(worlds), scenery(worlds)
    for s, world in enumerate(worlds):
        one, of_one = begin([world]), scenery([world])
        assert np.array_equal(draw_map(states, scene, s, height=90), draw_map(one, of_one, height=90))
        for draw in (draw_overview, draw_third_person):
            assert np.array_equal(draw(states, scene, s, shape=(60, 80)), draw(one, of_one, shape=(60, 80)))


def test_the_largest_map_that_fits():
    rng = np.random.default_rng(5)
    for columns, rows in [(5, 13), (13, 5), (8, 8)]:
        world = generate_world(rng, columns, rows, players=1)
        states, scene = begin([world]), scenery([world])
        for shape in [(100, 100), (60, 130), (130, 60)]:
            height = fitting_map_height(states, scene, 0, shape)
            picture = draw_map(states, scene, height=height, oversampling=1)
            assert picture.shape[0] <= shape[0] and picture.shape[1] <= shape[1]
            assert picture.shape[0] == shape[0] or picture.shape[1] > shape[1] - 4


def test_fewer_rays_show_the_same_but_for_edges():
    world = generate_world(np.random.default_rng(6), 7, 7, players=2)
    states, scene = begin([world]), scenery([world])
    fine, coarse = (draw_overview(states, scene, shape=(120, 160), oversampling=rays).astype(int) for rays in (2, 1))
    changed = (abs(fine - coarse) > 8).any(axis=-1).mean()
    assert 0 < changed < 0.1


CUBE = "purple cube 0.8 m at 2.5 3.5 facing 0"


def carrying():
    """Two players; the first looks at a cube near it."""
    simulation = simulate(
        FLAT, CUBE, player("red", 2.5, 2.5, gadget="tag"), player("blue", 5.5, 5.5), game="hold(me,purple cube)\n" * 2
    )
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    return simulation


def test_the_caption_follows_the_state():
    simulation = carrying()
    assert caption(simulation) == (
        "player 1 (red): hold(me,purple cube)",
        "player 2 (blue): hold(me,purple cube)",
        "reward 0   holds nothing   tag: ready   step 0",
    )
    act(simulation, 3, GRAB)
    assert caption(simulation)[-1] == "reward 1   holds purple cube   tag: ready   step 3"
    act(simulation, 1, USE)
    assert caption(simulation)[-1].startswith("reward 0   holds nothing   tag: ready in ")
    assert caption(simulation, 2)[2:] == (
        f"player 1 (red): {caption(simulation)[-1].removesuffix('   step 4')}",
        "player 2 (blue): reward 0   holds nothing   freeze: ready   step 4",
    )
    look_at(simulation, 1, simulation.states.player_positions[0, 0])
    look_at(simulation, 0, simulation.states.player_positions[0, 1])
    act(simulation, 10)
    act(simulation, 1, USE)
    assert "player 2 (blue): reward 0   is gone   freeze: ready" in caption(simulation, 2)[-1]


def test_a_frame_has_views_a_map_and_words():
    simulation = carrying()
    for count in (1, 2):
        frame = draw_frame(simulation, count)
        assert frame.shape == (400, 384 * count + 288, 3) and frame.dtype == np.uint8
        np.testing.assert_array_equal(frame[:288, :384], draw_view(simulation, FIRST_PERSON, VIEW_SHAPE))
        np.testing.assert_array_equal(frame[:288, 384 * count :], draw_view(simulation, MAP, (288, 288)))
        assert (frame[288:].max(axis=-1) > 200).mean() > 0.005  # bright letters
    before = draw_frame(simulation)
    act(simulation, 1, FORWARD)
    assert (draw_frame(simulation)[288:] != before[288:]).any()


def test_frames_of_all_games_have_one_size():
    """However long the goals: they are written smaller, and in the end cut; how it goes is always there."""
    atoms = ("hold(me,purple cube)", "near(me,purple cube)", "see(me,purple cube)", "on(me,brown floor)")
    signs = [(a, b, c, d) for a in ("", "~") for b in ("", "~") for c in ("", "~") for d in ("", "~")]
    endings = []
    for options in (1, 2, 6):
        goal = " | ".join(" & ".join(map("".join, zip(sign, atoms))) for sign in signs[:options])
        names = ("red", "blue", "green")
        players = [player(colour, 1.5 + 2 * p, 2.5) for p, colour in enumerate(names)]
        simulation = simulate(FLAT, CUBE, *players, game=f"{goal}\n" * 3)
        before = draw_frame(simulation)
        assert before.shape == (400, 672, 3)
        act(simulation, 1)
        (rows,) = np.nonzero((draw_frame(simulation)[288:] != before[288:]).any(axis=(1, 2)))  # 900 becomes 899
        endings.append(rows.max())
    assert endings[0] < endings[1] < 112 and endings[2] < 112


def test_an_unknown_view_is_refused():
    with pytest.raises(ValueError, match="view is 'sideways'"):
        draw_view(carrying(), "sideways", VIEW_SHAPE)
    assert len(VIEWS) == 3


def test_clips_of_episodes(tmp_path):
    actions = np.random.default_rng(0).integers(0, (3, 5, 7, 5, 2, 2), (8, 6))
    frames = record_episode("XLand-v0", "hand_authored/capture_the_cube", 0, actions)
    assert len(frames) == 9
    for name in ("clip.gif", "clip.mp4"):
        write_clip(frames, tmp_path / name, 7.5)
    shown = gif_frames(tmp_path / "clip.gif")
    assert len(shown) == 9
    assert np.abs(np.array(shown).astype(int) - frames).mean() < 4
    assert (tmp_path / "clip.mp4").stat().st_size > 1_000
