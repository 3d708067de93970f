"""Simulations go on bit for bit: from saved states, in another one, as copies, after any history, in a new process."""

import copy
import hashlib
import pickle
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.fetch_blocks.start import HELD

STEPS = 40


def start_of(seed: int, held: bool, num_blocks: int = 4):
    rng = np.random.default_rng(seed)
    while True:
        start = draw_start(rng, num_blocks)
        if (HELD in start.levels) == held:
            return start


def actions_of(seed: int) -> np.ndarray:
    """Slow ways, so that blocks are carried, pushed and left to sleep."""
    rng = np.random.default_rng(seed)
    ways = rng.uniform(-0.5, 0.5, (STEPS // 10, 3)).repeat(10, axis=0)
    return np.column_stack([ways, rng.choice([-1.0, 1.0], STEPS // 10).repeat(10)]).astype(np.float32)


def played(simulation: FetchBlocksSimulation, actions: np.ndarray) -> np.ndarray:
    return np.array([simulation.step(action).copy() for action in actions])


def whole(simulation: FetchBlocksSimulation) -> tuple[bytes, ...]:
    data = simulation.data
    return data.qpos.tobytes(), data.qvel.tobytes(), data.qacc_warmstart.tobytes(), data.mocap_pos.tobytes()


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("sleep", [True, False])
def test_a_loaded_state_goes_on_bit_for_bit(held, sleep):
    simulation, other = FetchBlocksSimulation(4, sleep), FetchBlocksSimulation(4, sleep)
    start, actions = start_of(3, held), actions_of(0)
    simulation.begin(start)
    saved, states = {}, []
    for step, action in enumerate(actions):
        if step % 13 == 0:
            saved[step] = simulation.save()
        states.append(simulation.step(action).copy())
    end = whole(simulation)
    assert simulation.data.ntree_awake < 5 or not sleep
    for step, state in saved.items():
        for one in (simulation, other):
            one.load(state)
            assert np.array_equal(one.state, state["state"])
            assert np.array_equal(played(one, actions[step:]), states[step:])
            assert whole(one) == end


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda simulation: pickle.loads(pickle.dumps(simulation))], ids=["deepcopy", "pickle"]
)
def test_copies_go_on_bit_for_bit_and_apart(copied):
    simulation, actions = FetchBlocksSimulation(3), actions_of(1)
    simulation.begin(start_of(4, True, 3))
    played(simulation, actions[:15])
    twin, before = copied(simulation), simulation.state.copy()
    expected = played(simulation, actions[15:])
    assert np.array_equal(twin.state, before), "the copy moved with the original"
    assert np.array_equal(played(twin, actions[15:]), expected)
    assert whole(twin) == whole(simulation)


def test_an_episode_leaves_nothing_behind():
    used, actions = FetchBlocksSimulation(4), actions_of(3)
    for seed, held in enumerate((True, False, True)):
        start = start_of(seed, held)
        fresh = FetchBlocksSimulation(4)
        fresh.begin(start)
        expected = played(fresh, actions)
        used.begin(start)
        assert np.array_equal(played(used, actions), expected)
        assert whole(used) == whole(fresh)


def test_what_is_saved_is_small_and_all_that_counts():
    """It goes on in a simulation all of whose other numbers were none."""
    simulation, spoilt = FetchBlocksSimulation(4), FetchBlocksSimulation(4)
    actions = actions_of(5)
    simulation.begin(start_of(7, True))
    played(simulation, actions[:25])
    saved = simulation.save()
    assert sum(np.asarray(value).nbytes for value in saved.values()) < 3_000
    for name, array in numbers_of(spoilt.data).items():
        if name not in ("qpos", "mocap_pos", "mocap_quat"):
            array[...] = np.nan
    spoilt.load(saved)
    assert np.array_equal(played(spoilt, actions[25:]), played(simulation, actions[25:]))
    assert whole(spoilt) == whole(simulation)


def numbers_of(data: mujoco.MjData) -> dict[str, np.ndarray]:
    """The arrays of real numbers that MuJoCo keeps between steps, by name."""
    named = {name: getattr(data, name) for name in dir(data) if not name.startswith("_")}
    return {name: array for name, array in named.items() if isinstance(array, np.ndarray) and array.dtype == np.float64}


def digest_of_an_episode() -> str:
    simulation = FetchBlocksSimulation(4)
    simulation.begin(start_of(6, True))
    return hashlib.sha256(played(simulation, actions_of(4)).tobytes()).hexdigest()


def test_a_fresh_process_agrees(request):
    program = "from tests.envs.fetch_blocks.test_saving import digest_of_an_episode; print(digest_of_an_episode())"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True, check=True).stdout
    assert found.splitlines()[-1] == digest_of_an_episode()


def test_a_start_of_more_blocks_is_refused():
    with pytest.raises(InvalidTaskError, match="number of blocks is 4, expected 3, as the environment has"):
        FetchBlocksSimulation(3).begin(start_of(0, True))
