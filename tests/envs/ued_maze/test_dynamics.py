import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidActionError, InvalidOptionError
from procgen_bench.tasks.ued_maze import UEDMazeTask, UEDMazeTaskSpace

ID = "UEDMaze-v0"
SPACE = UEDMazeTaskSpace()
LEFT, RIGHT, FORWARD, DONE = 0, 1, 2, 6
EMPTY, WALL, GOAL = [1, 0, 0], [2, 5, 0], [8, 1, 0]
BACKENDS = pytest.mark.parametrize("backend", ["numba", "minigrid"])


def maze(*rows: str) -> UEDMazeTask:
    """A maze whose upper left these rows are; the rest is empty."""
    return UEDMazeTask.from_text("\n".join(row.ljust(13, ".") for row in (*rows, *[""] * (13 - len(rows)))))


def play(task: UEDMazeTask, chosen, **options):
    """All that an episode of these actions gives, the reset first."""
    env = gymnasium.make(ID, **options)
    moments = [env.reset(seed=0, options={"task": task})]
    return moments + [env.step(int(action)) for action in chosen]


@BACKENDS
def test_actions_turn_left_and_right_and_go_forward(backend):
    moments = play(maze(">..", "..G"), [LEFT, LEFT, RIGHT, RIGHT, RIGHT, FORWARD], backend=backend)
    assert [int(moment[0]["direction"].argmax()) for moment in moments] == [0, 3, 2, 3, 0, 1, 1]
    assert all(moment[0]["direction"].sum() == 1 for moment in moments)


@BACKENDS
@pytest.mark.parametrize("waits", [0, 100, 248])
def test_the_goal_pays_less_the_later_and_the_agent_stays_before_it(backend, waits):
    moments = play(maze(">G"), [LEFT, RIGHT] * (waits // 2) + [FORWARD], backend=backend)
    observation, reward, terminated, truncated, info = moments[-1]
    assert reward == 1 - 0.9 * ((waits + 1) / 250)
    assert (terminated, truncated, info["success"]) == (True, False, True)
    assert observation["image"][2, 3].tolist() == GOAL
    assert all(moment[1:4] == (0.0, False, False) for moment in moments[1:-1])


@BACKENDS
def test_an_episode_ends_after_250_steps_also_at_the_goal(backend):
    lost = play(maze(">G"), [LEFT] * 250, backend=backend)
    assert [moment[3] for moment in lost[1:]] == [False] * 249 + [True]
    assert not lost[-1][2] and not lost[-1][4]["success"]
    won = play(maze(">.G"), [FORWARD, *[LEFT] * 248, FORWARD], backend=backend)
    assert won[-1][1:4] == (1 - 0.9 * (250 / 250), True, True) and won[-1][4]["success"]


@BACKENDS
def test_the_view_is_five_tiles_ahead_and_walls_hide_nothing(backend):
    task = maze("......", "..#...", ".>#.G.", "..#...")
    image = play(task, [], backend=backend)[0][0]["image"]
    assert image.shape == (5, 5, 3) and image.dtype == np.uint8
    by_row = image.swapaxes(0, 1).tolist()  # far to near, left to right: facing right, the map's columns
    assert by_row[4] == [EMPTY] * 5, "the agent is not drawn"
    assert by_row[3] == [EMPTY, WALL, WALL, WALL, EMPTY]
    assert by_row[2] == [EMPTY] * 5
    assert by_row[1] == [EMPTY, EMPTY, GOAL, EMPTY, EMPTY]


@BACKENDS
def test_the_border_and_what_is_beyond_it_are_walls(backend):
    image = play(maze("^...........G"), [], backend=backend)[0][0]["image"]
    expected = np.tile(np.array(WALL, np.uint8), (5, 5, 1))
    expected[2:, 4] = EMPTY
    assert np.array_equal(image, expected)


@BACKENDS
def test_walls_and_the_border_are_not_entered(backend):
    moments = play(maze("^#..........G"), [FORWARD, RIGHT, FORWARD, FORWARD], backend=backend)
    assert np.array_equal(moments[1][0]["image"], moments[0][0]["image"])
    assert np.array_equal(moments[4][0]["image"], moments[2][0]["image"])


@BACKENDS
def test_the_other_published_actions_do_nothing(backend):
    task = maze(">#G")
    moments = play(task, [3, 4, 5, 6, RIGHT], backend=backend, actions="published")
    for moment in moments[1:5]:
        assert moment[1:4] == (0.0, False, False)
        assert all(np.array_equal(moment[0][name], moments[0][0][name]) for name in moment[0])
    assert moments[5][0]["direction"].tolist() == [0, 1, 0, 0]


def test_three_actions_are_the_default():
    env = gymnasium.make(ID)
    assert env.action_space == gymnasium.spaces.Discrete(3)
    env.reset(seed=0)
    with pytest.raises(InvalidActionError):
        env.step(3)
    assert gymnasium.make(ID, actions="published").action_space == gymnasium.spaces.Discrete(7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"actions": "all"}, r"actions is 'all', expected one of \['moves', 'published'\]"),
        ({"backend": "jax"}, r"backend is 'jax', expected one of \['numba', 'minigrid'\]"),
        ({"num_walls": 168}, r"num_walls is 168, expected an integer in \[0, 167\]"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        gymnasium.make(ID, **options)


@pytest.mark.parametrize("tasks", [None, "solvable", "training"])
def test_rows_draw_levels_of_their_number_of_walls(tasks):
    rows = gymnasium.make_vec(ID, num_envs=300, vectorization_mode="vector_entry_point", num_walls=25, tasks=tasks)
    rows.reset(seed=0)
    drawn = rows.unwrapped.tasks
    assert max(task.walls.sum() for task in drawn) <= 25 and np.mean([task.walls.sum() for task in drawn]) > 20
    assert all(map(SPACE.is_solvable, drawn)) == (tasks is not None)


def test_the_solver_s_plans_solve_the_published_mazes():
    for task, length in zip(SPACE.suite("named"), SPACE.suite("named").records["length"].tolist()):
        moments = play(task, SPACE.solve(task))
        assert [moment[2] for moment in moments[1:]] == [False] * (length - 1) + [True]
        assert moments[-1][1] == 1 - 0.9 * (length / 250)


def test_the_solver_s_plans_solve_random_levels_in_the_kernel():
    """All at once; rows that are done wait."""
    tasks = list(SPACE.suite("random").tasks[::20])
    rows = gymnasium.make_vec(
        ID,
        num_envs=len(tasks),
        vectorization_mode="vector_entry_point",
        autoreset_mode=gymnasium.vector.AutoresetMode.DISABLED,
    )
    rows.reset(seed=0, options={"task": tasks})
    plans = list(map(SPACE.solve, tasks))
    for step in range(max(map(len, plans))):
        actions = np.array([plan[step] if step < len(plan) else LEFT for plan in plans])
        _, rewards, terminations, *_ = rows.step(actions)
        ends = np.array([step == len(plan) - 1 for plan in plans])
        assert np.array_equal(terminations, ends)
        assert np.array_equal(rewards, np.where(ends, 1 - 0.9 * ((step + 1) / 250), 0.0))
        if ends.any():
            rows.reset(options={"reset_mask": ends, "task": tasks})


def test_states_fit_whatever_the_actions_and_walls_and_not_another_backend():
    env, other = gymnasium.make(ID), gymnasium.make(ID, actions="published", num_walls=25)
    env.reset(seed=3)
    env.step(RIGHT)
    state = env.unwrapped.save_state()
    other.reset(options={"state": state})
    for action in (FORWARD, LEFT, FORWARD):
        (seen, *one), (expected, *two) = other.step(action), env.step(action)
        assert one == two and all(np.array_equal(seen[name], expected[name]) for name in seen)
    with pytest.raises(InvalidOptionError, match="backend 'minigrid'"):
        gymnasium.make(ID, backend="minigrid").reset(options={"state": state})
