"""XLandEnv: seats and who fills them, tasks in all forms, episodes from reset to end, and every bad input."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import (
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    ProcgenBenchError,
    ResetNeededError,
    UnknownNameError,
)
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.participants import NoopParticipant, PolicyParticipant, RandomParticipant
from procgen_bench.envs.xland.players_vector_env import XLandPlayersVectorEnv
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, parse_atom
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.scenes import FLAT, GRAB, look_at, player, simulate

ONE, TWO, THREE = "hand_authored/find_cube", "hand_authored/capture_the_cube", "hand_authored/choose_wisely_3p"
OPEN_TWO = next(task for task in load_suite("test") if task.game.num_players == 2)
OPEN_THREE = next(task for task in load_suite("test") if task.game.num_players == 3)
STILL = np.array(NOOP)


class Recorder(Policy):
    """Draws actions, and remembers what it was shown."""

    def __init__(self):
        self.seen, self.starts, self.seeds = [], [], []

    def seed(self, seed):
        self.seeds.append(seed)
        self.rng = np.random.default_rng(seed)

    def act(self, observations, episode_starts):
        self.seen.append(observations)
        self.starts.append(episode_starts.tolist())
        return self.rng.integers(0, ACTION_CHOICES, (len(episode_starts), 6))


class ByStates(Recorder):
    """And asks for states."""

    environment_options = {"observation": "state"}


def play(env: XLandEnv, steps: int, **reset) -> list:
    """What reset and so many steps of drawn actions return, and the joint state after each."""
    rng = np.random.default_rng(3)
    moments = [(env.reset(**reset), env.simulation.bodies.positions.copy())]
    for _ in range(steps):
        moments.append((env.step(rng.integers(0, ACTION_CHOICES)), env.simulation.bodies.positions.copy()))
    return moments


def seated(env: XLandEnv) -> list:
    return env._participants


def test_the_world_is_that_of_all_players():
    """One player steps; the others do what their participants choose, as the simulation shows."""
    env = XLandEnv(co_players="random", observation="state")
    moments = play(env, 50, seed=4, options={"task": OPEN_TWO})
    twin = XLandSimulation(OPEN_TWO)
    # The generators as the environment hands them out.
    rng = gymnasium.utils.seeding.np_random(4)[0].spawn(1)[0]
    other, own = RandomParticipant(), np.random.default_rng(3)
    other.begin(twin, 1, rng)
    for _, positions in moments[1:]:
        twin.step(np.array([own.integers(0, ACTION_CHOICES), other.act()]))
        assert np.array_equal(twin.bodies.positions, positions)


def test_a_tasks_own_co_players_come_first():
    env = XLandEnv(co_players="random", observation="state")
    env.reset(options={"task": OPEN_TWO, "co_players": "noop"})
    assert [type(one) for one in seated(env)] == [NoopParticipant] and env.task.co_players == ("noop",)
    env.reset(options={"task": OPEN_TWO})
    assert [type(one) for one in seated(env)] == [RandomParticipant] and env.task == OPEN_TWO
    env.reset(options={"task": OPEN_THREE, "co_players": ["noop", "random"]})
    assert [type(one) for one in seated(env)] == [NoopParticipant, RandomParticipant]
    assert [one.seat for one in seated(env)] == [1, 2]


def test_one_for_each_seat():
    env = XLandEnv(co_players=["noop", "random"], observation="state")
    for task, expected in ((OPEN_THREE, [NoopParticipant, RandomParticipant]), (OPEN_TWO, [NoopParticipant])):
        env.reset(options={"task": task})
        assert [type(one) for one in seated(env)] == expected
    env.reset(options={"task": ONE})
    assert seated(env) == []


def test_open_seats_are_drawn_by_the_seed():
    env = XLandEnv(observation="state")

    def drawn(seed: int) -> list[str]:
        env.reset(seed=seed, options={"task": OPEN_THREE})
        return [vars(one).get("temper", type(one)) for one in seated(env)]

    found = [drawn(seed) for seed in range(30)]
    assert found == [drawn(seed) for seed in range(30)]
    assert any(one != other for one, other in found), "both seats always have the same co-player"


def test_policies_see_what_their_own_player_sees_and_are_seeded():
    policy = Recorder()
    env = XLandEnv(co_players=policy, observation="both")
    first = play(env, 5, seed=1, options={"task": OPEN_THREE})
    assert policy.seen == [], "the given policy itself was played"
    for seat, participant in enumerate(seated(env), start=1):
        assert isinstance(participant, PolicyParticipant) and participant.seat == seat
        played = participant._policy
        assert len(played.seen) == 5 and played.starts == [[True]] + [[False]] * 4 and len(played.seeds) == 1
        assert all(
            env.observation_space.contains({name: array[0] for name, array in one.items()}) for one in played.seen
        )
        own = OPEN_THREE.game.goals[seat]
        assert (played.seen[0]["goal_atoms"][0] < 212).sum() == len(own.atoms)
    assert_equal(play(env, 5, seed=1, options={"task": OPEN_THREE}), first, "a second episode of the seed")
    assert seated(env)[0]._policy.seeds != seated(env)[1]._policy.seeds


def test_what_a_policy_chooses_is_checked():
    class Wrong(Policy):
        def act(self, observations, episode_starts):
            return np.full((1, 6), 9)

    env = XLandEnv(co_players=Wrong(), observation="state")
    env.reset(seed=0, options={"task": OPEN_TWO})
    with pytest.raises(InvalidActionError, match=r"actions\[0, 0\] is 9, expected 0 to 2, of a co-player"):
        env.step(STILL)


def test_success_lasts_and_rewards_are_those_of_player_1():
    cube = "black cube 0.6 m at 3.5 3.5 facing 0"
    task = simulate(FLAT, cube, player("blue", 3.5, 2.3), game="hold(me,black cube)").task
    env = XLandEnv(task, observation="state")
    _, info = env.reset()
    assert info["success"] is False
    look_at(env.simulation, 0, env.simulation.states.object_positions[0, 0])
    for action, reward, success in ((NOOP, 0.0, False), (GRAB, 1.0, True), (NOOP, 0.0, True)):
        _, found, terminated, truncated, info = env.step(np.array(action))
        assert (found, terminated, truncated, info["success"]) == (reward, False, False, success)
        assert info["rewards"].tolist() == [reward, 0.0, 0.0]
    assert env.reset()[1]["success"] is False


def test_truths_of_the_goals_atoms_are_told_on_request():
    """Of every player's own goal, as that player sees them."""
    game = "on(me,brown floor) & see(me,opponent)\nsee(opponent,me) & ~see(me,opponent)\n"
    task = simulate(FLAT, player("blue", 3.5, 2.0), player("red", 3.5, 4.0), game=game).task
    env = XLandEnv(task, observation="state", co_players="noop", atom_truths=True)
    env.reset(seed=0)
    *_, info = env.step(STILL)
    expected = np.zeros((3, 212), bool)
    expected[0, [ATOM_INDEX[parse_atom(name)] for name in ("on(me,brown floor)", "see(me,opponent)")]] = True
    expected[1, ATOM_INDEX[parse_atom("see(opponent,me)")]] = True
    assert info["atom_truths"].dtype == np.bool_ and np.array_equal(info["atom_truths"], expected)
    *_, later = env.step([1, 2, 6, 2, 0, 0])
    *_, later = env.step([1, 2, 6, 2, 0, 0])  # turned away by 48 degrees
    assert np.array_equal(info["atom_truths"], expected) and later["atom_truths"].sum() == 1
    quiet = XLandEnv(task, observation="state", co_players="noop")
    assert "atom_truths" not in quiet.reset(seed=0)[1]


def test_an_episode_lasts_900_steps():
    env = gymnasium.make("XLand-v0", tasks=ONE, observation="state")
    env.reset(seed=0)
    for step in range(900):
        *_, terminated, truncated, info = env.step(STILL)
        assert not terminated and truncated == (step == 899) and "reason" not in info
    with pytest.raises(ResetNeededError, match="after the end of the episode"):
        env.unwrapped.step(STILL)


def test_physics_that_diverges_truncates():
    env = XLandEnv(ONE, observation="state")
    env.reset()
    env.simulation.bodies.velocities[0] = np.nan
    _, reward, terminated, truncated, info = env.step(STILL)
    assert (reward, terminated, truncated) == (0.0, False, True) and info["reason"] == DIVERGED
    env.reset()
    assert env.step(STILL)[4]["success"] is False


@pytest.mark.parametrize("players", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_drawn_tasks_have_so_many_players(players):
    env = XLandEnv(players=players, observation="state")
    env.reset(seed=5)
    assert env.task.game.num_players == players and not env.task.co_players
    first = env.task
    env.reset()
    assert env.task != first
    env.reset(seed=5)
    assert env.task == first


def test_tasks_are_drawn_from_what_is_given():
    env = XLandEnv("hand_authored", observation="state")
    drawn = []
    for seed in range(12):
        env.reset(seed=seed)
        drawn.append(env.task)
    suite = load_suite("hand_authored")
    assert all(task in list(suite) for task in drawn) and len({task.fingerprint() for task in drawn}) > 5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_in_the_midst_of_an_episode(copied):
    env = XLandEnv(co_players="random", observation="state")
    play(env, 40, seed=2, options={"task": OPEN_TWO})
    twin, rng = copied(env), np.random.default_rng(0)
    for action in rng.integers(0, ACTION_CHOICES, (40, 6)):
        assert_equal(twin.step(action), env.step(action), "the copy goes on otherwise")
    assert_equal(twin.reset(), env.reset(), "the copy draws otherwise")


def test_pictures():
    env = XLandEnv(TWO, render_mode="rgb_array")
    with pytest.raises(ResetNeededError, match="call reset first"):
        env.render()
    observation, _ = env.reset()
    frame = env.render()
    assert frame.shape == (400, 672, 3) and frame.dtype == np.uint8
    # The view is the observed one, four times as large: pixels in the middle of the blocks agree but at edges.
    same = (frame[2:288:4, 2:384:4].astype(int) - observation["rgb"]).__abs__().max(axis=-1) <= 8
    assert same.mean() > 0.9


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"players": 4}, InvalidOptionError, r"players is 4, expected one of \[1, 2, 3\]"),
        ({"players": True}, InvalidOptionError, "players is True"),
        ({"observation": "video"}, InvalidOptionError, "observation is 'video', expected one of"),
        ({"privileged": 1}, InvalidOptionError, "privileged is 1"),
        ({"render_mode": "ansi"}, InvalidOptionError, "render_mode is 'ansi'"),
        ({"co_players": "nobody"}, UnknownNameError, "nobody"),
        ({"co_players": ["noop", 3]}, InvalidOptionError, "co_players holds 3, expected names of co-players, polic"),
        ({"co_players": 7}, InvalidOptionError, "co_players is 7, expected names of co-players, policies"),
        ({"co_players": [None]}, InvalidOptionError, "co_players holds None"),
        ({"tasks": "nowhere"}, UnknownNameError, "nowhere"),
    ],
)
def test_bad_arguments(options, error, message):
    with pytest.raises(error, match=message):
        XLandEnv(**options)


def test_a_policy_that_plays_by_states_takes_no_seat_among_pictures():
    player = ByStates()
    with pytest.raises(InvalidOptionError, match="expected a policy for observation='pixels'"):
        XLandEnv(co_players=player)
    with pytest.raises(InvalidOptionError, match="expected a policy for observation='pixels'"):
        XLandPlayersVectorEnv(1, co_players=[player, None])
    XLandEnv(co_players=player, observation="state").close()


def test_a_policy_that_sees_everything_takes_no_seat_among_those_that_do_not():
    player = ByStates()
    player.environment_options = {"observation": "state", "privileged": True}
    with pytest.raises(InvalidOptionError, match="expected a policy for privileged=False, by which all players"):
        XLandEnv(co_players=player, observation="state")
    XLandEnv(co_players=player, observation="state", privileged=True).close()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"task": OPEN_THREE}, InvalidOptionError, "co_players are 1, but the task has 2 players other than the first"),
        ({"task": "test/none"}, UnknownNameError, "none"),
        ({"task": OPEN_TWO, "co_players": ["noop", "noop"]}, InvalidTaskError, "number of co-players is 2"),
        ({"task": ONE, "co_players": "noop"}, InvalidTaskError, "number of co-players is 1"),
        ({"co_players": "nobody"}, UnknownNameError, "nobody"),
        ({"co_players": Recorder()}, InvalidOptionError, "co_players holds .*expected names of co-players$"),
        ({"seat": 1}, InvalidOptionError, "unknown reset option 'seat'"),
        ([], InvalidOptionError, "reset's options are"),
    ],
)
def test_what_reset_refuses_leaves_the_episode_as_it_is(options, error, message):
    env = XLandEnv(players=2, co_players=["random"], observation="state")
    twin = XLandEnv(players=2, co_players=["random"], observation="state")
    play(env, 3, seed=1)
    play(twin, 3, seed=1)
    with pytest.raises(error, match=message):
        env.reset(options=options)
    with pytest.raises(error, match=message):
        env.reset(seed=9, options=options)
    assert_equal(env.step(STILL), twin.step(STILL), "the episode does not go on as it would have")
    assert_equal(env.reset(), twin.reset(), "the next task is not the one that would have been drawn")


@pytest.mark.parametrize("action", [3, STILL[:5], STILL + 0.5, STILL - 2, np.array([1, 2, 3, 2, 0, 2]), "noop", None])
def test_bad_actions(action):
    env = XLandEnv(ONE, observation="state")
    env.reset()
    with pytest.raises(InvalidActionError, match="expected a member of MultiDiscrete"):
        env.step(action)
    env.step(STILL)


def test_everything_needs_a_reset_first():
    env = XLandEnv(observation="state")
    for use in (lambda: env.step(STILL), lambda: env.task, lambda: env.simulation):
        with pytest.raises(ResetNeededError, match="call reset first"):
            use()
    assert issubclass(ResetNeededError, ProcgenBenchError)
