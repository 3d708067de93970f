"""Rewards, ends and observations of rooms written out."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.success import success_info
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from tests.envs.conformance.trajectory import assert_equal
from tests.tasks.compositional_minigrid.reference_room import DONE, DROP, FORWARD, LEFT, PICKUP, RIGHT, TOGGLE

ID = "CompositionalMiniGrid-v0"
SPACE = CompositionalMiniGridTaskSpace()

ALL = "subtasks: pick up key, open door, pick up ball, open box, drop ball in box, reach goal"
COLOURS = {"K": "key: yellow", "O": "ball: blue", "B": "box: grey"}

both_backends = pytest.mark.parametrize("backend", ["numba", "minigrid"])


def room(*rows: str, header: str = ALL) -> CompositionalMiniGridTask:
    lines = [f"#{row.ljust(6, '.')}#" for row in rows] + ["#......#"] * (6 - len(rows))
    colours = [colour for symbol, colour in COLOURS.items() if symbol in "".join(rows)]
    return CompositionalMiniGridTask.from_text("\n".join([header, *colours, "########", *lines, "########"]))


EVERYTHING = room("..>K.D", "...G..", "O.B...")


def play(task, actions, backend="numba"):
    env = gymnasium.make(ID, backend=backend)
    env.reset(seed=0, options={"task": task})
    return [env.step(action) for action in actions]


def rewards(task, actions, backend="numba") -> list[float]:
    return [reward for _, reward, *_ in play(task, actions, backend)]


@both_backends
def test_each_subtask_pays_once_and_all_sum_to_one(backend):
    for task in SPACE.suite("test").tasks[7::20]:
        steps = play(task, SPACE.solve(task).tolist(), backend)
        earned = np.array([step[1] for step in steps])
        assert np.count_nonzero(earned) == task.subtasks.sum() + 1
        assert set(earned[earned != 0].tolist()) == {1 / (int(task.subtasks.sum()) + 1)}
        assert earned.sum() == pytest.approx(1, abs=1e-12)
        *_, (observation, _, terminated, _, info) = steps
        assert terminated and info["success"] and np.array_equal(observation["finished"], task.subtasks)
        assert not any(step[2] or step[4]["success"] for step in steps[:-1])


@both_backends
@pytest.mark.parametrize(
    ("task", "actions", "expected"),
    [
        (room(">G", header="subtasks: reach goal"), [FORWARD], [1.0]),
        (room(">KG", header="subtasks: pick up key, reach goal"), [PICKUP, FORWARD, FORWARD], [0.5, 0, 0.5]),
        (room(">K.G", header="subtasks: pick up key, reach goal"), [PICKUP, DROP, PICKUP], [0.5, 0, 0]),
        (room(">K", "GD", header="subtasks: open door, reach goal"), [PICKUP, RIGHT, FORWARD], [0, 0, 0]),
        (room(">KD", "G", header="subtasks: open door, reach goal"), [PICKUP, FORWARD, TOGGLE], [0, 0, 0.5]),
        (room(">DK", "..G", header="subtasks: open door, reach goal"), [TOGGLE, FORWARD, PICKUP], [0, 0, 0]),
        (room(">B", "..G", header="subtasks: open box, reach goal"), [PICKUP, TOGGLE, TOGGLE], [0, 0.5, 0]),
        (room(">O.G", header="subtasks: pick up ball, reach goal"), [TOGGLE, PICKUP, PICKUP], [0, 0.5, 0]),
    ],
    ids=[
        "the goal alone",
        "a key and the goal",
        "a key is paid once",
        "the goal too early",
        "an unasked key pays nothing",
        "a locked door",
        "a box cannot be carried",
        "toggling a ball does nothing",
    ],
)
def test_rewards_of_the_specification(task, actions, expected, backend):
    assert rewards(task, actions, backend) == pytest.approx(expected, abs=1e-12)


@both_backends
def test_the_goal_ends_the_episode_without_success_before_all_is_done(backend):
    task = room(">GK", header="subtasks: pick up key, reach goal")
    ((observation, reward, terminated, truncated, info),) = play(task, [FORWARD], backend)
    assert (reward, terminated, truncated, info) == (0.0, True, False, success_info(False))
    assert observation["position"].tolist() == [2, 1]


@both_backends
def test_a_ball_goes_into_the_open_box_for_good(backend):
    task = room("O>B", "..G", header="subtasks: drop ball in box, reach goal")
    actions = [LEFT, LEFT, PICKUP, LEFT, LEFT, DROP, TOGGLE, DROP, PICKUP, TOGGLE, DROP]
    steps = play(task, actions, backend)
    ahead = [step[0]["image"][3, 5].tolist() for step in steps[4:]]
    grey = 5
    assert ahead == [[7, grey, 0]] * 2 + [[7, grey, 1]] + [[7, grey, 2]] * 4
    assert [step[1] for step in steps] == [0] * 7 + [0.5] + [0] * 3
    carried = [step[0]["image"][3, 6].tolist() for step in steps]
    assert carried == [[1, 0, 0]] * 2 + [[6, 2, 0]] * 5 + [[1, 0, 0]] * 4


@both_backends
def test_a_door_beside_the_agent_hides_what_is_behind_it_until_it_is_open(backend):
    task = room("G", "D", ">K", header="subtasks: open door, reach goal")
    env = gymnasium.make(ID, backend=backend)
    observation, _ = env.reset(options={"task": task})
    yellow = 4
    assert observation["image"][1:3, 6].tolist() == [[0, 0, 0], [4, yellow, 2]]
    for action in (PICKUP, LEFT, TOGGLE, RIGHT):
        observation, *_ = env.step(action)
    assert observation["image"][1:3, 6].tolist() == [[8, 1, 0], [4, yellow, 0]]


@both_backends
def test_observations_tell_the_agents_own_state_and_the_design(backend):
    env = gymnasium.make(ID, backend=backend)
    observation, _ = env.reset(options={"task": EVERYTHING})
    assert observation["position"].tolist() == [3, 1] and observation["direction"].tolist() == [1, 0, 0, 0]
    assert observation["asked"].tolist() == [1] * 5 and not observation["finished"].any()
    observation, *_ = env.step(PICKUP)
    assert observation["finished"].tolist() == [1, 0, 0, 0, 0]
    observation, *_ = env.step(LEFT)
    assert observation["direction"].tolist() == [0, 0, 0, 1]
    observation, *_ = env.step(DONE)
    assert observation["image"][3, 6].tolist() == [5, 4, 0]


@both_backends
def test_a_saved_state_goes_on_exactly(backend):
    """Whatever is open, carried or in the box when it is saved."""
    one, other = (
        gymnasium.make_vec(ID, num_envs=6, vectorization_mode="vector_entry_point", backend=backend) for _ in range(2)
    )
    tasks = [SPACE.suite("test")[f"key+door+ball+box+drop-{k}"] for k in range(6)]
    plan = np.array([[*SPACE.solve(task)[:20], *[PICKUP, DROP, TOGGLE] * 10] for task in tasks]).T
    for saved_after in range(0, 30, 6):
        one.reset(seed=1, options={"task": tasks})
        other.reset(seed=2)
        for actions in plan[:saved_after]:
            one.step(actions)
        other.reset(options={"state": one.unwrapped.save_states()})
        for actions in plan[saved_after:]:
            assert_equal(other.step(actions), one.step(actions), f"saved after {saved_after} steps")


def test_an_unknown_backend_is_refused():
    with pytest.raises(InvalidOptionError, match="backend is 'jax', expected one of \\['numba', 'minigrid'\\]"):
        gymnasium.make(ID, backend="jax")
