"""Which episodes pages show, their films, and what figures are made of."""

import numpy as np
import pytest
from PIL import Image

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import MissingExtraError, ResetNeededError
from procgen_bench.leaderboards.board.board import stored_submission
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.site import clips
from procgen_bench.leaderboards.site.clips import film_entries
from procgen_bench.leaderboards.site.replays import choose_episodes, chosen_places
from procgen_bench.leaderboards.site.section import colours_of
from procgen_bench.leaderboards.site.section_figures import grouped_means, learning_curve
from procgen_bench.leaderboards.submission.metadata import CurvePoint, Metadata, Run, Training
from procgen_bench.leaderboards.verification.replay import replay
from tests.engine.recorded import record_episode


@pytest.fixture(scope="module")
def entry(tmp_path_factory, random_folder):
    return submit(random_folder, tmp_path_factory.mktemp("replays") / "board")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0, 1, 0.5], {"best score": 1, "median score": 2, "worst score": 0}),
        ([1, 1, 1], {"best score": 0}),
        ([1, 0, 0], {"best score": 0, "median score": 1}),
        ([1, 1, 0], {"best score": 0, "worst score": 2}),
        ([-0.5], {"best score": 0}),
    ],
)
def test_episodes_differ_in_score(scores, expected):
    assert dict(chosen_places(scores)) == expected


def test_chosen_episodes_are_those_of_the_traces(entry):
    traces = stored_submission(entry.folder).recorded
    chosen = choose_episodes(entry)
    assert [episode.reason for episode in chosen] == ["best score", "median score", "worst score"]
    shown = [episode.trace.claimed_score for episode in chosen]
    assert shown == [traces.scores.max(), np.sort(traces.scores)[::-1][len(traces.scores) // 2], traces.scores.min()]
    assert all(episode.trace.task_name == "A" and episode.run in (0, 1) for episode in chosen)


def test_a_clone_films_what_policies_play_again(solver_folder, tmp_path):
    """Nothing is kept but the record: the episode that is played again scores what it says."""
    entry = submit(solver_folder, tmp_path)
    assert sorted(path.name for path in entry.folder.iterdir()) == ["record.json", "submission.json"]
    (best,) = choose_episodes(entry)
    outcomes = replay(entry.benchmark, [best.trace])
    assert [one.return_ for one in outcomes] == [best.trace.claimed_score] == entry.record.suite[0][:1]


def frames_of(clip, film, tmp_path) -> list[np.ndarray]:
    (tmp_path / clip.sheet).write_bytes(film.files[clip.sheet])
    with Image.open(tmp_path / clip.sheet) as sheet:
        shown = np.asarray(sheet.convert("RGB"))
    places = [divmod(place, clip.columns) for place in range(len(clip.steps_shown))]
    height, width = clip.height, clip.width
    return [shown[row * height : (row + 1) * height, column * width : (column + 1) * width] for row, column in places]


@pytest.mark.parametrize("most_frames", [clips._MAX_FRAMES, 4])
def test_films_show_the_recorded_episode(entry, tmp_path, monkeypatch, most_frames):
    """All of its frames, exactly; of a long one, frames that are spread over it."""
    monkeypatch.setattr(clips, "_MAX_FRAMES", most_frames)
    (film,) = film_entries([entry])
    assert film.absence is None and set(film.files) == {clip.sheet for clip in film.clips}
    for clip, episode in zip(film.clips, choose_episodes(entry), strict=True):
        trace, last = episode.trace, len(episode.trace.actions)
        assert (clip.reason, clip.run, clip.steps, clip.score) == (
            *(episode.reason, episode.run, last, trace.claimed_score),
        )
        expected = range(last + 1) if last < most_frames else (0, round(last / 3), round(last * 2 / 3), last)
        assert clip.steps_shown == tuple(expected)
        frames = record_episode("GridWorld-v0", trace.task, trace.seed, trace.actions)
        for step, shown in zip(clip.steps_shown, frames_of(clip, film, tmp_path), strict=True):
            np.testing.assert_array_equal(shown, frames[step])
        assert len(film.files[clip.sheet]) < 200_000


def test_sheets_of_many_colours_are_small():
    ramp = np.arange(320) % 256
    picture = np.stack(np.broadcast_arrays(ramp[:, None], ramp, 128), axis=-1).astype(np.uint8)
    content, suffix = clips._encoded(Image.fromarray(picture))
    assert suffix == "webp" and len(content) < 20_000


def fails_with(error):
    def fail(*arguments):
        raise error

    return fail


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("filmed_environment", MissingExtraError("mujoco", "mujoco"), "mujoco is not installed"),
        (
            "episode_frames",
            ResetNeededError("over"),
            "the episodes end differently on the machine that wrote this page",
        ),
    ],
)
def test_what_cannot_be_filmed_is_said(entry, monkeypatch, name, error, words):
    monkeypatch.setattr(clips, name, fails_with(error))
    (film,) = film_entries([entry])
    assert film.clips == () and film.files == {} and words in film.absence


def test_colours_stay_with_methods():
    alone = {name: colours_of([name])[0] for name in ("DQN", "PPO", "random")}
    together = dict(zip(alone, colours_of(list(alone))))
    assert together["DQN"] == alone["DQN"]
    assert sorted(colours_of([str(number) for number in range(8)])) == list(range(8))  # never two alike


def metadata_of(*curves) -> Metadata:
    def run(curve):
        points = [CurvePoint.model_construct(step=step, score=score) for step, score in curve]
        return Run.model_construct(training=Training.model_construct(curve=points) if curve else None)

    return Metadata.model_construct(runs=[run(curve) for curve in curves])


def test_learning_curves_are_means_over_runs():
    graded = get_benchmark("grid-world/graded")
    curve = learning_curve(metadata_of([(0, 0.0), (100, 0.4)], [(50, 0.1), (150, 0.3)]), graded)
    np.testing.assert_allclose(curve.points, [(50, 0.15), (100, 0.3)])  # where both had been evaluated
    np.testing.assert_allclose(curve.band, [(0.1, 0.2), (0.2, 0.4)])
    assert learning_curve(metadata_of([(0, 0.0)]), graded).band == []
    assert learning_curve(metadata_of([(0, 0.0)], []), graded) is None
    assert learning_curve(metadata_of([(0, 0.0)], [(5, 0.0)]), graded) is None
    long = learning_curve(metadata_of(*([(k * 7 + r, 0.5) for k in range(500)] for r in range(3))), graded)
    assert len(long.points) <= 200


@pytest.mark.parametrize("score", [1e308, -1e308, 5e-324, -5e-324, 1.7976931348623157e308])
def test_learning_curves_keep_to_what_is_possible(score):
    """Such a curve ended the whole site once."""
    target = get_benchmark("grid-world/target-a")
    curve = learning_curve(metadata_of([(0, score), (2**53, 0.0)], [(0, score), (2**53, score)]), target)
    values = [value for _, value in curve.points] + [value for ends in curve.band for value in ends]
    assert all(target.minimum <= value <= target.maximum for value in values)


def test_groups_hold_every_task_once():
    records = np.repeat(np.arange(1, 41), 5).astype(float)
    scores = (records < 12).astype(float)
    groups = grouped_means(records, scores)
    assert len(groups) == 10
    assert np.mean([record for record, _ in groups]) == pytest.approx(records.mean())  # groups of equal size
    assert [score for record, score in groups if record < 8] == [1, 1] and groups[-1][1] == 0
    few = grouped_means(np.array([1.0, 5.0, 5.0]), np.array([1.0, 0.0, 1.0]))
    assert few == [(1.0, 1.0), (5.0, 0.5)]
