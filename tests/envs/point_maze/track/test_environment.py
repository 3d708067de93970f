"""SparsePointMaze-v0 of the kind "track": what every environment must hold, its draws, and its local optimum."""

from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from scipy import stats

from procgen_bench.envs.point_maze.track import rendering
from procgen_bench.envs.point_maze.track.rendering import SCALE, draw_frame, draw_text
from procgen_bench.tasks.point_maze.track import TrackTask
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import vector_checks
from tests.envs.conformance.trajectory import assert_equal, play, play_vector
from tests.tasks.point_maze.track.makers import ONE_ROW, begun, random_actions, travelled
from tests.tasks.point_maze.track.reference_track import moved, polar

make = partial(gymnasium.make, "SparsePointMaze-v0", kind="track", max_episode_steps=5)
make_vec = partial(gymnasium.make_vec, "SparsePointMaze-v0", kind="track", max_episode_steps=5)

SINGLE_CHECKS = [
    checks.check_repeats_in_another_process,
    checks.check_seed_decides,
    checks.check_reset_leaves_nothing_behind,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    checks.check_instances_share_nothing,
    checks.check_spec_round_trip,
    checks.check_rendering,
    checks.check_close,
]


#: What the track itself can get wrong; the others are of what it shares with the maze.
QUICK = (checks.check_reset_leaves_nothing_behind, checks.check_spaces_hold_every_observation, checks.check_copies)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=check.__name__, marks=() if check in QUICK else pytest.mark.slow)
        for check in SINGLE_CHECKS
    ],
)
def test_single(check, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check(make)


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, id=mode.name, marks=() if mode == AutoresetMode.SAME_STEP else pytest.mark.slow)
        for mode in AutoresetMode
    ],
)
def test_rows_equal_single(mode):
    vector_checks.check_rows_equal_single(make_vec, make, mode)
    vector_checks.check_batched_spaces_hold(make_vec, mode)


def test_vector():
    checks.check_copies(partial(make_vec, num_envs=5), play_vector)
    vector_checks.check_vector_reset_leaves_nothing_behind(make_vec)
    vector_checks.check_vector_rendering(make_vec, make)


def test_tasks_at_reset():
    env, task = make(), TrackTask(polar(1.1, 100), polar(0.9, 200))
    expected = play(env, 0, 20, task)
    assert expected[0].observation["desired_goal"].tolist() == task.goal.astype(np.float32).tolist()
    assert_equal(play(env, 0, 20, env.unwrapped.task_space.encode(task)), expected, "raw parameters")
    env.reset(options={"task": task})
    assert env.unwrapped.task == task


def test_tasks_are_drawn_from_a_bank():
    tasks = [TrackTask(polar(1.0, degrees), polar(1.0, 330)) for degrees in (50, 150, 250)]
    env = make_vec(num_envs=3_000, tasks=tasks)
    env.reset(seed=0)
    counts = [sum(task == drawn for drawn in env.unwrapped.tasks) for task in tasks]
    assert sum(counts) == 3_000 and stats.chisquare(counts).pvalue > 1e-3


def test_episodes_take_five_steps_and_rewards_are_those_of_the_maze():
    for reward in ("sparse", "distance"):
        env = make(reward=reward)
        observation, _ = env.reset(seed=0)
        for number in range(1, 6):
            observation, paid, terminated, truncated, _ = env.step(np.array([0.1, 0.0], np.float32))
            assert not terminated and truncated == (number == 5)
            distance = np.hypot(*(observation["achieved_goal"].astype(np.float64) - observation["desired_goal"]))
            assert paid == pytest.approx(-distance if (number, reward) == (5, "distance") else 0.0, abs=1e-12)
        assert distance > 0.5
        expected = env.unwrapped.compute_reward(observation["achieved_goal"], observation["desired_goal"], {})
        assert paid == expected


def test_starts_and_goals_are_drawn_as_specified():
    """20,000 draws against as many of NumPy's normal numbers, moved by the reference."""
    env = make_vec(num_envs=20_000)
    env.reset(seed=0)
    simulation, rng = env.unwrapped.simulation, np.random.default_rng(0)
    for points, degrees in ((simulation.starts, 30), (simulation.goals, 330)):
        centre = np.repeat(polar(1.0, degrees)[np.newaxis], len(points), axis=0)
        expected = moved(centre, rng.normal(0, 0.1, points.shape), 200)
        for one, other in (*zip(points.T, expected.T), (np.hypot(*points.T), np.hypot(*expected.T))):
            assert stats.ks_2samp(one.round(6), other.round(6)).pvalue > 1e-3
        narrower = moved(centre, rng.normal(0, 0.09, points.shape), 200)
        assert min(stats.ks_2samp(one, other).pvalue for one, other in zip(points.T, narrower.T)) < 1e-3
    for one, other in ((0, 0), (0, 1), (1, 0), (1, 1)):
        assert abs(np.corrcoef(simulation.starts[:, one], simulation.goals[:, other])[0, 1]) < 0.03
    for task in env.unwrapped.tasks[:500]:
        task.validate()


def test_solver_solves_drawn_tasks():
    env = make()
    for seed in range(100):
        env.reset(seed=seed)
        for action in env.unwrapped.task_space.solve(env.unwrapped.task):
            *_, terminated, truncated, info = env.step(action)
        assert info["success"] and terminated and (not truncated or env.get_wrapper_attr("_elapsed_steps") == 5)


def test_who_follows_the_distance_is_caught_at_the_gap():
    """The point of the toy: closer to the goal is the near end, and the way round leads away first."""
    env, rng = make(), np.random.default_rng(0)
    for seed in range(20):
        env.reset(seed=seed)
        task = env.unwrapped.task
        distances = [np.hypot(*(task.start - task.goal))]
        place = task.start
        for _ in range(20):
            ends = travelled(np.repeat(place[np.newaxis], 500, axis=0), random_actions(rng, 500) * rng.random())
            left = np.hypot(*(ends - task.goal).T)
            if left.min() < distances[-1]:
                place = ends[left.argmin()]
                distances.append(left.min())
        assert np.degrees(abs(np.arctan2(place[1], place[0]))) == pytest.approx(18, abs=1)
        assert place[1] > 0 and distances[-1] > 0.3, "the local optimum is no success"
        env.reset(seed=seed)
        on_the_way = [env.step(a)[0]["achieved_goal"] for a in env.unwrapped.task_space.solve(task)]
        assert max(np.hypot(*(place - task.goal)) for place in on_the_way) > 1.7


def test_siblings_share_what_has_been_observed():
    """Observed starts and goals are float32; those on a wall are put back on the track."""
    env = make()
    for degrees in range(18, 343, 3):
        for radius in (0.85, 1.15):
            place = polar(radius, degrees).astype(np.float32)
            observation, _ = env.reset(seed=0, options={"start": place, "goal": place})
            env.unwrapped.task.validate()
            assert np.allclose(observation["achieved_goal"], place, rtol=0, atol=2e-7)
            assert env.observation_space.contains(observation)


def place_on_frame(point: np.ndarray) -> tuple[int, int]:
    """Row and column of the pixel at a point."""
    return int(272 - point[1] * SCALE), int(272 + point[0] * SCALE)


def test_frames_show_the_track_and_what_is_on_it():
    task = TrackTask(polar(1.0, 60), polar(1.0, 300))
    simulation = begun([task])
    simulation.step(np.array([[-0.9, 0.3]], np.float32), ONE_ROW)
    frame = draw_frame(simulation, 0)
    assert frame.shape == (544, 544, 3) and frame.dtype == np.uint8
    for point, colour in (
        (task.start, rendering.START_COLOUR),
        (task.goal, rendering.GOAL_COLOUR),
        (simulation.positions[0], rendering.AGENT_COLOUR),
        (np.zeros(2), rendering.CLOSED_COLOUR),
        (polar(1.0, 0), rendering.CLOSED_COLOUR),
        (polar(1.2, 45), rendering.CLOSED_COLOUR),
        (polar(1.0, 180), rendering.FLOOR_COLOUR),
        (polar(1.1, 21), rendering.FLOOR_COLOUR),
        *((polar(radius, degrees), rendering.WALL_COLOUR) for radius in (0.85, 1.15) for degrees in (30, 150, 260)),
        *((polar(1.0, degrees), rendering.WALL_COLOUR) for degrees in (18, 342)),
    ):
        assert tuple(frame[place_on_frame(point)]) == colour, point
    goal_pixels = (frame == rendering.GOAL_COLOUR).all(axis=-1).sum()
    assert goal_pixels == pytest.approx(np.pi * (0.15 * SCALE) ** 2, rel=0.1)


def test_text_shows_the_track_and_what_is_on_it():
    lines = draw_text(begun([TrackTask(polar(1.0, 90), polar(1.0, 180))]), 0).splitlines()
    assert len(lines) == 27 and lines[25:] == ["agent 0.000 1.000", "goal -1.000 0.000"]
    assert lines[2][24] == "@" and lines[12][4] == "G"
    assert lines[12][5] == "." and lines[12].count(".") == 6, "the row through the middle: the left side, and the gap"
    text = "\n".join(lines[:25])
    assert text.count(".") + 2 == pytest.approx(20 * 10 * np.pi * (1.15**2 - 0.85**2) * 0.9, rel=0.05)
