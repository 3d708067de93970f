"""The style of all figures: colours that can be distinguished in light and in dark, type, lines and marks."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib import rc_context

#: Lines are distinguished by colour up to this number.
MAX_SERIES = 8
#: Every colour by its name, on light pages and on dark ones. No two are equal on light pages: a figure is drawn in
#: those, and its colours are known by them.
COLOURS = {
    "s0": ("#0068b5", "#5fb3f5"),
    "s1": ("#cf4f00", "#ff9457"),
    "s2": ("#008a63", "#38c79b"),
    "s3": ("#b0478f", "#e48cc6"),
    "s4": ("#8a6d00", "#dcb93c"),
    "s5": ("#2f9fd0", "#8fd9ff"),
    "s6": ("#6a48c0", "#ab92f5"),
    "s7": ("#a8324a", "#f27f93"),
    "reference": ("#7d8592", "#9aa3b2"),
    "text": ("#3d4350", "#c3c9d4"),
    "axis": ("#9aa1ad", "#6a7280"),
    "grid": ("#e3e6eb", "#2b303a"),
}
#: Dashes of references and marks of lines, which tell their neighbours apart without colour.
DASHES: tuple[Any, ...] = ((0, (4, 2.5)), (0, (1, 1.5)), (0, (8, 2.5)), (0, (6, 2, 1.3, 2)))
MARKS = ("o", "s", "^", "D")


def colour(name: str | int | None) -> str:
    """The colour to draw with: a series' by its number, a reference's for ``None``, any other's by its name."""
    if name is None:
        name = "reference"
    return COLOURS[f"s{name % MAX_SERIES}" if isinstance(name, int) else name][0]


@contextmanager
def figure_style(font_size: float = 13) -> Iterator[None]:
    """Figures that are made and written inside have the package's style, with texts of so many points.

    Texts stay texts: none is read as mathematics, whatever it holds, and SVG files have them as text.
    """
    style: dict[Any, Any] = {
        "axes.edgecolor": colour("axis"),
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.labelcolor": colour("text"),
        "axes.spines.left": False,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": colour("text"),
        "axes.axisbelow": True,
        "font.size": font_size,
        "grid.color": colour("grid"),
        "grid.linewidth": 1,
        "legend.frameon": False,
        "legend.labelcolor": colour("text"),
        "lines.linewidth": 2,
        "lines.solid_joinstyle": "round",
        "svg.fonttype": "none",
        "svg.hashsalt": "procgen-bench",
        "text.color": colour("text"),
        "text.parse_math": False,
        "xtick.color": colour("axis"),
        "xtick.labelcolor": colour("text"),
        "ytick.color": colour("axis"),
        "ytick.labelcolor": colour("text"),
        "ytick.major.size": 0,
    }
    with rc_context(style), warnings.catch_warnings():
        # The font that texts are measured with need not have their letters: the reader's has.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing", UserWarning)
        yield
