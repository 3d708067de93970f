"""Playing in real time: a step every so often, with the keys that are held then."""

from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import cycle
from typing import TYPE_CHECKING

from procgen_bench.apps.game import COMMANDS, RUNNING, Game
from procgen_bench.engine.real_time import HeldKeys

if TYPE_CHECKING:
    import numpy as np

NEXT_VIEW = "tab"


class RealTimeGame:
    """A game that goes on by itself: what there is to see of it, and what its keys do.

    The clock of an episode starts with the first key that is pressed in it.

    Attributes:
        game: The game.
        controls: How its environment is played.
        view: Name of the picture that is shown.

    Args:
        game: The game; its environment has ``real_time_controls``.
    """

    def __init__(self, game: Game):
        controls = game.family.real_time_controls
        assert controls is not None  # other environments are played key by key
        self.game, self.controls = game, controls
        self._held, self._views = HeldKeys(controls.toggles), cycle(controls.views)
        self.view = next(self._views)
        self._begun = False

    @property
    def waits(self) -> bool:
        """Whether the episode waits for its first key."""
        return not self._begun and self.game.outcome == RUNNING

    def picture(self) -> "np.ndarray":
        """The view that is chosen: uint8 (height, width, 3)."""
        return self.controls.draw(self.game.env, self.view)

    def description(self) -> tuple[str, ...]:
        """What the environment says of its state, a line each."""
        return self.controls.caption(self.game.env)

    def status(self) -> str:
        """How it goes."""
        return f"{self.game.status()}: press a key to begin" if self.waits else self.game.status()

    def keys(self) -> tuple[str, ...]:
        """What keys do, a line each."""
        return (*self.controls.help, f"{NEXT_VIEW}: {', '.join(self.controls.views)}   {COMMANDS}")

    def change(self, key: str, goes_down: bool) -> None:
        """A key goes down or up."""
        if not goes_down:
            self._held.release(key)
        elif key == NEXT_VIEW:
            self.view = next(self._views)
        elif self.game.command(key):
            self._held.let_go()
            self._begun = False
        else:
            self._held.press(key)
            self._begun = True

    def step(self) -> None:
        """Take the step that is due, with the keys that are held; none before the first key."""
        if self._begun:
            self.game.act(self.controls.action(self._held.next_step()))


def play_in_real_time(game: Game) -> None:
    """Play in a window until its player quits. The end of an episode stays in the window."""
    from procgen_bench.engine.rendering import Window

    live = RealTimeGame(game)
    with closing(Window(f"procgen-bench: {game.spec.id}", in_text=False, in_browser=True)) as window:
        run_in_real_time(live, lambda: window.show(live.picture(), _caption(live)), window.key_changes)


def run_in_real_time(
    live: RealTimeGame, show: Callable[[], object], key_changes: Callable[[], Iterable[tuple[str, bool]]]
) -> None:
    """Show the game and take its steps, as many in a second as it has, until its player quits.

    Args:
        live: The game.
        show: Shows it as it stands.
        key_changes: Gives the keys that have gone down (``True``) or up since the last call, in their order.
    """
    from procgen_bench.engine.rendering import Pace

    pace = Pace(live.controls.fps)
    while not live.game.over:
        show()
        pace.wait()
        for key, goes_down in key_changes():
            live.change(key, goes_down)
        live.step()


def _caption(live: RealTimeGame) -> tuple[str, ...]:
    """What is played, what the environment says, how it goes, and the keys."""
    return live.game.what(), *live.description(), live.status(), *live.keys()
