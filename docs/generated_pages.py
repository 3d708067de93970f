"""Sphinx extension: pages that are written from the code when the site is built, so that no text stands twice.

``generated/`` gets the catalogue's pages, the leaderboard's rows, and Markdown from outside of this folder.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from catalogue_pages import catalogue, table
from sphinx.application import Sphinx

DOCS = Path(__file__).parent
CHECKOUT = DOCS.parent
OUT = DOCS / "generated"
#: Markdown outside of this folder that has a page here.
REPOSITORY_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "examples/own_method/README.md": "own_method.md",
}
LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")


def rows_page() -> str:
    """The rows of the published board, as the command line tells them to programs."""
    command = [sys.executable, "-m", "procgen_bench.cli", "leaderboard", "--json"]
    feed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    parts = [
        "# All rows",
        "Of every benchmark, best first. In brackets: 95 % intervals over runs. [How to read them](../leaderboard.md).",
    ]
    for found in feed["benchmarks"]:
        head = ("Rank", "Method", f"Fresh {found['metric']}", f"Suite's {found['metric']}", "Runs")
        rows = [row_of(row) for row in found["rows"] if row["folded_under"] is None]
        parts += [f"## {found['benchmark']}", found["description"], table(head, rows) if rows else "No row yet."]
    return "\n\n".join(parts)


def row_of(row: dict[str, Any]) -> tuple[str, ...]:
    """A row's cells."""
    name = f"`{row['method']}`" + (f" under {row['teacher']}" if row["teacher"] else "")
    if row["variant"]:
        name += f", {row['variant']}"
    rank = str(row["rank"] or row["unranked"])
    return rank, name, score_of(row["fresh"]), score_of(row["score"]), str(len(row["runs"]))


def score_of(estimate: dict[str, Any] | None) -> str:
    """A score with its interval, if it has one."""
    if estimate is None:
        return ""
    interval = "" if estimate["interval"] is None else " ({:.3f} to {:.3f})".format(*estimate["interval"])
    return f"{estimate['value']:.3f}{interval}"


def repository_page(source: str) -> str:
    """A Markdown file from outside, with links that lead where they led; those to folders become words."""

    def moved(link: re.Match[str]) -> str:
        text, target = link.groups()
        path, mark, anchor = target.partition("#")
        if target.startswith("http") or not path:
            return link[0]
        found = os.path.relpath((CHECKOUT / source).parent / path, CHECKOUT)
        if (CHECKOUT / found).is_dir():
            return text
        page = "../index.md" if found == "README.md" else REPOSITORY_PAGES.get(found)
        return f"[{text}]({page or os.path.relpath(CHECKOUT / found, OUT) + mark + anchor})"

    return LINK.sub(moved, (CHECKOUT / source).read_text())


def lead_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Have links of this folder's pages to Markdown outside lead to the pages that are made of it."""
    up = "../" * name.count("/")
    for path, page in REPOSITORY_PAGES.items():
        source[0] = source[0].replace(f"]({up}../{path}", f"]({up}generated/{page}")


def write_pages(app: Sphinx) -> None:
    """Write what has changed, so that a second build reads little."""
    pages = catalogue() | {page: repository_page(source) for source, page in REPOSITORY_PAGES.items()}
    for name, text in (pages | {"rows.md": rows_page()}).items():
        path = OUT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != f"{text}\n":
            path.write_text(f"{text}\n")


def keep_colons(app: Sphinx, what: str, name: str, documented: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon for a type, in the first line of what is no function or class."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]  # an empty comment


def setup(app: Sphinx) -> dict[str, Any]:
    """Have the pages written before Sphinx looks for its sources."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", lead_to_pages)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before Napoleon
    return {"parallel_read_safe": True}
