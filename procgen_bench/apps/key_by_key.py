"""Playing one key at a time: a step a key, in a window or in the terminal."""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from procgen_bench.apps.game import COMMANDS, Game

if TYPE_CHECKING:
    from procgen_bench.engine.rendering import Window

#: The arrow keys stand for the letters under which environments declare their moves.
_ARROWS = {"up": "w", "left": "a", "down": "s", "right": "d"}
#: What terminals send; in application mode they send O for the bracket.
_TERMINAL_KEYS = {"\x1b[A": "up", "\x1b[D": "left", "\x1b[B": "down", "\x1b[C": "right", "\x1b": "escape"}


def play_in_window(game: Game) -> None:
    """Play in a window until its player quits; it stays open when an episode ends."""
    from procgen_bench.engine.rendering import Window

    with closing(Window(f"procgen-bench: {game.spec.id}")) as window:
        acted = False
        while not game.over:
            _show(window, game, most=None if acted else 1)
            acted = press(game, window.wait_for_key())


def _show(window: "Window", game: Game, most: int | None) -> None:
    """Show what the last step did, at the pace of films, in at most so many frames."""
    for number, frame in enumerate(game.family.frames_of_step(most)):
        if number:
            window.wait(1 / game.family.metadata["render_fps"])
        window.show(frame, _caption(game))


def play_in_terminal(game: Game) -> None:
    """Play in the terminal until its player quits, or until the piped keys end."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    keys = _typed_keys()
    while not game.over:
        console.clear()  # only a terminal is cleared
        console.print(game.env.render(), *_caption(game), sep="\n")
        press(game, next(keys, "q"))


def press(game: Game, key: str) -> bool:
    """Do what the key named ``key`` stands for; keys without a meaning do nothing. Whether a step was taken."""
    key, steps = _ARROWS.get(key, key), game.steps
    keys_to_action = game.family.keys_to_action
    if game.command(key) or key not in keys_to_action:
        return False
    game.act(keys_to_action[key])
    return game.steps > steps


def _caption(game: Game) -> tuple[str, str, str]:
    """What is played, how it goes, and the keys."""
    keys = " ".join(game.family.keys_to_action)
    return game.what(), game.status(), f"{keys} or arrows: act   {COMMANDS}"


def _typed_keys() -> Iterator[str]:
    """Names of the keys typed at a terminal, or the characters of a piped stdin, whitespace left out."""
    if sys.stdin.isatty():
        while True:
            try:
                typed = typer.getchar()
            except EOFError:  # Ctrl-D
                return
            yield _TERMINAL_KEYS.get(typed.replace("\x1bO", "\x1b["), typed)
    while character := sys.stdin.read(1):
        if not character.isspace():
            yield character
