"""Playing in real time: a step every so often, with the keys that are held then."""

from contextlib import closing
from itertools import cycle
from typing import TYPE_CHECKING

from procgen_bench.cli.game import COMMANDS, RUNNING, Game
from procgen_bench.engine.real_time import HeldKeys

if TYPE_CHECKING:
    from procgen_bench.engine.real_time import RealTimeControls
    from procgen_bench.engine.rendering import Window

_NEXT_VIEW = "tab"


def play_in_real_time(game: Game) -> None:
    """Play in a window until its player quits.

    The clock of an episode starts with the first key that is pressed in it; its end stays in the window.
    """
    from procgen_bench.engine.rendering import Window

    controls = game.family.real_time_controls
    assert controls is not None  # other environments are played key by key
    with closing(Window(f"procgen-bench: {game.spec.id}", controls.fps, in_text=False)) as window:
        _play(game, controls, window)


def _play(game: Game, controls: "RealTimeControls", window: "Window") -> None:
    held, views = HeldKeys(controls.toggles), cycle(controls.views)
    view, begun = next(views), False
    while not game.over:
        window.show(controls.draw(game.env, view), _caption(game, controls, begun))
        for key, goes_down in window.key_changes():
            if not goes_down:
                held.release(key)
            elif key == _NEXT_VIEW:
                view = next(views)
            elif game.command(key):
                held.let_go()
                begun = False
            else:
                held.press(key)
                begun = True
        if begun:
            game.act(controls.action(held.next_step()))


def _caption(game: Game, controls: "RealTimeControls", begun: bool) -> tuple[str, ...]:
    """What is played, what the environment says, how it goes, and the keys."""
    status = game.status() if begun or game.outcome != RUNNING else f"{game.status()}: press a key to begin"
    return (
        game.what(),
        *controls.caption(game.env),
        status,
        *controls.help,
        f"{_NEXT_VIEW}: {', '.join(controls.views)}   {COMMANDS}",
    )
