"""What ``describe XLand-v0 --world`` shows: a world in text and as a picture, a game's properties and truth table."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from procgen_bench.tasks.xland.games.game import Game
    from procgen_bench.tasks.xland.task import XLandTask

#: Width of the picture, pixels.
_WIDTH = 1200
#: Most rows of a truth table that are shown.
_MOST_ROWS = 64


def describe_world(world: str, goals: list[str], out: Path | None, **sizes: int | None) -> None:
    """Show a world and a game that is played in it; write the world's picture.

    Args:
        world: A seed of :func:`generate_world`, or a task by name, such as ``hand_authored/find_cube``.
        goals: The goals of the players, for which a generated world is changed where it must be; without any, those of
            the named task, or a random game of two.
        out: Where the picture goes; without, ``world-WORLD.png``.
        **sizes: ``side``, ``max_level`` and ``objects`` of a generated world, and the ``options`` of a random game's
            goals; ``None`` where that is left as it is without.
    """
    import io

    from rich.console import Console

    from procgen_bench.core.atomic import write_bytes
    from procgen_bench.core.paths import check_file
    from procgen_bench.core.printing import print_rich
    from procgen_bench.envs.xland.isometric import draw_world
    from procgen_bench.tasks.xland.evaluation.packing import quantised

    path = out or Path(f"world-{world.replace('/', '-')}.png")
    check_file(path)
    task = _task(world, goals, {name: size for name, size in sizes.items() if size is not None})
    console = Console(markup=False, soft_wrap=True)
    world_text = quantised(task.world).to_text()  # numbers that people read
    print_rich(console, world_text, "", _properties(task.game), _truth_table(task.game))
    content = io.BytesIO()
    draw_world(task.world, _WIDTH).save(content, format="PNG")
    write_bytes(path, content.getvalue())
    typer.echo(f"picture: {path}")


def _task(world: str, goals: list[str], sizes: dict[str, int]) -> "XLandTask":
    """The task of a seed, with a world for its game, or that of a name, with the goals that are given."""
    import numpy as np

    from procgen_bench.tasks.xland import XLandTask, condition, generate_game, generate_world, load_suite, parse_game

    game = parse_game("\n".join(goals)) if goals else None
    suite, separator, name = world.partition("/")
    if separator and sizes:
        raise typer.BadParameter(f"{', '.join(sizes)}: a task has its own; give them with a seed")
    if separator:
        task = load_suite(suite)[name]
        task = XLandTask(task.world, game) if game else task
    elif world.isdecimal():
        rng = np.random.default_rng(int(world))
        side, options = sizes.pop("side", 9), sizes.pop("options", None)
        generated = generate_world(rng, side, side, players=game.num_players if game else 2, **sizes)
        drawn_options, predicates = rng.integers(1, 4, 2).tolist()
        game = game or generate_game(rng, options or drawn_options, predicates, *rng.random(2).tolist())
        task = XLandTask(condition(generated, game, rng), game)
    else:
        raise typer.BadParameter(f"{world!r} is no world, expected a seed (7) or a task (hand_authored/find_cube)")
    task.validate()
    return task


def _properties(game: "Game") -> "Table":
    from rich import box
    from rich.table import Table

    from procgen_bench.tasks.xland import game_properties

    table = Table(box=box.SIMPLE_HEAD, show_header=False, title="Game", title_justify="left", title_style="bold")
    for number, goal in enumerate(game.goals, start=1):
        table.add_row(f"goal of player {number}", str(goal))
    for name, value in game_properties(game)._asdict().items():
        table.add_row(name.replace("_", " "), str(value) if isinstance(value, bool) else f"{value:.4g}")
    return table


def _truth_table(game: "Game") -> "Table":
    """A column for every atom and every player; the first rows where there are many."""
    from rich import box
    from rich.table import Table

    from procgen_bench.tasks.xland.games.truth_table import truth_table

    atoms, states, rewards = truth_table(game)
    letters = "abcdefghijkl"[: len(atoms)]
    title = "Who is rewarded"
    if len(states) > _MOST_ROWS:
        title += f" (the first {_MOST_ROWS} of {len(states)} states)"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for letter in letters:
        table.add_column(letter)
    for player in range(game.num_players):
        table.add_column(f"player {player + 1}")
    for state, rewarded in zip(states[:_MOST_ROWS].tolist(), rewards[:_MOST_ROWS].tolist()):
        table.add_row(*("·1"[truth] for truth in state), *("·●"[reward] for reward in rewarded))
    table.caption = "\n".join(f"{letter}  {atom}" for letter, atom in zip(letters, atoms))
    table.caption_justify = "left"
    return table
