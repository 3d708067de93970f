"""FetchProgram-v0: what is observed, rewarded and refused, when episodes end, and saved episodes."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import (
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    ResetNeededError,
    UnknownNameError,
)
from procgen_bench.core.success import success_info
from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.settling import settled_state
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.programs import PROGRAMS
from tests.envs.conformance.trajectory import assert_equal
from tests.tasks.fetch_blocks.test_program_tasks import START, TASK, holding

ID = "FetchProgram-v0"
STILL = np.zeros(4, np.float32)
UNDONE, DONE = (success_info(done, settled=done, stands=done) for done in (False, True))


@pytest.fixture(scope="module")
def env():
    return gymnasium.make(ID)


def play_expert(env, task) -> list[tuple]:
    """The steps of an episode that the expert plays, by what is observed."""
    observation, info = env.reset(options={"task": task})
    assert info == UNDONE
    program = PROGRAMS[env.unwrapped.task.program]
    expert, steps = Expert(program, observation["goal"] if program.is_atomic else None), []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(expert.act(observation["observation"])))
        observation = steps[-1][0]
    return steps


def test_program_and_goal_are_observed(env):
    observation, _ = env.reset(options={"task": TASK})
    state = env.unwrapped.simulation.state
    assert np.array_equal(observation["observation"], state)
    assert np.flatnonzero(observation["program"]).tolist() == [list(PROGRAMS).index("Stack_1_2")]
    assert np.array_equal(observation["goal"], PROGRAMS["Stack_1_2"].goal(state))
    later = env.step(np.array([1, 1, 1, 1], np.float32))[0]
    assert np.array_equal(later["goal"], observation["goal"])
    assert np.array_equal(later["program"], observation["program"])
    observation, _ = env.reset(options={"task": FetchProgramTask(START, "Clean_Table")})
    assert not observation["goal"].any()
    assert env.unwrapped.desired_places.shape == (0, 3)


@pytest.mark.parametrize("task", [TASK, "groups/stack_all_to_zone/4"])
def test_the_call_that_does_the_work_is_rewarded_at_its_end_and_the_last(env, task):
    steps = play_expert(env, task)
    program = env.unwrapped.program
    goal = steps[0][0]["goal"] if program.is_atomic else None
    done = [bool(program.postcondition(step[0]["observation"], goal)) for step in steps]
    assert len(done) % 50 == 0 and done[49::50] == [False] * (len(steps) // 50 - 1) + [True]
    assert done[-2], "it was done before the call's steps were over"
    assert [step[1:] for step in steps[:-1]] == [(0.0, False, False, UNDONE)] * (len(steps) - 1)
    assert steps[-1][1:] == (1.0, True, len(steps) == program.horizon, DONE)
    with pytest.raises(ResetNeededError, match="after the end of the episode"):
        env.step(STILL)


@pytest.mark.parametrize(("name", "steps"), [("Stack_1_2", 50), ("Stack_All_Blocks", 150), ("Clean_And_Stack", 200)])
def test_episodes_last_fifty_steps_for_each_call(env, name, steps):
    env.reset(options={"task": FetchProgramTask(START, name)})
    ends = [env.step(STILL)[2:4] for _ in range(steps)]
    assert ends == [(False, False)] * (steps - 1) + [(False, True)]


class _Holding(Carrying):
    """Carries the block to its place, and never lets it go."""

    def _has_ground(self) -> bool:
        return False


def test_a_block_that_is_held_beside_its_place_does_not_settle(env):
    """Ten starts: 3.8 cm from the place, over the edge of the block below, is a success that does not last."""
    rng, ends = np.random.default_rng(3), []
    stacks = [program for program in PROGRAMS.values() if program.name.startswith("Stack") and program.is_atomic]
    for program in rng.choice(stacks, 10):
        task = env.unwrapped.task_space.sample_task(rng, program, 1.0)
        observation, _ = env.reset(options={"task": task})
        place = observation["goal"].reshape(4, 3)[program.blocks[0]] + [0.032, 0.0, 0.02]
        holding, infos = _Holding(program.blocks[0], place), []
        for _ in range(50):
            observation, *_, info = env.step(holding.act(observation["observation"]).astype(np.float32))
            infos.append(info)
        assert infos[:-1] == [UNDONE] * 49
        ends.append(infos[-1])
    assert ends == [{"success": True, "settled": False, "stands": False, "is_success": False}] * 10


def test_whether_it_settles_is_tried_aside(env):
    """The episode continues unchanged."""
    play_expert(env, TASK)
    simulation = env.unwrapped.simulation
    before = simulation.save()
    settled = settled_state(simulation)
    assert not np.array_equal(settled, simulation.state)
    assert settled[-7:-5] == pytest.approx([0.05, 0.05], abs=0.001), "the fingers are open"
    after = simulation.save()
    assert all(np.array_equal(after[name], value, equal_nan=True) for name, value in before.items())


def test_a_program_that_is_done_already_ends_with_its_first_call(env):
    on_its_way = env.unwrapped.task_space.resolve("groups/move_all_to_zone/0").start
    places = on_its_way.places.copy()
    places[:2] = [[1.26, 0.57], [1.34, 0.57]]
    places[2:] = [[1.26, 0.93], [1.34, 0.93]]
    task = FetchProgramTask(type(on_its_way)(places, on_its_way.levels, np.array([1.3, 0.75, 0.55])), "Clean_Table")
    assert env.reset(options={"task": task})[1] == UNDONE
    steps = [env.step(STILL)[1:] for _ in range(50)]
    assert steps == [(0.0, False, False, UNDONE)] * 49 + [(1.0, True, False, DONE)]


@pytest.mark.parametrize("name", ["Move_To_Zone_3_ORANGE", "Stack_All_Blocks"])
def test_new_tasks_are_of_the_program(name):
    env = gymnasium.make(ID, program=name)
    tasks = [env.reset(seed=seed) and env.unwrapped.task for seed in range(6)]
    assert {task.program for task in tasks} == {name}
    assert len(set(tasks)) == 6
    assert all((task.start.levels == 0).all() for task in tasks)
    shaped = gymnasium.make(ID, program=name, randomness=0.0)
    starts = [shaped.reset(seed=seed) and shaped.unwrapped.task.start for seed in range(12)]
    assert any((start.levels != 0).any() for start in starts)


def test_a_saved_episode_s_time_goes_on(env):
    env.reset(options={"task": TASK})
    for _ in range(9):
        env.step(STILL)
    other = gymnasium.make(ID)
    other.reset(options={"state": env.unwrapped.save_state()})
    assert [other.step(STILL)[3] for _ in range(41)] == [False] * 40 + [True]


def test_the_state_after_success_is_restored(env):
    last, *_, info = play_expert(env, TASK)[-1]
    other = gymnasium.make(ID)
    assert_equal(other.reset(options={"state": env.unwrapped.save_state()}), (last, info), "after the end")
    with pytest.raises(ResetNeededError, match="after the end of the episode"):
        other.step(STILL)


def test_another_program_begins_where_the_saved_one_was(env):
    """At its end, too: calls follow each other."""
    last = play_expert(env, TASK)[-1][0]
    saved, name = env.unwrapped.save_state(), "Stack_0_1"
    observation, info = env.reset(options={"state": saved, "program": name})
    assert np.array_equal(observation["observation"], last["observation"]) and info == UNDONE
    assert env.unwrapped.task == replace(saved.task, program=name) and env.unwrapped.elapsed == 0
    assert np.array_equal(observation["goal"], PROGRAMS[name].goal(last["observation"]))
    assert [env.step(STILL)[3] for _ in range(50)] == [False] * 49 + [True]


def test_another_program_must_be_one_that_can_be_called_there(env):
    play_expert(env, TASK)
    saved = env.unwrapped.save_state()
    with pytest.raises(InvalidTaskError, match=r"pre-condition of Stack_2_0 is 'not met \(block 1 is on block 2\)'"):
        env.reset(options={"state": saved, "program": "Stack_2_0"})
    rows = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point", num_threads=1)
    observations, _ = rows.reset(options={"state": saved, "program": ["Stack_0_1", None]})
    assert [task.program for task in rows.unwrapped.tasks] == ["Stack_0_1", TASK.program]
    assert np.array_equal(observations["observation"][0], observations["observation"][1])
    assert rows.unwrapped.save_states()[0].elapsed == 0 and rows.unwrapped.save_states()[1].ended
    rows.close()


def test_a_program_replaces_that_of_the_task(env):
    observation, _ = env.reset(options={"task": TASK, "program": "Stack_All_Blocks"})
    assert env.unwrapped.task == replace(TASK, program="Stack_All_Blocks") and observation["program"].sum() == 1


def test_precondition_that_does_not_hold_is_refused_and_leaves_the_episode(env):
    env.reset(options={"task": TASK})
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(options={"task": FetchProgramTask(START, "Stack_0_3")})
    assert "pre-condition of Stack_0_3 is 'not met (block 1 is on block 0)'" in str(caught.value)
    with pytest.raises(InvalidTaskError, match="block 2 is in the air"):
        env.reset(options={"task": FetchProgramTask(holding(2), "Stack_3_0")})
    assert env.unwrapped.task == TASK
    env.step(STILL)


@pytest.mark.parametrize(
    ("options", "error", "part"),
    [
        (
            {"task": FetchProgramTask(START, "Stack_0_7")},
            UnknownNameError,
            "unknown program 'Stack_0_7'; did you mean 'Stack_0_",
        ),
        ({"task": "groups/clean_table/100"}, UnknownNameError, "unknown task in suite 'groups'"),
        ({"task": START}, InvalidTaskError, "task is 'FetchBlocksStart', expected a FetchProgramTask"),
        ({"program": "Stack_0_7"}, UnknownNameError, "unknown program 'Stack_0_7'; did you mean 'Stack_0_"),
        ({"colour": "red"}, InvalidOptionError, "unknown reset option 'colour'"),
    ],
)
def test_bad_options_are_refused(env, options, error, part):
    with pytest.raises(error, match=part):
        env.reset(options=options)


def test_saved_episodes_of_fetch_blocks_are_refused(env):
    blocks = gymnasium.make("FetchBlocks-v0")
    blocks.reset(seed=0)
    with pytest.raises(
        InvalidOptionError, match=r"belongs to FetchBlocksEnv .*; this environment needs one of FetchProgramEnv "
    ):
        env.reset(options={"state": blocks.unwrapped.save_state()})


@pytest.mark.parametrize(
    ("arguments", "error", "part"),
    [
        ({"program": "Stack_0_0"}, UnknownNameError, "unknown program 'Stack_0_0'"),
        ({"program": 3}, UnknownNameError, "unknown program 3"),
        ({"randomness": 1.5}, InvalidOptionError, "randomness is 1.5"),
        ({"tasks": "test"}, UnknownNameError, "unknown task 'test'"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, part):
    with pytest.raises(error, match=part):
        gymnasium.make(ID, **arguments)


def test_bad_actions_are_refused(env):
    env.reset(seed=0)
    for action in (np.full(4, 1.5, np.float32), np.zeros(3, np.float32), np.full(4, np.nan, np.float32)):
        with pytest.raises(InvalidActionError, match="expected a member of Box"):
            env.step(action)


def test_vector_rows_end_with_their_own_programs():
    vector = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point", num_threads=1)
    tasks = [TASK, FetchProgramTask(START, "Stack_All_Blocks")]
    vector.reset(seed=0, options={"task": tasks})
    truncations = np.array([vector.step(np.zeros((2, 4), np.float32))[3] for _ in range(50)])
    assert truncations[:, 0].tolist() == [False] * 49 + [True]
    assert not truncations[:, 1].any()
    vector.close()


def test_goals_are_drawn(env):
    drawing = gymnasium.make(ID, render_mode="rgb_array")
    drawing.reset(options={"task": TASK})
    with_goal = drawing.render()
    drawing.reset(options={"task": FetchProgramTask(START, "Clean_Table")})
    without = drawing.render()
    assert with_goal.shape == (480, 480, 3) and (with_goal != without).any(axis=2).sum() > 30
