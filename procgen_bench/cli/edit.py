"""``edit``: a person draws a level in the browser, and the solver proves it."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.cli.browser_options import OpenOption, PortOption, opener
from procgen_bench.core.command_line import EnvironmentArgument
from procgen_bench.core.paths import check_file
from procgen_bench.core.registrations import REGISTRATIONS, environment_type, find_registration


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(edit)


def edit(
    environment_id: EnvironmentArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The level's file: opened if it exists, written when you save.")
    ] = Path("level.json"),
    task: Annotated[
        str | None, typer.Option(help="A task to begin with (`targets/A`), where FILE does not exist yet.")
    ] = None,
    port: PortOption = None,
    open_browser: OpenOption = None,
) -> None:
    """Draw a level in your browser, have the solver prove that it can be solved or say why not, play it, and save it.

    GridWorld and point mazes are drawn on their picture, XLand on a map with settings for goals and players, and
    GMiniWoB's sites as pages of primitives beside the real page. The file holds the task as JSON: `reset` takes what
    `json.load` makes of it, and `play --task FILE` plays it.

    **Examples**

    ```
    procgen-bench edit GridWorld-v0
    procgen-bench edit GridWorld-v0 mine.json --task targets/A
    procgen-bench edit SparsePointMaze-v0 maze.json
    procgen-bench edit GMiniWoB-v0 site.json --task shopping/1
    procgen-bench edit XLandSmall-v0 world.json
    procgen-bench play GridWorld-v0 --task mine.json
    ```
    """
    import pkgutil

    import gymnasium

    from procgen_bench.apps.editor.session import EditorSession, edit_in_browser
    from procgen_bench.core.task_files import is_task_file, read_task

    registration = find_registration(environment_id)
    if registration.editor is None:
        known = ", ".join(other.id for other in REGISTRATIONS if other.editor is not None)
        raise typer.BadParameter(f"levels of {environment_id} cannot be drawn; those that can: {known}")
    if not is_task_file(str(file)):
        raise typer.BadParameter(f"FILE is {str(file)!r}, expected a name that ends in .json")
    if file.exists() and task is not None:
        raise typer.BadParameter(f"{file} exists: leave --task out to open it, or choose another file")
    check_file(file)
    editor = pkgutil.resolve_name(registration.editor)()
    options = environment_type(environment_id).play_options()
    with closing(gymnasium.make(environment_id, render_mode="rgb_array", **options)) as env:
        space = env.unwrapped.task_space  # type: ignore[attr-defined]  # of the class TaskEnv
        level = read_task(space, file) if file.exists() else space.resolve(task) if task else editor.blank()
        edit_in_browser(EditorSession(env, editor, level, file), port or 0, opener(open_browser))
