"""SparsePointMaze-v0 as a goal environment: rewards, starts and goals, bad input.

Starts, draws, rewards, ends and state of the simulation.
"""

import gymnasium
import numpy as np
import pytest
from scipy import stats

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.envs.point_maze.simulation import PointMazeSimulation
from procgen_bench.tasks.point_maze import GOAL_RADIUS, PointMazeTask, PointMazeTaskSpace, goal_distance
from procgen_bench.tasks.point_maze.mazes import default_maze
from procgen_bench.tasks.point_maze.walls import closed_walls
from tests.tasks.point_maze.makers import ONE_ROW, begun, varied_tasks

ID = "SparsePointMaze-v0"


def played(env, actions, **options):
    observation, _ = env.reset(seed=0, options=options or None)
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    return observation, steps


def test_solutions_of_every_suite_solve_their_tasks():
    env = gymnasium.make(ID)
    space = env.unwrapped.task_space
    for suite in space.suite_names:
        for task in space.suite(suite).tasks[::75]:
            _, steps = played(env, space.solve(task), task=task)
            assert steps[-1][4]["success"] and steps[-1][1] == 1.0
            assert [step[1] for step in steps[:-1]] == [0.0] * (len(steps) - 1)


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_rewards_are_those_that_compute_reward_gives_at_the_end(reward):
    env = gymnasium.make(ID, reward=reward)
    rng = np.random.default_rng(1)
    actions = [env.action_space.high * rng.uniform(-1, 1, 2).astype(np.float32) for _ in range(50)]
    _, steps = played(env, actions)
    assert len(steps) == 50 and steps[-1][3]
    last = steps[-1][0]
    expected = env.unwrapped.compute_reward(last["achieved_goal"], last["desired_goal"], {})
    assert steps[-1][1] == expected
    assert (expected < -GOAL_RADIUS) == (reward == "distance")
    assert all(step[1] == 0 for step in steps[:-1])


def test_start_and_goal_replace_those_of_the_drawn_or_given_task():
    env = gymnasium.make(ID)
    for options in ({}, {"task": "random/3"}):
        observation, _ = env.reset(seed=3, options={**options, "start": [4.0, 4.25], "goal": (7.75, 1.25)})
        assert observation["observation"].tolist() == [4.0, 4.25]
        assert observation["desired_goal"].tolist() == [7.75, 1.25]


def test_rows_take_starts_and_goals_of_their_own():
    env = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="vector_entry_point")
    starts = np.array([[0, 0], [1, 1], [2, 2]], np.float64)
    observations, _ = env.reset(seed=0, options={"start": starts, "goal": [5.0, 5.0]})
    assert observations["observation"].tolist() == starts.tolist()
    assert observations["desired_goal"].tolist() == [[5.0, 5.0]] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": [11.0, 0.0]}, r"x of start is 11\.0, expected a number in \[-0\.5, 10\.5\]"),
        ({"goal": [0.0, float("nan")]}, r"y of goal is nan"),
        ({"goal": [0.0, -float("inf")]}, r"y of goal is -inf"),
        ({"start": [1.0]}, r"start's shape is \(1,\), expected \(2,\)"),
        ({"start": ["a", "b"]}, r"start's dtype"),
        ({"start": [-0.4999, 0.0]}, r"x of start is -0\.4999, expected .* off the walls of its cell"),
    ],
)
def test_bad_starts_and_goals_are_refused_in_one_line(options, message):
    env = gymnasium.make(ID)
    with pytest.raises(InvalidTaskError, match=message) as refusal:
        env.reset(seed=0, options=options)
    assert "\n" not in str(refusal.value)
    env.reset(seed=0)
    env.step(env.action_space.sample())


SPACE = PointMazeTaskSpace()
ROWS = 20_000
#: The seeds are fixed, so a test below passes or fails for good; by chance, one in some hundred seeds would fail.
LEAST_P = 1e-3


def fresh(rows: int, tasks=(), first_seed: int = 0) -> PointMazeSimulation:
    """Every row has drawn its task."""
    simulation = PointMazeSimulation(rows, 50)
    simulation.use_tasks(tasks)
    simulation.streams[:] = [stream_from_seed(first_seed + row) for row in range(rows)]
    every = np.ones(rows, np.bool_)
    simulation.start(every, every)
    return simulation


@pytest.fixture(scope="module")
def drawn() -> PointMazeSimulation:
    return fresh(ROWS)


def test_draws_are_the_default_maze_and_valid(drawn):
    walls = default_maze().walls
    for row in range(200):
        task = drawn.task(row)
        task.validate()
        assert all(np.array_equal(one, other) for one, other in zip(task.walls, walls))
    assert (drawn.cells == drawn.cells[0]).all()


def test_starts_and_goals_are_uniform_and_independent(drawn):
    # Cell (0, 0) is walled on the left and below, cell (9, 9) on the right and above; 0.05 and 0.175 from the walls.
    units = np.concatenate([(drawn.starts + 0.45) / 0.95, (drawn.goals - 8.5) / 0.825], axis=1)
    for part in units.T:
        assert stats.kstest(part, "uniform").pvalue > LEAST_P
    for one in range(4):
        for other in range(one):
            counts = np.histogram2d(units[:, one], units[:, other], bins=8, range=[(0, 1), (0, 1)])[0]
            assert stats.chisquare(counts.ravel()).pvalue > LEAST_P, (one, other)


def test_comparison_notices_a_wrong_margin(drawn):
    assert stats.kstest((drawn.starts[:, 0] + 0.43) / 0.93, "uniform").pvalue < LEAST_P


def test_draws_continue_their_streams(drawn):
    again = fresh(3)
    first = again.starts.copy()
    assert np.array_equal(first, drawn.starts[:3])
    every = np.ones(3, np.bool_)
    again.start(every, every)
    assert not (again.starts == first).any()
    kept = again.starts.copy()
    again.start(every, ~every)
    assert np.array_equal(again.starts, kept), "a row that is not fresh keeps its task"


def test_tasks_are_drawn_uniformly_from_a_bank():
    tasks = varied_tasks(7, seed=0)
    simulation = fresh(7_000, tasks)
    fingerprints = [task.fingerprint() for task in tasks]
    counts = np.bincount([fingerprints.index(simulation.task(row).fingerprint()) for row in range(7_000)], minlength=7)
    assert stats.chisquare(counts).pvalue > LEAST_P
    simulation.use_tasks(())
    every = np.ones(7_000, np.bool_)
    simulation.start(every, every)
    assert np.array_equal(simulation.task(0).vertical_walls, default_maze().walls.vertical)


def test_a_loaded_task_takes_effect_at_the_next_start():
    one, other = varied_tasks(2, seed=1)
    simulation, twin = begun([one]), begun([one])
    simulation.load(0, other)
    assert simulation.task(0) == other
    for action in np.random.default_rng(0).uniform(-0.95, 0.95, (30, 1, 2)).astype(np.float32):
        simulation.step(action, ONE_ROW)
        twin.step(action, ONE_ROW)
        assert np.array_equal(simulation.observation_rows, twin.observation_rows)
    simulation.start(ONE_ROW, ~ONE_ROW)
    assert np.array_equal(simulation.positions[0], other.start)


def test_observations_rewards_and_ends_follow_from_the_positions():
    tasks = list(SPACE.suite("corridor"))
    simulation, every = begun(tasks), np.ones(len(tasks), np.bool_)
    rng, reached = np.random.default_rng(3), np.zeros(len(tasks), np.bool_)
    for name, points in (("observation", "start"), ("achieved_goal", "start"), ("desired_goal", "goal")):
        expected = np.array([getattr(task, points) for task in tasks]).astype(np.float32)
        assert simulation.observations[name].dtype == np.float32
        assert np.array_equal(simulation.observations[name], expected)
    for number in range(1, 51):
        actions = rng.uniform(-0.95, 0.95, (len(tasks), 2)).astype(np.float32)
        simulation.step(actions, every)
        seen = simulation.observations
        assert np.array_equal(seen["observation"], simulation.positions.astype(np.float32))
        assert np.array_equal(seen["achieved_goal"], seen["observation"])
        success = goal_distance(seen["achieved_goal"], seen["desired_goal"]) <= GOAL_RADIUS
        assert np.array_equal(simulation.successes, success)
        assert np.array_equal(simulation.terminations, success)
        assert np.array_equal(simulation.rewards, success.astype(np.float64))
        assert (simulation.truncations == (number == 50)).all() and (simulation.elapsed == number).all()
        reached |= success
    assert 10 < reached.sum() < len(tasks)


@pytest.mark.parametrize(("distance", "success"), [(0.1499, True), (0.1501, False)])
def test_goal_radius(distance, success):
    task = PointMazeTask(*closed_walls(), np.array([4.0, 4.0]), np.array([4.0 + 0.6 * distance, 4.0 + 0.8 * distance]))
    simulation = begun([task])
    assert not simulation.successes[0], "a start within the radius is no success before the first step"
    simulation.step(np.zeros((1, 2), np.float32), ONE_ROW)
    assert (simulation.successes[0], simulation.terminations[0], simulation.rewards[0]) == (success, success, success)


def test_inactive_rows_stay_as_they_are():
    simulation = begun(varied_tasks(4, seed=4))
    before = simulation.save_state()
    simulation.step(np.full((4, 2), 0.2, np.float32), np.array([True, False, True, False]))
    for name, array in simulation.state_arrays().items():
        assert np.array_equal(array[[1, 3]], before[name][[1, 3]]), name
    assert simulation.elapsed.tolist() == [1, 0, 1, 0]
