"""JaxUED's own maze beside ours; ``make test-jaxued`` runs it, in an environment of its own."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.tasks.ued_maze import HORIZON, UEDMazeTask, UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.named import NAMED_MAZES

jax = pytest.importorskip("jax", reason="JaxUED is not installed")
if not hasattr(jax, "tree_map"):  # the published wheel calls it by a name that jax has dropped since
    jax.tree_map = jax.tree_util.tree_map
maze = pytest.importorskip("jaxued.environments.maze", reason="JaxUED is not installed")
pytestmark = pytest.mark.slow

LEVELS = 10_000
SPACE = UEDMazeTaskSpace()


def their_levels(tasks: list[UEDMazeTask]):
    """JaxUED's levels of these tasks, as one batch."""
    walls, goals, agents = (np.stack([getattr(task, name) for task in tasks]) for name in ("walls", "goal", "agent"))
    return maze.Level(
        wall_map=jax.numpy.array(walls, bool),
        goal_pos=jax.numpy.array(goals, "uint32"),
        agent_pos=jax.numpy.array(agents[:, :2], "uint32"),
        agent_dir=jax.numpy.array(agents[:, 2], "uint8"),
        width=jax.numpy.full(len(tasks), 13),
        height=jax.numpy.full(len(tasks), 13),
    )


def plans(tasks: list[UEDMazeTask], rng: np.random.Generator) -> np.ndarray:
    """Actions (250, levels): every second level's shortest solution, then and elsewhere random ones."""
    actions = rng.choice(7, (HORIZON, len(tasks)), p=[0.15, 0.15, 0.5, 0.05, 0.05, 0.05, 0.05])
    for row in range(0, len(tasks), 2):
        solution = SPACE.solve(tasks[row])
        actions[: len(solution), row] = solution
    return actions


def test_observations_rewards_and_ends_are_equal_on_10_000_levels():
    named = [*SPACE.suite("named")]
    tasks = [*named, *SPACE.suite("random").tasks[: LEVELS - len(named)]]
    theirs, key = maze.Maze(), jax.random.PRNGKey(0)
    parameters = theirs.default_params
    step = jax.jit(jax.vmap(theirs.step_env, in_axes=(None, 0, 0, None)))
    expected, state = jax.vmap(theirs.reset_env_to_level, in_axes=(None, 0, None))(key, their_levels(tasks), parameters)
    ours = gymnasium.make_vec(
        "UEDMaze-v0",
        num_envs=LEVELS,
        vectorization_mode="vector_entry_point",
        actions="published",
        autoreset_mode=AutoresetMode.DISABLED,
    )
    found, _ = ours.reset(seed=0, options={"task": tasks})
    playing, solved = np.ones(LEVELS, np.bool_), 0
    for actions in plans(tasks, np.random.default_rng(0)):
        assert np.array_equal(found["image"][playing], np.asarray(expected.image)[playing])
        assert np.array_equal(found["direction"].argmax(axis=1)[playing], np.asarray(expected.agent_dir)[playing])
        expected, state, their_rewards, their_ends, _ = step(key, state, jax.numpy.array(actions), parameters)
        found, rewards, terminations, truncations, _ = ours.step(actions)
        ends = terminations | truncations
        np.testing.assert_allclose(rewards[playing], np.asarray(their_rewards)[playing], rtol=0, atol=2**-23)
        assert np.array_equal(ends[playing], np.asarray(their_ends)[playing])
        last = playing & ends
        assert np.array_equal(found["image"][last], np.asarray(expected.image)[last]), "what is seen at the end"
        solved += int((terminations & playing).sum())
        playing &= ~ends
        if ends.any():
            found, _ = ours.reset(options={"reset_mask": ends, "task": tasks})
    assert not playing.any() and LEVELS / 2 <= solved < LEVELS


@pytest.mark.parametrize("name", NAMED_MAZES)
def test_the_named_mazes_are_theirs(name):
    theirs, ours = maze.Level.load_prefabs([name]), SPACE.suite("named")[name]
    assert np.array_equal(theirs.wall_map[0], ours.walls)
    assert np.array_equal(theirs.goal_pos[0], ours.goal)
    assert [*theirs.agent_pos[0].tolist(), int(theirs.agent_dir[0])] == ours.agent.tolist()


def test_levels_are_drawn_alike():
    """The shares of levels by their number of walls, and of those that can be solved."""
    draw = jax.jit(jax.vmap(maze.make_level_generator(13, 13, 60)))
    level = draw(jax.random.split(jax.random.PRNGKey(1), 5_000))
    agents = np.concatenate([level.agent_pos, np.asarray(level.agent_dir)[:, np.newaxis]], axis=1).astype(np.int8)
    walls, goals = np.asarray(level.wall_map).astype(np.int8), np.asarray(level.goal_pos).astype(np.int8)
    theirs, rng = list(map(UEDMazeTask, walls, goals, agents)), np.random.default_rng(1)
    ours = [SPACE.sample_task(rng) for _ in theirs]
    for measure in (lambda task: task.walls.sum(), SPACE.is_solvable, SPACE.solution_length):
        one, other = (np.array([measure(task) for task in tasks], float) for tasks in (ours, theirs))
        assert abs(one.mean() - other.mean()) < 4 * np.hypot(one.std(), other.std()) / np.sqrt(len(ours))
