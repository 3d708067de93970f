"""``import-fragments``: pieces of HTML as primitives that GMiniWoB-v0's sites are made of."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from procgen_bench.tasks.sites.library import PrimitiveLibrary

_SUFFIXES = (".html", ".htm")


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command("import-fragments")(import_fragments)


def import_fragments(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Fragments, one a file, `NAME.html`.", exists=True, file_okay=False),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the library goes, `NAME.json`.")],
    published: Annotated[bool, typer.Option(help="Whether sites are also made of the published primitives.")] = True,
) -> None:
    """Read pieces of HTML into a library of primitives, and say of each whether it was taken, and why not.

    A fragment becomes a primitive of the kind of a template: a line of text, a box to check, options, a heading, a
    link, a button, a navigation bar, a carousel, a cart, a deck, a media object or a footer; a form of several fields
    becomes one for each. Chromium shows it; nothing of it runs, and nothing is requested. Scripts, handlers, styles,
    frames and addresses are left out. What is taken shows the same words, and has the same accessibility tree, as the
    original; else it is refused, and the difference is named.

    **Examples**

    ```
    procgen-bench import-fragments my-fragments --out mine.json
    python -c 'import gymnasium, procgen_bench; gymnasium.make("GMiniWoB-v0", library="mine.json")'
    ```
    """
    from procgen_bench.core.errors import InvalidTaskError
    from procgen_bench.core.paths import check_file

    if out.suffix != ".json":
        raise typer.BadParameter(f"{out} is no NAME.json", param_hint="--out")
    check_file(out)
    library, num_taken, num_files = _imported(folder, published)
    if not library:
        raise InvalidTaskError("fragments taken", f"0 of {num_files}", "at least one, and nothing was written")
    library.write(out)
    typer.echo(f"{num_taken} of {num_files} taken, written to {out}")


def _imported(folder: Path, published: bool) -> "tuple[PrimitiveLibrary | None, int, int]":
    """The library of a folder's fragments (``None``: not one was taken), how many were, and how many there are."""
    from procgen_bench.apps.fragment_import import import_texts
    from procgen_bench.core.errors import InvalidTaskError
    from procgen_bench.tasks.sites.library import PrimitiveLibrary, named_apart
    from procgen_bench.tasks.sites.shown_fragment import FragmentError

    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    texts = [(_name_of(path), path.read_text("utf-8", errors="replace")) for path in files]
    library, num_taken = PrimitiveLibrary(), 0
    for path, imported in zip(files, import_texts(texts)):
        try:
            if isinstance(imported, Exception):
                raise imported
            imported = replace(imported, primitives=named_apart(imported.primitives, library))
            library = PrimitiveLibrary((*library.own, *imported.primitives))
        except (FragmentError, InvalidTaskError) as error:
            typer.echo(f"{path.name}: refused, {error}")
            continue
        num_taken += 1
        typer.echo(f"{path.name}: {imported.summary()}")
    own = library.own
    return (PrimitiveLibrary(own, published) if own else None), num_taken, len(files)


def _name_of(path: Path) -> str:
    """A primitive's name, out of its file's."""
    return re.sub(r"[^a-z0-9_.-]+", "_", path.stem.lower()).strip("_.-")[:60]
