"""Episodes in writing are the environment's own: the same tasks, seeds, rewards and ends as by Gymnasium."""

import gymnasium
import pytest

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError, UnknownNameError
from procgen_bench.text.episode import TextEpisodes, call_in, text_form_of

CALLS = ["fill('6', 'Ada')", "I do not know", "", "check('99')", "\ud800", "click('10')"]


def test_a_site_is_what_gymnasium_makes():
    env = gymnasium.make("GMiniWoB-v0", observation="text", tasks="test")
    episodes = TextEpisodes("GMiniWoB-v0", "test")
    for seed, task in [(0, None), (7, None), (3, "test/login-1-0"), (None, "varied/flight-2-1")]:
        seen, _ = env.reset(seed=seed, options=None if task is None else {"task": task})
        turn = episodes.reset(seed, task)
        assert turn.words == (seen["instruction"], seen["axtree"], "") and turn.reward is None
        total, ended = 0.0, False
        for call in CALLS * 5:
            if ended:
                break
            seen, reward, terminated, truncated, info = env.step(call)
            turn = episodes.call(call)
            total, ended = total + reward, terminated or truncated
            assert turn.words == (seen["instruction"], seen["axtree"], seen["last_action_error"])
            assert (turn.reward, turn.terminated, turn.truncated) == (reward, terminated, truncated)
            assert turn.success == info["success"]
        assert ended and episodes.total == total and episodes.num_errors >= 2


@pytest.mark.parametrize(
    ("environment_id", "tasks"), [("GMiniWoB-v0", "test"), ("GMiniWoB-v0", None), ("GridWorld-v0", "solvable")]
)
def test_tasks_drawn_by_others_are_the_same(environment_id, tasks):
    """Also where one is not seeded again: after a drawn task, after a given one, in turns with others."""
    alone, drawer = TextEpisodes(environment_id, tasks), TextEpisodes(environment_id, tasks)
    row, other = (TextEpisodes(environment_id, drawn_by=drawer) for _ in range(2))
    suite = "test" if environment_id == "GMiniWoB-v0" else "targets"
    name = f"{suite}/{drawer._env.unwrapped.task_space.suite(suite).task_names[0]}"
    words = set()
    for seed, task in [(5, None), (None, None), (None, None), (6, name), (None, None), (5, None)]:
        expected = alone.reset(seed, task)
        assert row.reset(seed, task) == expected
        other.reset()
        calls = ["noop()"] if environment_id == "GMiniWoB-v0" else ["right()", "down()"]
        assert [row.call(call) for call in calls[:1]] == [alone.call(call) for call in calls[:1]]
        words.add(expected.words)
    assert len(words) == 5, "the seed 5 comes twice, and nothing else"


def test_a_grid_world_is_solved_in_words():
    episodes = TextEpisodes("GridWorld-v0")
    names = ("right", "down", "left", "up")
    turn = episodes.reset(task="targets/A")
    assert "You are in column 1, row 1.\n\n#######\n" in turn.words.text and "\n###@" in turn.words.text
    assert "goal: 7 right, 7 down" in turn.words.text and "door 2: not there" in turn.words.text
    env = gymnasium.make("GridWorld-v0")
    env.reset(options={"task": "targets/A"})
    for action in env.unwrapped.task_space.solve(env.unwrapped.task):
        turn = episodes.call(f"{names[action]}()")
        assert turn.reward == env.step(action)[1]
    assert turn.success and turn.terminated
    assert "right(), down(), left(), up()" in text_form_of("GridWorld-v0").rules()


def test_calls_that_stand_for_no_action_end_an_episode_as_well():
    episodes = TextEpisodes("GridWorld-v0")
    turn = episodes.reset(task="targets/A")
    turns = [episodes.call("teleport()") for _ in range(50)]
    assert turns[0].words.error == "the call is 'teleport()', expected one of right(), down(), left(), up()"
    assert turns[0].words.text == turn.words.text and {one.reward for one in turns} == {0.0}
    assert [one.truncated for one in turns] == [False] * 49 + [True]
    assert (episodes.num_calls, episodes.num_errors, episodes.success) == (50, 50, False)
    with pytest.raises(ResetNeededError, match="reset first"):
        episodes.call("right()")


@pytest.mark.parametrize(
    ("seed", "task", "error"),
    [
        (-1, None, InvalidOptionError),
        (True, None, InvalidOptionError),
        (0, "test/nothing", UnknownNameError),
        (0, {"made": "up"}, InvalidTaskError),
        (0, ["test/login-1-0"], InvalidTaskError),
    ],
)
def test_a_reset_that_is_refused_leaves_no_episode(seed, task, error):
    episodes = TextEpisodes("GMiniWoB-v0", drawn_by=TextEpisodes("GMiniWoB-v0", "test"))
    episodes.reset(seed=1)
    with pytest.raises(error):
        episodes.reset(seed, task)
    with pytest.raises(ResetNeededError):
        episodes.call("noop()")
    assert episodes.reset(seed=1).words.instruction


def test_environments_without_a_text_form_are_refused_by_name():
    with pytest.raises(InvalidOptionError, match=r"^BitGrid-v0 has no text form.*: GridWorld-v0, .*GMiniWoB-v0"):
        TextEpisodes("BitGrid-v0")
    with pytest.raises(UnknownNameError, match="did you mean 'GMiniWoB-v0'"):
        TextEpisodes("GMiniWob-v0")


@pytest.mark.parametrize(
    ("message", "call"),
    [("click('3')", "click('3')"), ("So:\n```\nclick('3')\n```\n", "click('3')"), ("`up()` \r\n", "up()"), ("\n", "")],
)
def test_a_message_ends_with_the_call(message, call):
    assert call_in(message) == call
