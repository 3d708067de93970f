"""The tasks of XLandParallelEnv: given in all forms, drawn, and refused."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, UnknownNameError
from procgen_bench.envs.xland import parallel_env
from procgen_bench.tasks.xland import ATOMS, Game, Goal, XLandTask, XLandTaskSpace, game_properties, load_suite
from procgen_bench.tasks.xland.hold_out import is_held_out_game, is_held_out_world, training_game_of_one
from tests.envs.xland.parallel_play import ONE, STILL, THREE, TWO, one_line
from tests.envs.xland.scenes import FLAT, player, simulate


def test_tasks_are_given_in_all_forms():
    task = load_suite("hand_authored")["capture_the_cube"]
    env = parallel_env(observation="state")
    for form in (task, TWO, XLandTaskSpace().encode(task)):
        env.reset(options={"task": form})
        assert env.task == task
        assert parallel_env(form, observation="state").possible_agents == ["player_1", "player_2"]
    env.reset(options={})
    assert env.task != task


def test_a_task_may_have_fewer_players_than_the_environment():
    env = parallel_env(TWO, players=3, observation="state")
    assert env.possible_agents == ["player_1", "player_2", "player_3"]
    for task, count in ((ONE, 1), (THREE, 3), (None, 2)):
        observations, infos = env.reset(options={"task": task})
        assert env.agents == list(observations) == list(infos) == env.possible_agents[:count]
        env.step(dict.fromkeys(env.agents, STILL))


@pytest.mark.parametrize("players", [2, *(pytest.param(other, marks=pytest.mark.slow) for other in (1, 3))])
def test_drawn_tasks(players):
    env = parallel_env(players=players, observation="state")
    tasks = []
    for seed in (0, 1, None, 0):
        env.reset(seed=seed)
        tasks.append(env.task)
        assert env.task.game.num_players == players and not game_properties(env.task.game).trivial
        assert not is_held_out_game(env.task.game) and not is_held_out_world(env.task.world)
        env.task.validate()
    assert len(set(tasks)) == 3 and tasks[0] == tasks[3]


def test_tasks_say_what_resets_draw_from():
    env = parallel_env(tasks=["hand_authored/capture_the_cube", ONE], observation="state")
    assert env.possible_agents == ["player_1", "player_2"]
    drawn = [env.reset(seed=seed) and env.task for seed in range(8)]
    assert {task.game.num_players for task in drawn} == {1, 2} and len(set(drawn)) == 2
    most = max(task.game.num_players for task in load_suite("hand_authored"))
    assert len(parallel_env(tasks="hand_authored", observation="state").possible_agents) == most


def test_training_tasks_are_none_that_may_not_be_trained_on(monkeypatch):
    env = parallel_env(tasks="training", observation="state")
    env.reset(seed=0)
    first = env.task
    assert first.game.num_players == 2 and env.task_space.may_be_trained_on(first)
    allowed = env.task_space.may_be_trained_on
    monkeypatch.setattr(env.task_space, "may_be_trained_on", lambda task: task != first and allowed(task))
    env.reset(seed=0)
    assert env.task != first and allowed(env.task), "it is drawn again"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"task": ONE, "tasks": "training"}, InvalidOptionError, "task and tasks are both given"),
        ({"tasks": "nowhere"}, UnknownNameError, "unknown task 'nowhere'; known: training, test, validation"),
        ({"tasks": [THREE], "players": 2}, InvalidTaskError, "expected at most 2"),
        ({"tasks": []}, InvalidTaskError, "expected at least one task"),
    ],
)
def test_tasks_that_cannot_be_drawn_from_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        parallel_env(observation="state", **options)


def test_a_seed_decides_all_tasks_until_the_next():
    env = parallel_env(players=1, observation="state")
    drawn = []
    for _ in range(2):
        for seed in (7, None, None):
            env.reset(seed=seed)
            drawn.append(env.task)
    assert drawn[:3] == drawn[3:] and len(set(drawn)) == 3


@pytest.mark.parametrize(("options", "conjunctions"), [(1, 1), (3, 1), (2, 3)])
def test_drawn_games_of_one_are_neither_trivial_nor_held_out(options, conjunctions):
    rng = np.random.default_rng(0)
    for _ in range(150):
        game = training_game_of_one(rng, options, conjunctions)
        assert not game_properties(game).trivial and not is_held_out_game(game)
        matrix = game.goals[0].matrix
        assert len(matrix) == options and abs(matrix).sum(axis=1).max() <= conjunctions
        assert len(game.goals[0].atoms) <= 6


def test_drawn_tasks_of_two_are_those_of_the_space():
    first, second = (np.random.default_rng(11) for _ in range(2))
    assert XLandTaskSpace().sample_task(first, 2) == XLandTaskSpace().sample_task(second)


def large_goal(task: XLandTask, options: int, atoms: int) -> XLandTask:
    """A task of one player with a goal of so many options and atoms."""
    places = [place for place, atom in enumerate(ATOMS) if atom.relation == "see" and "black cube" in atom]
    places += [place for place, atom in enumerate(ATOMS) if atom.relation == "near" and "black cube" in atom]
    places = [place for place in places if "opponent" not in ATOMS[place]]
    matrix = np.zeros((options, len(ATOMS)), np.int8)
    for option in range(options):
        matrix[option, places[option : atoms - options + 1 + option]] = 1
    return XLandTask(task.world, Game((Goal(matrix),)))


def test_bad_tasks_leave_the_episode_as_it_is():
    things = [
        f"{colour} {shape} 0.4 m at {x}.5 {y}.5 facing 0"
        for x, colour in enumerate(("black", "purple", "yellow"))
        for y, shape in enumerate(("cube", "sphere", "pyramid"))
    ]
    one = simulate(FLAT, *things, player("blue", 5.5, 5.5)).task
    env = parallel_env(one, observation="state")
    env.reset()
    env.step({"player_1": STILL})
    bad = [
        (TWO, InvalidTaskError, "number of players of the task is 2, expected at most 1"),
        ("hand_authored/nothing", UnknownNameError, "unknown .*'nothing'"),
        ("nothing", UnknownNameError, "unknown task 'nothing'"),
        (3, InvalidTaskError, "task is 3, expected"),
        ({"size": np.array([9, 9])}, InvalidTaskError, "missing"),
        (large_goal(one, 7, 8), InvalidTaskError, "number of options of a goal is 7, expected at most 6"),
        (large_goal(one, 1, 13), InvalidTaskError, "number of different atoms of a goal is 13, expected at most 12"),
    ]
    for task, error, message in bad:
        with one_line(error, ".*" + message):
            env.reset(options={"task": task})
        with one_line(error, ".*" + message):
            parallel_env(task, players=1)
    assert env.simulation.steps == 1 and env.task == one
    env.reset(options={"task": large_goal(one, 6, 12)})


def test_too_many_objects_are_refused():
    things = [f"black cube 0.4 m at {number % 5}.5 {number // 5}.5 facing 0" for number in range(13)]
    task = simulate(FLAT, *things, player("blue", 5.5, 5.5)).task
    with one_line(InvalidTaskError, ".*number of objects is 13, expected at most 12"):
        parallel_env(task)


def test_bad_reset_options():
    env = parallel_env(TWO, observation="state")
    with one_line(InvalidOptionError, "reset's options are 'task', expected a dict"):
        env.reset(options="task")
    with pytest.warns(UserWarning, match="unknown reset option 'tasks'"):
        env.reset(options={"tasks": ONE})
    assert len(env.agents) == 2
