"""Frames for people: their parts are where they belong, and words say what is the case."""

import numpy as np
import pytest

from procgen_bench.engine.recording import write_clip
from procgen_bench.envs.xland.frames import FIRST_PERSON, MAP, VIEW_SHAPE, VIEWS, caption, draw_frame, draw_view
from tests.cli.test_render import gif_frames
from tests.engine.recorded import record_episode
from tests.envs.xland.scenes import FLAT, FORWARD, GRAB, USE, act, look_at, player, simulate

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
