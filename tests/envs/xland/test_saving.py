"""Trajectories repeat bit for bit: from a saved state, in another simulation, in a fresh process, without a break.

Saved episodes: of all players as agents, with policies as co-players, and at an episode's very end.
"""

import copy
import hashlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.envs.xland import observations, parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.gadgets import IMMUNITY_STEPS, TAG_STEPS
from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.scenes import FLAT, GRAB, USE, act, look_at, player, simulate
from tests.envs.xland.test_environment import Recorder

STEPS = 120


def test_task(number: int = 0):
    return load_suite("test")[str(number)]


test_task.__test__ = False


def random_actions(players: int, steps: int = STEPS, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, ACTION_CHOICES, (steps, players, len(ACTION_CHOICES)))


def digest(simulation: XLandSimulation) -> str:
    """Of everything that the next steps depend on, or that is observed."""
    data = simulation.bodies.data
    arrays = [
        *(data.qpos, data.qvel, data.qacc_warmstart, simulation.players, simulation.effects.frozen),
        *(
            simulation.effects.gone,
            simulation.effects.immune,
            simulation.truths,
            simulation.rewards,
            *simulation.states.arrays,
        ),
        *(simulation.hand_force, simulation.hand_distance, simulation.hand_is_holding),
    ]
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def trajectory(simulation: XLandSimulation, actions: np.ndarray) -> list[str]:
    digests = []
    for joint in actions:
        simulation.step(joint)
        digests.append(digest(simulation))
    return digests


@pytest.mark.parametrize("number", [0, 700, 1400])
def test_a_loaded_state_goes_on_bit_for_bit(number):
    """States are taken in the midst of holds, freezes and absences, and of sleep."""
    simulation = XLandSimulation(test_task(number))
    players = simulation.bodies.num_players
    actions = random_actions(players)
    states, expected, seen = [], [], np.zeros(4, bool)
    for step, joint in enumerate(actions):
        if step % 20 == 10:
            states.append((step, simulation.save()))
            effects = simulation.effects
            seen |= [
                effects.frozen.any(),
                effects.gone.any(),
                simulation.hand_is_holding.any(),
                0 in data_awake(simulation),
            ]
        simulation.step(joint)
        expected.append(digest(simulation))
    assert len(set(expected)) == STEPS and seen[3]
    other = XLandSimulation(test_task(number))
    trajectory(other, random_actions(players, 30, seed=1))
    for step, state in states[::-1]:
        for following in (simulation, other):
            following.load(state)
            assert following.steps == step
            assert trajectory(following, actions[step:]) == expected[step:]


def data_awake(simulation: XLandSimulation) -> list[int]:
    return simulation.bodies.awake[1:].tolist()


def test_states_with_holds_freezes_and_absences():
    things = ["purple sphere 0.6 m at 3.5 3.5 facing 0", "yellow cube 0.6 m at 1.5 3.5 facing 0"]
    people = [player("blue", 3.5, 2.4), player("red", 1.5, 2.4, gadget="tag"), player("green", 5.5, 3.5)]
    simulation = simulate(FLAT, *things, *people)
    simulation.bodies.object_motions[0, :3] = (0.5, 0.0, 0.0)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    look_at(simulation, 1, simulation.states.object_positions[0, 1])
    look_at(simulation, 2, simulation.states.object_positions[0, 0])
    act(simulation, 1, USE, USE, GRAB)
    assert simulation.effects.frozen[0] and simulation.effects.gone[1] and simulation.hand_is_holding[2]
    state = simulation.save()
    actions = random_actions(3, 80)
    actions[:40, 2, 4] = 1
    expected = trajectory(simulation, actions)
    fresh = simulate(FLAT, *things, *people)
    fresh.load(state)
    assert trajectory(fresh, actions) == expected
    simulation.load(state)
    assert trajectory(simulation, actions) == expected
    # From a state before anything was frozen or gone, nothing of that is left.
    begun = simulate(FLAT, *things, *people)
    at_first, plain = begun.save(), trajectory(begun, actions)
    simulation.load(state)
    simulation.load(at_first)
    assert trajectory(simulation, actions) == plain


def test_a_state_knows_for_how_long_what_is_back_cannot_be_tagged():
    people = player("blue", 3.5, 2.5, gadget="tag"), player("red", 3.5, 4.5)
    simulation = simulate(FLAT, *people)
    begun = simulation.save()
    start = simulation.states.player_positions[0, 1].copy()
    look_at(simulation, 0, start)
    act(simulation, 1, USE)
    act(simulation, TAG_STEPS + 3)
    assert simulation.effects.immune.tolist() == [0, IMMUNITY_STEPS - 3]
    state, fresh = simulation.save(), simulate(FLAT, *people)
    fresh.load(state)
    actions = np.array([[USE, NOOP]] * 40)
    expected = trajectory(simulation, actions)
    assert trajectory(fresh, actions) == expected
    fresh.load(state)
    act(fresh, 1, USE)
    assert fresh.states.players_present.all(), "immune"
    fresh.load(begun)
    assert not fresh.effects.immune.any()
    look_at(fresh, 0, start)
    act(fresh, 1, USE)
    assert not fresh.states.players_present[0, 1]
    resumed = pickle.loads(pickle.dumps(simulation))
    assert resumed.effects.immune.tolist() == simulation.effects.immune.tolist()


def test_a_reset_forgets_everything():
    simulation = XLandSimulation(test_task())
    actions = random_actions(simulation.bodies.num_players)
    first = trajectory(simulation, actions)
    simulation.reset()
    assert trajectory(simulation, actions) == first


def test_a_state_of_another_task_is_refused():
    state = XLandSimulation(test_task(0)).save()
    with pytest.raises(InvalidOptionError, match="the saved state belongs to task"):
        XLandSimulation(test_task(1)).load(state)


def test_a_state_that_lacks_something_is_refused_by_its_name_and_nothing_changes():
    simulation = XLandSimulation(test_task(0))
    state, before = simulation.save(), digest(simulation)
    for name in ("immune", "physics.qvel"):
        with pytest.raises(InvalidOptionError, match=f"the saved state lacks {name}: another version"):
            simulation.load({key: value for key, value in state.items() if key != name})
    assert digest(simulation) == before


PROGRAM = """
from tests.envs.xland.test_saving import XLandSimulation, random_actions, test_task, trajectory
simulation = XLandSimulation(test_task())
print(trajectory(simulation, random_actions(simulation.bodies.num_players))[-1])
"""


@pytest.mark.slow  # as test_three_tasks_repeat
def test_a_fresh_process_sees_the_same(request):
    simulation = XLandSimulation(test_task())
    expected = trajectory(simulation, random_actions(simulation.bodies.num_players))[-1]
    command = [sys.executable, "-c", PROGRAM]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, cwd=request.config.rootpath)
    assert printed.stdout.strip() == expected


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda simulation: pickle.loads(pickle.dumps(simulation))])
def test_copies_and_pickles_go_on_bit_for_bit(copied):
    simulation = XLandSimulation(test_task(700))
    before, after = np.split(random_actions(simulation.bodies.num_players, 2 * STEPS), 2)
    trajectory(simulation, before)
    twin = copied(simulation)
    assert trajectory(twin, after) == trajectory(simulation, after)
    assert twin.steps == simulation.steps == 2 * STEPS and twin.task == simulation.task


def test_for_a_restored_episode_nothing_is_compiled_again():
    """Neither for its observations nor for those of its next step: arrays that are gone on with can be written into."""
    env = XLandEnv(test_task(), observation="state")
    env.reset(seed=0)
    env.step(env.action_space.sample())
    state, known = env.save_state(), observations._show.signatures[:]
    env.reset(options={"state": state})
    env.step(env.action_space.sample())
    assert observations._show.signatures == known


TWO, THREE = "hand_authored/capture_the_cube", "hand_authored/choose_wisely_3p"
STEPS_OF_STATES = 8


def joint_actions(agents: list[str], seed: int) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [{agent: rng.integers(0, ACTION_CHOICES) for agent in agents} for _ in range(STEPS_OF_STATES)]


def test_all_players_go_on():
    env, other = (parallel_env(players=2, observation="both") for _ in range(2))
    env.reset(seed=3)
    for actions in joint_actions(env.agents, 0):
        last = env.step(actions)
    state, following = env.save_state(), joint_actions(env.agents, 1)
    content = pickle.dumps(state)
    expected = [*(env.step(actions) for actions in following), env.reset()]
    drawn = env.task
    assert pickle.dumps(state) == content
    for one, given in ((env, state), (other, pickle.loads(content))):
        assert_equal(one.reset(options={"state": given}), (last[0], last[4]), "what is seen first")
        assert one.task == state.task and state.elapsed == STEPS_OF_STATES
        assert_equal([*(one.step(actions) for actions in following), one.reset()], expected, "all players")
        assert one.task == drawn


def test_after_the_end_there_are_no_agents():
    env, other = (parallel_env(TWO, observation="state") for _ in range(2))
    env.reset()
    env.simulation.steps = EPISODE_STEPS - 1
    observations, _, _, truncations, infos = env.step(dict.fromkeys(env.agents, np.array(NOOP)))
    assert all(truncations.values())
    state = env.save_state()
    assert_equal(other.reset(options={"state": state}), (observations, infos), "after the end")
    assert other.agents == [] and state.ended
    with pytest.raises(ResetNeededError):
        other.step({})


def test_states_that_agents_cannot_go_on_from():
    env, single = parallel_env(players=2, observation="state"), XLandEnv(TWO, observation="state")
    three = parallel_env(THREE, observation="state")
    for one in (single, three):
        one.reset(seed=0)
    with pytest.raises(ResetNeededError, match="call reset first"):
        env.save_state()
    with pytest.raises(InvalidOptionError, match="belongs to XLandEnv; this environment needs one of XLandParallelEnv"):
        env.reset(options={"state": single.save_state()})
    with pytest.raises(InvalidTaskError, match="number of players of the task is 3, expected at most 2"):
        env.reset(options={"state": three.save_state()})
    with pytest.raises(InvalidOptionError, match="a state and a task, expected one of them"):
        three.reset(options={"state": three.save_state(), "task": THREE})
    with pytest.raises(InvalidOptionError, match="a state and a co_players, expected one of them"):
        single.reset(options={"state": single.save_state(), "co_players": "noop"})


def test_policies_go_on_as_co_players():
    env, other = XLandEnv(TWO, co_players=Recorder(), observation="state"), XLandEnv(observation="state")
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    for _ in range(STEPS_OF_STATES):
        env.step(rng.integers(0, ACTION_CHOICES))
    state, actions = env.save_state(), rng.integers(0, ACTION_CHOICES, (STEPS_OF_STATES, 6))
    expected = [env.step(action) for action in actions]
    for one in (env, other, other):
        one.reset(options={"state": state})
        assert_equal([one.step(action) for action in actions], expected, "beside a policy")
