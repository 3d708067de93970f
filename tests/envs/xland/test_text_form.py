"""XLand in words: what is told is what is observed, and calls are the environment's actions."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.entity_rows import POSITION
from procgen_bench.envs.xland.text_form import XLandTextForm
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.world import World
from procgen_bench.text.episode import TextEpisodes

#: A player near a corner, a cube three metres east of it, and a sphere further off.
WORLD = "0. 0. 0. 0. 0.\n" * 5 + "black cube 0.8 m at 4.5 2.5\nyellow sphere 0.8 m at 0.5 4.5\nblue player at 1.5 1.5\n"


def task_of(game: str) -> XLandTask:
    return XLandTask(World.from_text(WORLD), parse_game(game))


def test_what_is_in_view_is_told_with_its_place():
    episodes = TextEpisodes("XLandSmall-v0")
    turn = episodes.reset(0, task_of("near(me,black cube)"))
    assert turn.words.instruction == "Goal: near(black cube,me)"
    seen = {line.partition(":")[0]: line for line in turn.words.text.splitlines()}
    assert "yellow sphere" not in seen or "behind" not in seen["yellow sphere"]
    for _ in range(16):
        if "black cube" in seen:
            break
        turn = episodes.call("turn left")
        seen = {line.partition(":")[0]: line for line in turn.words.text.splitlines()}
    env = gymnasium.make("XLandSmall-v0")
    observation, _ = env.reset(seed=0, options={"task": task_of("near(me,black cube)")})
    for _ in range(episodes.num_calls):
        observation, *_ = env.step(XLandTextForm().action("turn left"))
    ahead, left, _ = observation["entities"][0, POSITION : POSITION + 3].tolist()
    assert f"{abs(ahead):.1f} m ahead" in seen["black cube"] and f"{abs(left):.1f} m to the" in seen["black cube"]
    assert "ground under you" in seen and "level with your feet" in seen["ground under you"]
    assert turn.words.text.endswith("You hold nothing.")


def test_calls_are_actions_and_earn_the_same():
    form = XLandTextForm()
    assert form.action("forward + turn left+grab").tolist() == [2, 2, 6, 2, 1, 0]
    assert form.action("wait").tolist() == form.action("wait()").tolist() == list(NOOP)
    env, episodes = gymnasium.make("XLandSmall-v0"), TextEpisodes("XLandSmall-v0")
    env.reset(seed=5)
    episodes.reset(5)
    rng, calls = np.random.default_rng(0), ["forward", "turn left + grab", "back+left", "look down", "gadget"]
    for _ in range(40):
        call = calls[int(rng.integers(len(calls)))]
        _, reward, _, _, info = env.step(form.action(call))
        turn = episodes.call(call)
        assert turn.reward == reward and turn.success == info["success"] and not turn.words.error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("dance", "the call is 'dance', expected parts of forward, back"),
        ("", "the call is '', expected parts of"),
        ("left + right", "left and right exclude each other"),
        ("grab + wait", "grab and wait exclude each other"),
        ("forward turn left", "expected parts of forward"),
    ],
)
def test_what_is_no_call_takes_no_step(call, message):
    episodes = TextEpisodes("XLandSmall-v0")
    before = episodes.reset(0).words.text
    turn = episodes.call(call)
    assert message in turn.words.error and turn.words.text == before and turn.reward == 0
    assert (episodes.num_calls, episodes.num_errors) == (1, 1)
