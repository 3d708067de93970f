"""A person plays XLand: keys that are posted frame by frame, in a window that nobody sees."""

import gymnasium
import numpy as np
import pygame
import pytest
import torch

from procgen_bench.apps.game import Game
from procgen_bench.apps.in_real_time import play_in_real_time
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentPolicy
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.task_files import write_task
from procgen_bench.engine.rendering import Window
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.controls import XLandControls

TASK = "hand_authored/capture_the_cube"
CONTROLS = XLandControls()
#: What the keys of a step add to the action that does nothing.
FORWARDS, LEFT, GRAB, GADGET = (1, 0, 0, 0, 0, 0), (0, 0, 2, 0, 0, 0), (0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1)


def down(key: int):
    return pygame.event.Event(pygame.KEYDOWN, key=key)


def up(key: int):
    return pygame.event.Event(pygame.KEYUP, key=key)


@pytest.fixture
def shown(monkeypatch):
    """Frames and captions that are shown, and room for what is posted after each of them, by its number."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(XLandControls, "fps", 10_000)
    frames, events = [], {}
    show = Window.show

    def noted(window, frame, caption):
        show(window, frame, caption)
        for event in events.get(len(frames), ()):
            pygame.event.post(event)
        frames.append((frame, caption))

    monkeypatch.setattr(Window, "show", noted)
    pygame.display.init()
    pygame.event.clear()
    return frames, events


def agent(seed: int = 0, task: str | None = TASK):
    env = gymnasium.make("XLand-v0", tasks="hand_authored")
    env.reset(seed=seed, options=None if task is None else {"task": task})
    return env


def said(caption: tuple[str, ...]) -> str:
    """The line that says how it goes."""
    (line,) = [line for line in caption if line.startswith("step ")]
    return line


def test_keys_play_as_an_agent_that_takes_the_same_actions(run, shown):
    """What is seen and said after every step is what the agent's simulation says."""
    frames, events = shown
    events |= {
        0: [down(pygame.K_w)],
        4: [down(pygame.K_LEFT)],
        7: [up(pygame.K_w), down(pygame.K_SPACE), up(pygame.K_SPACE)],
        9: [up(pygame.K_LEFT), down(pygame.K_e), up(pygame.K_e)],
        11: [pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=3)],
        13: [down(pygame.K_SPACE), pygame.event.Event(pygame.MOUSEBUTTONUP, button=3)],
        15: [down(pygame.K_q)],
    }
    held = {range(7): FORWARDS, range(4, 9): LEFT, range(7, 13): GRAB, range(9, 10): GADGET, range(11, 13): GADGET}
    actions = [
        np.array(NOOP) + np.sum([what for steps, what in held.items() if step in steps], axis=0, dtype=int)
        for step in range(15)
    ]
    assert run("play", "XLand-v0", "--task", TASK)[::2] == (0, "")
    env, earned = agent(), 0.0
    assert len(frames) == len(actions) + 1
    for step, (frame, caption) in enumerate(frames):
        np.testing.assert_array_equal(frame, CONTROLS.draw(env, "first person"))
        assert caption[1:4] == CONTROLS.caption(env)
        expected = f"step {step} of 900   return {earned:.3f}   running"
        assert said(caption) == expected + (": press a key to begin" if step == 0 else "")
        if step < len(actions):
            earned += env.step(actions[step])[1]
    assert (frames[-1][0] != frames[0][0]).any()


def test_a_task_from_a_file_is_played(run, shown, tmp_path):
    env = agent()
    write_task(env.unwrapped.task_space, env.unwrapped.task, tmp_path / "mine.json")
    frames, events = shown
    events |= {0: [down(pygame.K_w)], 3: [down(pygame.K_q)]}
    assert run("play", "XLand-v0", "--task", str(tmp_path / "mine.json"))[::2] == (0, "")
    for frame, _ in frames:
        np.testing.assert_array_equal(frame, CONTROLS.draw(env, "first person"))
        env.step(np.array(NOOP) + FORWARDS)


def test_a_trained_policy_takes_the_seat_that_it_is_given(run, shown, tmp_path):
    torch.manual_seed(0)
    policy = AgentPolicy("XLandSmall-v0", stochastic=False, width=8, layers=1, action_repeat=3)
    settings = {"stochastic": False, "training_steps": 1, "width": 8, "layers": 1, "memory": 0, "action_repeat": 3}
    PolicyFolder("ppo", "XLandSmall-v0", settings, network_arrays(policy.network)).write(tmp_path / "policy")
    frames, events = shown
    events |= {0: [down(pygame.K_TAB)], 1: [down(pygame.K_TAB)], 2: [down(pygame.K_w)], 10: [down(pygame.K_q)]}
    code = run("play", "XLandSmall-v0", "--task", "small/0", "--co-players", str(tmp_path / "policy"))[0]
    assert code == 0
    env = gymnasium.make("XLandSmall-v0", tasks="small", co_players=[load_policy(tmp_path / "policy", "XLandSmall-v0")])
    env.reset(seed=0, options={"task": "small/0"})
    for frame, _ in frames[2:]:
        np.testing.assert_array_equal(frame, CONTROLS.draw(env, "map"))
        env.step(np.array(NOOP) + FORWARDS)


def test_the_trained_policy_of_the_package_takes_a_seat(run, shown):
    _, events = shown
    events[2] = [down(pygame.K_q)]
    assert run("play", "XLandSmall-v0", "--task", "small/0", "--co-players", "trained")[0] == 0
    assert "trained" in run("play", "XLand-v0", "--co-players", "trained")[2], "it plays the small worlds alone"


def test_co_players_that_there_are_not_are_refused(run):
    assert "nobody" in run("play", "XLandSmall-v0", "--co-players", "nobody")[2]
    assert "leave --co-players out" in run("play", "GridWorld-v0", "--co-players", "noop")[2]


def test_the_goals_of_all_players_are_shown(run, shown):
    frames, events = shown
    events[0] = [down(pygame.K_ESCAPE)]
    assert run("play", "XLand-v0", "--task", TASK)[0] == 0
    ((_, caption),) = frames
    env = agent()
    for p, goal in enumerate(env.unwrapped.task.game.goals):
        assert any(f"player {p + 1} (" in line and line.endswith(f": {goal}") for line in caption)
    assert caption[0] == f"XLand-v0   {TASK}   seed 0"
    assert "tab: first person, third person, map   r: restart   n: new task   q: quit" in caption


def test_time_stands_still_until_a_key_is_pressed_and_again_after_a_restart(run, shown):
    frames, events = shown
    events |= {3: [down(pygame.K_d)], 6: [up(pygame.K_d), down(pygame.K_r)], 9: [down(pygame.K_q)]}
    run("play", "XLand-v0", "--task", TASK)
    steps = [int(said(caption).split()[1]) for _, caption in frames]
    assert steps == [0, 0, 0, 0, 1, 2, 3, 0, 0, 0]
    np.testing.assert_array_equal(frames[7][0], frames[0][0])
    assert (frames[6][0] != frames[0][0]).any()


def test_tab_shows_the_player_from_behind_and_the_map(run, shown):
    frames, events = shown
    events |= {number: [down(pygame.K_TAB)] for number in range(3)} | {3: [down(pygame.K_q)]}
    run("play", "XLand-v0", "--task", TASK)
    env = agent()
    for (frame, _), view in zip(frames, ("first person", "third person", "map", "first person"), strict=True):
        np.testing.assert_array_equal(frame, CONTROLS.draw(env, view))


def test_a_new_task_is_what_an_agent_gets_with_the_next_seed(run, shown):
    frames, events = shown
    events |= {0: [down(pygame.K_n)], 1: [down(pygame.K_q)]}
    run("play", "XLand-v0", "--task", "hand_authored", "--seed", 4)
    for (frame, caption), seed in zip(frames, (4, 5), strict=True):
        env = agent(seed, task=None)
        np.testing.assert_array_equal(frame, CONTROLS.draw(env, "first person"))
        assert caption[0] == f"XLand-v0   drawn task   seed {seed}"
        assert caption[1].endswith(f": {env.unwrapped.task.game.goals[0]}")


def test_the_end_of_an_episode_stays(shown):
    frames, events = shown
    events |= {0: [down(pygame.K_w)], 6: [pygame.event.Event(pygame.WINDOWCLOSE)]}
    env = gymnasium.make("XLand-v0", render_mode="rgb_array", max_episode_steps=3)
    play_in_real_time(Game(env, 0, TASK))
    assert [said(caption).split("   ")[-1] for _, caption in frames[1:]] == ["running"] * 2 + ["out of time"] * 4
    np.testing.assert_array_equal(frames[3][0], frames[-1][0])


def test_in_the_terminal_it_cannot_be_played(run):
    code, _, err = run("play", "XLand-v0", "--text")
    assert code == 2
    assert "in a window or with --browser" in err and err.count("\n") == 1


def test_without_a_display_no_text_is_advised(run, monkeypatch):
    """XLand runs in real time: it has no text to play in."""
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code, _, err = run("play", "XLand-v0", "--task", TASK)
    assert code == 2 and "no window can be opened" in err and "render_mode='rgb_array'" in err and "--browser" in err
    assert "--text" not in err and "ansi" not in err
