import subprocess
import sys
from types import SimpleNamespace

import gymnasium
import numpy as np
import pygame
import pytest
from typer.testing import CliRunner

from procgen_bench.cli import app, play
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.rendering import Window
from tests.installed import INSTALLED_IDS


def solution_keys(task: str, environment_id: str = "GridWorld-v0") -> str:
    env_type = environment_type(environment_id)
    key_of = {action: key for key, action in env_type.keys_to_action.items()}
    return "".join(key_of[int(action)] for action in env_type.task_space.solve(env_type.task_space.resolve(task)))


def play_piped(keys: str, *words: str, environment_id: str = "GridWorld-v0") -> str:
    command = ["play", environment_id, "--text", *words]
    played = CliRunner().invoke(app, command, input=keys, catch_exceptions=False)
    assert (played.exit_code, played.stderr) == (0, "")
    return played.stdout


def statuses(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("step ")]


@pytest.mark.slow
def test_piped_keys_solve_a_task_and_score_what_an_agent_scores():
    keys = solution_keys("targets/B")
    command = [sys.executable, "-m", "procgen_bench.cli", "play", "GridWorld-v0", "--text", "--task", "targets/B"]
    played = subprocess.run(command, input="\n".join(keys), capture_output=True, text=True, timeout=120)
    output = played.stdout
    assert (played.returncode, played.stderr) == (0, "")
    assert len(statuses(output)) == len(keys) + 1
    env = gymnasium.make("GridWorld-v0")
    env.reset(seed=0, options={"task": "targets/B"})
    earned = sum(env.step(env.unwrapped.keys_to_action[key])[1] for key in keys)
    assert statuses(output)[-1] == f"step {len(keys)} of 50   return {earned:.3f}   solved"


def test_the_end_of_an_episode_stays_until_the_player_goes_on():
    output = play_piped("aaaa" + "w" * 60 + "r" + "s" + "q" + "s", "--task", "targets/A")
    shown = statuses(output)
    assert shown[50].endswith("out of time")
    assert shown[50:65] == [shown[50]] * 15  # moves after the end do nothing
    assert shown[65] == "step 0 of 50   return 0.000   running"
    assert shown[66] == "step 1 of 50   return -0.001   running"
    assert len(shown) == 67  # nothing after q


def test_a_goal_is_reached_with_letters():
    keys = solution_keys("test/3", "BitGrid-v0")
    shown = statuses(play_piped(keys, "--task", "test/3", environment_id="BitGrid-v0"))
    assert shown[-2] == f"step {len(keys) - 1} of 50   return 0.000   running"
    assert shown[-1] == f"step {len(keys)} of 50   return 1.000   solved"


def test_a_structure_is_built_with_letters_and_digits():
    keys = solution_keys("test/32", "VoxelBuild-v0")
    shown = statuses(play_piped(keys, "--task", "test/32", environment_id="VoxelBuild-v0"))
    assert shown[-1] == f"step {len(keys)} of 100   return 1.000   solved"


def test_lava_fails_and_unknown_keys_do_nothing():
    shown = statuses(play_piped("x?sssssssd", "--task", "targets/C"))
    assert shown[1:3] == [shown[0]] * 2
    assert shown[10] == "step 8 of 50   return -0.508   failed"


def test_a_new_task_is_what_an_agent_gets_with_the_next_seed():
    output = play_piped("nr", "--seed", "6")
    boards = output.split("w a s d or arrows")[:-1]
    env = gymnasium.make("GridWorld-v0", render_mode="ansi")
    for board, seed in zip(boards, (6, 7, 7), strict=True):
        env.reset(seed=seed)
        assert f"\n{env.render()}\n" in "\n" + board
        assert f"seed {seed}" in board


def test_new_tasks_come_from_the_suite_that_was_asked_for():
    output = play_piped("nnn", "--task", "targets")
    env = gymnasium.make("GridWorld-v0", render_mode="ansi", tasks="targets")
    for board, seed in zip(output.split("w a s d or arrows")[:-1], range(4), strict=True):
        env.reset(seed=seed)
        assert f"\n{env.render()}\n" in "\n" + board


def test_single_keys_and_arrows_of_a_terminal(run, monkeypatch):
    typed = iter(["\x1b[B", "\x1b[A", "d", "\x1b[D", "\x1bOC"])

    def getchar() -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None  # Ctrl-D

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(play.typer, "getchar", getchar)
    code, out, _ = run("play", "GridWorld-v0", "--text", "--task", "targets/A")
    assert code == 0
    boards = [board.splitlines() for board in out.split("q: quit\n")[:-1]]
    places = [(line.index("@"), row) for board in boards for row, line in enumerate(board) if "@" in line]
    assert places == [(1, 1), (1, 2), (1, 1), (2, 1), (1, 1), (2, 1)]


@pytest.fixture
def captions(monkeypatch):
    """Plays with the keys posted; what the window then said under each frame."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    shown = []
    show = Window.show

    def noted(window, frame, caption):
        show(window, frame, caption)
        shown.append((frame, *caption))
        assert window._window.get_surface().get_size() == (640, 640 + 3 * 24 + 2 * 10)

    monkeypatch.setattr(Window, "show", noted)
    pygame.display.init()
    pygame.event.clear()
    return shown


def post(*keys: int) -> None:
    for key in keys:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))


def test_a_window_game_is_played_with_letters_and_arrows_until_q(run, captions):
    arrows = {"w": pygame.K_UP, "a": pygame.K_LEFT, "s": pygame.K_DOWN, "d": pygame.K_RIGHT}
    keys = solution_keys("targets/A")
    post(*(arrows[key] if step % 2 else pygame.key.key_code(key) for step, key in enumerate(keys)))
    post(pygame.K_d, pygame.K_r, pygame.K_n, pygame.K_q, pygame.K_d)
    code, _, err = run("play", "GridWorld-v0", "--task", "targets/A")
    assert (code, err) == (0, "")
    said = [status for _, _, status, _ in captions]
    assert said[len(keys)] == "step 18 of 50   return 0.982   solved"
    assert said[len(keys) + 1] == said[len(keys)]  # the end stays up, moves do nothing
    assert said[len(keys) + 2] == "step 0 of 50   return 0.000   running"
    assert (captions[len(keys) + 2][0] == captions[0][0]).all()
    assert captions[-1][1] == "GridWorld-v0   drawn task   seed 1"
    assert len(captions) == len(keys) + 4


@pytest.mark.parametrize("event", [pygame.QUIT, pygame.WINDOWCLOSE])
def test_closing_the_window_quits(run, captions, event):
    pygame.event.post(pygame.event.Event(event))
    assert run("play", "GridWorld-v0")[0] == 0
    assert len(captions) == 1


def test_without_a_display_play_says_how_to_go_on(run, monkeypatch):
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code, _, err = run("play", "GridWorld-v0")
    assert code == 2
    assert "--text" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_every_environment_declares_keys_that_leave_the_games_own_free(environment_id):
    env_type = environment_type(environment_id)
    if env_type.browser_controls is not None:  # played with a browser's own controls: see test_play_site.py
        return
    if env_type.real_time_controls is not None:
        meaningless = env_type.real_time_controls.action(frozenset())
        for key in ("r", "n", "q", "escape", "tab"):
            assert np.array_equal(env_type.real_time_controls.action(frozenset({key})), meaningless)
        for key in env_type.real_time_controls.touch_keys:
            assert not np.array_equal(env_type.real_time_controls.action(frozenset({key})), meaningless)
        return
    assert env_type.keys_to_action
    for key, action in env_type.keys_to_action.items():
        assert len(key) == 1
        assert key not in "rnq"
        assert env_type.action_space.contains(action)
