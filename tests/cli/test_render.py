import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence

from procgen_bench.cli.render import _played_again
from procgen_bench.core.errors import InvalidActionError, InvalidOptionError, ResetNeededError, UnwritablePathError
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.recording import write_clip
from procgen_bench.leaderboards.submission.folder import read_submission
from tests.engine.recorded import record_episode

TASK_SPACE = environment_type("GridWorld-v0").task_space


def gif_frames(path: Path) -> list[np.ndarray]:
    with Image.open(path) as clip:
        return [np.array(frame.convert("RGB")) for frame in ImageSequence.Iterator(clip)]


def mp4_frames(path: Path) -> np.ndarray:
    """Every frame as ffmpeg decodes it: uint8 (frames, 320, 320, 3)."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    decoded = subprocess.run(command, capture_output=True, check=True, timeout=120).stdout
    return np.frombuffer(decoded, np.uint8).reshape(-1, 320, 320, 3)


@pytest.fixture(scope="module")
def solved() -> list[np.ndarray]:
    task = TASK_SPACE.resolve("targets/B")
    return record_episode("GridWorld-v0", task, 0, TASK_SPACE.solve(task))


def test_an_episode_has_a_frame_of_its_start_and_one_of_every_step(solved):
    assert len(solved) == 36 + 1
    assert all(frame.shape == (320, 320, 3) and frame.dtype == np.uint8 for frame in solved)
    by_name = record_episode("GridWorld-v0", "targets/B", 0, TASK_SPACE.solve(TASK_SPACE.resolve("targets/B")))
    np.testing.assert_array_equal(solved, by_name)


def test_an_episode_without_a_task_is_drawn_from_its_seed():
    first, again, other = (record_episode("GridWorld-v0", None, seed, [])[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_actions_that_cannot_be_played_are_refused():
    with pytest.raises(InvalidActionError, match="action is 4"):
        record_episode("GridWorld-v0", "targets/A", 0, [4])
    with pytest.raises(ResetNeededError):
        record_episode("GridWorld-v0", "targets/C", 0, [*[1] * 7, 0, 0])  # the eighth step enters lava


def test_a_gif_keeps_every_frame_exactly(solved, tmp_path):
    write_clip(solved, tmp_path / "clip.gif", 8)
    np.testing.assert_array_equal(gif_frames(tmp_path / "clip.gif"), solved)
    with Image.open(tmp_path / "clip.gif") as clip:
        assert clip.info["loop"] == 0
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(clip)]
    assert set(durations[:-1]) == {120}  # GIF counts in hundredths of a second: 125 ms is cut
    assert durations[-1] == 1000


def test_small_things_keep_their_colours_in_a_gif_of_many(tmp_path):
    frames = np.random.default_rng(0).integers(100, 130, (3, 200, 200, 3)).astype(np.uint8)
    for step, frame in enumerate(frames):
        frame[100:103, 10 * step : 10 * step + 3] = (220, 30, 30)
    write_clip(frames, tmp_path / "clip.gif", 8)
    errors = np.abs(np.array(gif_frames(tmp_path / "clip.gif")).astype(int) - frames)
    assert errors[(frames == (220, 30, 30)).all(axis=-1)].max() <= 8
    assert errors.mean() < 4


@pytest.mark.slow
def test_an_mp4_keeps_every_frame_nearly(solved, tmp_path):
    write_clip(iter(solved), tmp_path / "clip.mp4", 8)
    frames = mp4_frames(tmp_path / "clip.mp4")
    assert frames.shape == (37, 320, 320, 3)
    assert np.abs(frames.astype(int) - solved).mean() < 4


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_clip_of_one_frame(solved, tmp_path, suffix):
    path = tmp_path / f"clip{suffix}"
    write_clip(solved[:1], path, 8)
    assert len(gif_frames(path) if suffix == ".gif" else mp4_frames(path)) == 1


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_recording_that_fails_leaves_the_old_clip(solved, tmp_path, suffix):
    path = tmp_path / f"clip{suffix}"
    path.write_bytes(b"old")

    def failing():
        yield solved[0]
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        write_clip(failing(), path, 8)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "fps", "message"),
    [
        ("clip.png", 8, "expected one that ends in .gif or .mp4"),
        ("clip", 8, "expected one that ends in .gif or .mp4"),
        ("missing/clip.gif", 8, "missing, where clip.gif is to be written, is no folder"),
        ("clip.gif", 0, "fps is 0, expected a number above 0"),
        ("clip.mp4", float("nan"), "fps is nan, expected a number above 0"),
    ],
)
def test_clips_that_cannot_be_written_are_refused(solved, tmp_path, name, fps, message):
    with pytest.raises((InvalidOptionError, UnwritablePathError), match=message):
        write_clip(solved, tmp_path / name, fps)
    assert list(tmp_path.iterdir()) == []


def test_render_films_a_policy_on_a_task(run, tmp_path, solved):
    words = ("render", "--policy", "solver", "--env", "GridWorld-v0", "--task", "targets/B", "--out")
    code, out, err = run(*words, tmp_path / "clip.gif")
    assert (code, err) == (0, "")
    assert "37 frames of GridWorld-v0" in out
    np.testing.assert_array_equal(gif_frames(tmp_path / "clip.gif"), solved)
    assert run(*words, tmp_path / "clip.mp4")[0] == 0
    assert len(mp4_frames(tmp_path / "clip.mp4")) == 37
    assert "9 frames of GridWorld-v0" in run(*words, tmp_path / "short.gif", "--every", 5)[1]
    np.testing.assert_array_equal(gif_frames(tmp_path / "short.gif"), [*solved[::5], solved[36]])


def test_the_seed_decides_what_a_random_policy_does(run, tmp_path):
    films = []
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        clip = tmp_path / f"{name}.gif"
        run(
            "render",
            "--policy",
            "random",
            "--env",
            "GridWorld-v0",
            "--task",
            "graded/199",
            "--seed",
            seed,
            "--out",
            clip,
        )
        films.append(clip.read_bytes())
    assert films[0] == films[1] != films[2]


@pytest.fixture
def submission(run, tmp_path) -> Path:
    folder = tmp_path / "submission"
    assert run("evaluate", "grid-world/target-a", "--policy", "random", "--out", folder)[0] == 0
    return folder


@pytest.mark.slow
def test_render_films_an_episode_of_a_submission(run, submission, tmp_path):
    clip = tmp_path / "clip.mp4"
    code, out, _ = run("render", submission, "--episode", 3, "--out", clip)
    task, seed, actions = _played_again(read_submission(submission), 0, 3)
    expected = record_episode("GridWorld-v0", task, seed, actions)
    assert code == 0
    assert f"{len(expected)} frames" in out
    frames = mp4_frames(clip)
    assert frames.shape == np.shape(expected)
    assert np.abs(frames.astype(int) - expected).mean() < 4


def test_render_films_the_longest_solved_episode_by_default(run, tmp_path):
    folder, clip = tmp_path / "submission", tmp_path / "clip.mp4"
    assert run("evaluate", "grid-world/graded", "--policy", "random", "--out", folder)[0] == 0
    code, out, _ = run("render", folder, "--out", clip)
    assert code == 0
    _, _, actions = _played_again(read_submission(folder), 0, None)
    assert f"{len(actions) + 1} frames" in out


def test_episodes_and_runs_that_a_submission_does_not_hold(run, submission, tmp_path):
    clip = tmp_path / "clip.gif"
    assert "--episode is 50, expected 0 to 49" in run("render", submission, "--episode", 50, "--out", clip)[2]
    assert "--run is 1, expected 0 to 0" in run("render", submission, "--run", 1, "--out", clip)[2]
    assert not clip.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give either the folder of a submission or --policy"),
        (["some-folder", "--policy", "random"], "give either the folder of a submission or --policy"),
        (["some-folder", "--task", "targets/A"], "--task goes with --policy"),
        (["--policy", "random"], "--policy needs --env and --task"),
        (["--policy", "randon", "--env", "GridWorld-v0", "--task", "targets/A"], "unknown policy 'randon'"),
        (["--policy", "random", "--env", "Grid", "--task", "targets/A"], "unknown environment 'Grid'"),
        (["--policy", "null", "--env", "GridWorld-v0", "--task", "targets/A"], "the null policy never acts"),
        (["no-such-folder"], "no-such-folder"),
    ],
)
def test_render_refuses_bad_input_with_one_line(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("render", *words, "--out", "clip.gif")
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_clip_that_cannot_be_written_is_refused_before_the_episode_is_played(run, monkeypatch):
    monkeypatch.setattr(
        "procgen_bench.baselines.training.evaluation.play_episodes", None
    )  # calling it would raise a TypeError
    words = ("render", "--policy", "solver", "--env", "GridWorld-v0", "--task", "targets/A", "--out", "clip.webm")
    assert "expected one that ends in .gif or .mp4" in run(*words)[2]
