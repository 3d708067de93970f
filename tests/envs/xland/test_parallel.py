"""XLandParallelEnv: PettingZoo's own checks, episodes from reset to end, and bad arguments and actions."""

import sys
import warnings

import numpy as np
import pytest

from procgen_bench.core.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidOptionError,
    MissingExtraError,
    ResetNeededError,
)
from procgen_bench.core.success import success_info
from procgen_bench.envs.xland import parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.observations import KINDS
from procgen_bench.envs.xland.parallel import XLandParallelEnv
from procgen_bench.envs.xland.simulation import DIVERGED
from procgen_bench.tasks.xland import ATOMS
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.parallel_play import ONE, STILL, THREE, TWO, one_line
from tests.envs.xland.scenes import FLAT, GRAB, USE, look_at, player, simulate

with warnings.catch_warnings():
    # PettingZoo's checks import a game of its own in a way that it calls deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test, parallel_seed_test


def random_actions(env: XLandParallelEnv, rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {agent: rng.integers(0, ACTION_CHOICES) for agent in env.agents}


def play(env: XLandParallelEnv, steps: int, **reset) -> list:
    """What reset and so many steps of random actions return."""
    rng = np.random.default_rng(3)
    return [env.reset(**reset), *(env.step(random_actions(env, rng)) for _ in range(steps))]


def scene(*things: str, observation: str = "state", tiles: str = FLAT, game: str | None = None) -> XLandParallelEnv:
    env = parallel_env(simulate(tiles, *things, game=game).task, observation=observation)
    env.reset()
    return env


@pytest.mark.parametrize("players", [2, *(pytest.param(other, marks=pytest.mark.slow) for other in (1, 3))])
@pytest.mark.filterwarnings("ignore:unknown reset option 'options'")
def test_pettingzoos_interface(players):
    parallel_api_test(parallel_env(players=players, observation="state"), num_cycles=30)


@pytest.mark.filterwarnings("ignore:unknown reset option 'options'")
def test_pettingzoos_interface_to_the_end_of_an_episode():
    parallel_api_test(parallel_env(TWO, observation="state"), num_cycles=901)


@pytest.mark.parametrize("players", [2, *(pytest.param(other, marks=pytest.mark.slow) for other in (1, 3))])
def test_pettingzoos_seeds(players):
    parallel_seed_test(lambda: parallel_env(players=players, observation="both"), num_cycles=10)


@pytest.mark.parametrize("observation", KINDS)
@pytest.mark.parametrize("task", [TWO, *(pytest.param(other, marks=pytest.mark.slow) for other in (ONE, THREE))])
def test_observations_lie_in_their_spaces(task, observation):
    env = parallel_env(task, observation=observation, privileged=True)
    for observations, *_ in play(env, 60):
        assert list(observations) == env.agents == env.possible_agents
        for agent, of_agent in observations.items():
            assert env.observation_space(agent).contains(of_agent)
        assert env.state_space.contains(env.state())


@pytest.mark.parametrize("observation", KINDS)
def test_the_same_seed_and_actions_give_the_same_episode(observation):
    first, second = (play(parallel_env(observation=observation), 20, seed=5) for _ in range(2))
    assert_equal(first, second, "two environments")


def test_an_episode_that_is_reset_is_that_of_a_new_environment():
    env = parallel_env(THREE, observation="both")
    play(env, 100)
    assert_equal(play(env, 40), play(parallel_env(THREE, observation="both"), 40), "reset, and new")


def test_observations_are_not_overwritten():
    env = parallel_env(TWO, observation="both")
    (first, _), *_ = play(env, 0)
    kept = {name: array.copy() for name, array in first["player_1"].items()}
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, np.array([2, 2, 6, 4, 1, 1])))
    assert_equal(first["player_1"], kept, "observation after later steps")


def test_the_last_action_is_observed():
    env = parallel_env(TWO, observation="state")
    observations, _ = env.reset()
    assert not observations["player_1"]["last_action"].any()
    observations, *_ = env.step({"player_2": np.array([2, 0, 6, 4, 1, 1]), "player_1": STILL})
    assert np.flatnonzero(observations["player_1"]["last_action"]).tolist() == [1, 5, 11, 17, 20, 22]
    assert np.flatnonzero(observations["player_2"]["last_action"]).tolist() == [2, 3, 14, 19, 21, 23]


def test_every_player_observes_its_own_goal():
    env = parallel_env("test/1500", observation="state")
    observations, _ = env.reset()
    assert len(observations) == 3
    for goal, observation in zip(env.task.game.goals, observations.values()):
        atoms = observation["goal_atoms"]
        places = atoms[atoms != 212]
        assert places.tolist() == goal.atoms.tolist()
        found = observation["goal_matrix"][: len(goal.matrix), : len(places)]
        np.testing.assert_array_equal(found, goal.matrix[:, places])
    assert len({observation["goal_matrix"].tobytes() for observation in observations.values()}) == 3


def test_rewards_and_success_are_each_players_own():
    game = "on(me,brown floor)\nhold(me,black cube)\n"
    cube = "black cube 0.6 m at 3.5 3.5 facing 0"
    env = scene(cube, player("blue", 1.5, 1.5), player("red", 3.5, 2.3), game=game)
    look_at(env.simulation, 1, env.simulation.states.object_positions[0, 0])
    for action, holds, succeeded in ((NOOP, False, False), (GRAB, True, True), (NOOP, False, True)):
        _, rewards, terminations, truncations, infos = env.step({"player_1": STILL, "player_2": np.array(action)})
        assert rewards == {"player_1": 1.0, "player_2": float(holds)}
        assert infos == {"player_1": success_info(True), "player_2": success_info(succeeded)}
        assert not any(terminations.values()) and not any(truncations.values())


def test_truths_are_told_to_every_player_as_it_sees_them():
    env = XLandParallelEnv(TWO, observation="state", atom_truths=True)
    _, infos = env.reset(seed=0)
    _, _, _, _, later = env.step(dict.fromkeys(env.agents, STILL))
    for p, agent in enumerate(env.agents):
        assert later[agent]["atom_truths"].shape == (len(ATOMS),)
        np.testing.assert_array_equal(later[agent]["atom_truths"], env.simulation.truths[0, p])
        assert infos[agent]["atom_truths"] is not later[agent]["atom_truths"]


def test_an_episode_is_truncated_after_900_steps():
    env = parallel_env(ONE, observation="state")
    env.reset()
    for step in range(1, 901):
        _, _, terminations, truncations, infos = env.step({"player_1": STILL})
        assert truncations == {"player_1": step == 900} and terminations == {"player_1": False}
    assert env.agents == [] and set(infos["player_1"]) == {"success", "is_success"}
    with pytest.raises(ResetNeededError, match="after the end of the episode"):
        env.step({"player_1": STILL})
    env.reset()
    assert env.agents == ["player_1"]


def test_physics_that_diverges_truncates():
    env = scene("black cube 0.6 m at 3.5 4.5 facing 0", player("blue", 3.5, 2.0), observation="both")
    env.simulation.bodies.object_motions[0] = np.nan
    observations, rewards, terminations, truncations, infos = env.step({"player_1": STILL})
    assert rewards == {"player_1": 0.0} and terminations == {"player_1": False} and truncations == {"player_1": True}
    assert infos == {"player_1": success_info(False) | {"reason": DIVERGED}} and env.agents == []
    assert all(np.isfinite(array).all() for array in observations["player_1"].values())
    env.reset()
    assert env.step({"player_1": STILL})[3] == {"player_1": False}


def test_the_state_by_hand():
    cube, blue = "yellow pyramid 0.6 m at 3.5 3.5 facing 0.5", player("blue", 3.5, 2.3, 1.0)
    env = scene(cube, blue, player("green", 6.0, 1.0, 2.0, "tag"))
    look_at(env.simulation, 0, env.simulation.states.object_positions[0, 0])
    env.step({"player_1": np.array(GRAB), "player_2": np.array(USE)})
    state = env.state()
    assert state[0] == 1.0
    rows = state[1:].reshape(15, 28)
    assert rows.any(axis=1).nonzero()[0].tolist() == [0, 12, 13]
    assert rows[0, :13].tolist() == [1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.6]
    np.testing.assert_array_equal(rows[0, 13:16], env.simulation.states.object_positions[0, 0])
    np.testing.assert_array_equal(rows[0, 16:20], env.simulation.states.object_rotations[0, 0])
    assert rows[12, :13].tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1.65]
    np.testing.assert_allclose(rows[13, [16, 19]], [np.cos(1.0), np.sin(1.0)], atol=1e-4)
    assert rows[12, 23] == env.simulation.players["pitch"][0] and rows[12, 24] == 1 and rows[12, 25] > 0.5
    assert rows[13, 24:28].tolist() == [0, 0, 8, 0]  # its gadget has to wait for a second


def test_pictures_show_all_views_and_the_map():
    env = parallel_env(TWO, render_mode="rgb_array")
    env.reset()
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape == (400, 2 * 384 + 288, 3)
    env.step(dict.fromkeys(env.agents, np.array([1, 2, 6, 2, 0, 0])))
    assert (env.render()[:, :384] != picture[:, :384]).any()


def test_a_picture_without_a_render_mode_warns():
    env = parallel_env(TWO)
    env.reset()
    with pytest.warns(UserWarning, match="without a render mode"):
        assert env.render() is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observation": "rgb"}, "observation is 'rgb', expected one of .'pixels', 'state', 'both'."),
        ({"observation": ["state"]}, "observation is .'state'., expected one of"),
        ({"players": 0}, "players is 0, expected one of .None, 1, 2, 3."),
        ({"players": True}, "players is True"),
        ({"privileged": 1}, "privileged is 1, expected one of .False, True."),
        ({"render_mode": "human"}, "render_mode is 'human', expected one of .None, 'rgb_array'."),
    ],
)
def test_bad_arguments(options, message):
    with one_line(InvalidOptionError, message):
        parallel_env(**options)


TWO_AGENTS = r"\['player_1', 'player_2'\]"
WHOLE = r"expected a member of MultiDiscrete\(\[3 5 7 5 2 2\]"


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"player_1": NOOP, "player_2": (1, 2, 3, 2, 0)}, "action of player_2 is .*" + WHOLE),
        ({"player_1": (3, 2, 3, 2, 0, 0), "player_2": NOOP}, "action of player_1 is .3, 2, 3, 2, 0, 0.*, " + WHOLE),
        ({"player_1": NOOP, "player_2": (1, 2, 3, 2, 0, -1)}, "action of player_2 is .1, 2, 3, 2, 0, -1.*, " + WHOLE),
        ({"player_1": NOOP, "player_2": np.ones(6)}, "action of player_2 is .*" + WHOLE),
        ({"player_1": NOOP, "player_2": None}, "action of player_2 is None, " + WHOLE),
        ({"player_1": [1, [2, 3]], "player_2": NOOP}, "action of player_1 is .*" + WHOLE),
        ({"player_1": NOOP}, "there is no action of player_2, expected those of " + TWO_AGENTS),
        ({"player_1": NOOP, "player_3": NOOP}, "there is an action of 'player_3', expected those of " + TWO_AGENTS),
        ([NOOP, NOOP], "actions are .*, expected a dict with the keys " + TWO_AGENTS),
    ],
)
def test_bad_actions(actions, message):
    env = parallel_env(TWO, observation="state")
    env.reset()
    with one_line(InvalidActionError, message):
        env.step(actions)
    assert env.simulation.steps == 0


def test_everything_needs_a_reset_first():
    env = parallel_env(TWO, render_mode="rgb_array")
    for use in (env.state, env.render, lambda: env.step({}), lambda: env.task):
        with one_line(ResetNeededError, ".*reset"):
            use()


def test_without_pettingzoo_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "procgen_bench.envs.xland.parallel")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with one_line(MissingExtraError, "pettingzoo is not installed", r"procgen-bench\[multiagent\]"):
        parallel_env()


def test_nothing_is_played_after_close():
    env = parallel_env()
    _, _ = env.reset(seed=np.int64(0))
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    env.close()
    env.close()
    for call in (lambda: env.step(actions), env.reset):
        with pytest.raises(ClosedEnvironmentError, match="the environment has been closed"):
            call()


@pytest.mark.parametrize("seed", [True, -1, 1.0])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InvalidOptionError, match="expected an integer of at least 0"):
        parallel_env().reset(seed=seed)
