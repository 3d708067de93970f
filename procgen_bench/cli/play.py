"""``play``: a person plays the environment that the agents play."""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.registration import environment_type

if TYPE_CHECKING:
    import gymnasium

_RESTART, _NEW_TASK, _QUIT = "r", "n", ("q", "escape")
#: The arrow keys stand for the letters under which environments declare their moves.
_ARROWS = {"up": "w", "left": "a", "down": "s", "right": "d"}
#: What terminals send; in application mode they send O for the bracket.
_TERMINAL_KEYS = {"\x1b[A": "up", "\x1b[D": "left", "\x1b[B": "down", "\x1b[C": "right", "\x1b": "escape"}


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(play)


def play(
    environment_id: Annotated[str, typer.Argument(metavar="ENVIRONMENT_ID", help="For example `GridWorld-v0`.")],
    task: Annotated[
        str | None,
        typer.Option(help="A task (`targets/A`), or a suite to draw from (`graded`). Default: the whole task space."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode; every new task takes the next.")] = 0,
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal; keys may also be piped in.")] = False,
) -> None:
    """Play an environment with the keyboard, with the same tasks and seeds that agents get.

    Arrow keys or the environment's own letters act, r restarts the task, n draws a new one, q quits.

    **Examples**

    ```
    procgen-bench play GridWorld-v0
    procgen-bench play GridWorld-v0 --task graded --seed 3
    echo ssddd | procgen-bench play GridWorld-v0 --task targets/A --text
    ```
    """
    import gymnasium

    environment_type(environment_id)
    # A named task comes from a suite, and "new task" draws from that suite too.
    suite = task.partition("/")[0] if task else None
    env = gymnasium.make(environment_id, render_mode="ansi" if text else "rgb_array", tasks=suite)
    with closing(env):
        game = Game(env, seed, task if task and "/" in task else None)
        if text:
            play_in_terminal(game)
        else:
            play_in_window(game)


class Game:
    """Episodes that a person plays, one key at a time.

    Args:
        env: The environment, whose ``keys_to_action`` says what its keys do.
        seed: Seed of the first reset.
        task: Name of the first task; ``None``: drawn by the environment.
    """

    def __init__(self, env: "gymnasium.Env", seed: int, task: str | None):
        self.env = env
        self.seed = seed
        self.task = task
        self.keys_to_action = env.unwrapped.keys_to_action
        self.over = False
        self.restart()

    def restart(self) -> None:
        """Begin the same episode again: the same task, the same seed."""
        self.env.reset(seed=self.seed, options=None if self.task is None else {"task": self.task})
        self.steps, self.episode_return, self.outcome = 0, 0.0, "running"

    def press(self, key: str) -> None:
        """Do what the key named ``key`` stands for; keys without a meaning do nothing."""
        key = _ARROWS.get(key, key)
        if key in _QUIT:
            self.over = True
        elif key == _RESTART:
            self.restart()
        elif key == _NEW_TASK:
            self.seed, self.task = self.seed + 1, None
            self.restart()
        elif key in self.keys_to_action and self.outcome == "running":
            self._act(self.keys_to_action[key])

    def _act(self, action) -> None:
        _, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        self.episode_return += float(reward)
        if info["success"]:
            self.outcome = "solved"
        elif terminated:
            self.outcome = "failed"
        elif truncated:
            self.outcome = "out of time"

    def caption(self) -> tuple[str, str, str]:
        """What is played, how it goes, and the keys."""
        spec = self.env.spec
        return (
            f"{spec.id}   {self.task or 'drawn task'}   seed {self.seed}",
            f"step {self.steps} of {spec.max_episode_steps}   return {self.episode_return:.3f}   {self.outcome}",
            f"{' '.join(self.keys_to_action)} or arrows: act   r: restart   n: new task   q: quit",
        )


def play_in_window(game: Game) -> None:
    """Play in a window until its player quits; it stays open when an episode ends."""
    from procgen_bench.rendering import Window

    with closing(Window(f"procgen-bench: {game.env.spec.id}")) as window:
        while not game.over:
            window.show(game.env.render(), game.caption())
            game.press(window.wait_for_key())


def play_in_terminal(game: Game) -> None:
    """Play in the terminal until its player quits, or until the piped keys end."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    keys = _typed_keys()
    while not game.over:
        console.clear()  # only a terminal is cleared
        console.print(game.env.render(), *game.caption(), sep="\n")
        game.press(next(keys, "q"))


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
