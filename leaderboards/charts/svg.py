"""A figure as an SVG file: small, always the same, readable on light and dark pages, and described in words."""

import io
import re
import xml.etree.ElementTree as ElementTree

from matplotlib.figure import Figure

from procgen_bench.leaderboards.charts.style import COLOURS

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What matplotlib tells of a file, none of which is the figure's.
_UNTOLD: dict[str, None] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d+")
_SIZE = "font-size:13px"
_NAME_OF = {light: name for name, (light, _) in COLOURS.items()}
_HEX = re.compile("|".join(_NAME_OF))
_LIGHT, _DARK = ("".join(f"--{name}:{of[mode]};" for name, of in COLOURS.items()) for mode in (0, 1))
_STYLE = (
    "*{stroke-linejoin:round}"
    "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif}"
    f"svg{{{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{svg{{{_DARK}}}}}"
)


def written(figure: Figure, title: str, description: str) -> bytes:
    """The file's content.

    Args:
        figure: Made within :func:`~.style.figure_style`, 72 dots per inch.
        title: What it shows, in a few words.
        description: The same for those who cannot see it; texts are escaped, whatever they hold.
    """
    raw = io.BytesIO()
    figure.savefig(raw, format="svg", transparent=True, metadata=_UNTOLD)
    root = ElementTree.fromstring(raw.getvalue())
    root.attrib |= {"role": "img", "aria-labelledby": "title description"}
    for side in ("width", "height"):
        root.set(side, root.get(side, "").removesuffix("pt"))
    _tidy(root, _referred_to(root))
    for element in root.findall(f"{{{_SVG}}}defs"):  # matplotlib's own style sheet
        root.remove(element)
    for place, (tag, text) in enumerate((("title", title), ("desc", description), ("style", _STYLE))):
        added = ElementTree.Element(f"{{{_SVG}}}{tag}")
        added.text = text
        if tag != "style":
            added.set("id", "title" if tag == "title" else "description")
        root.insert(place, added)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root) + b"\n"


def _referred_to(root: ElementTree.Element) -> set[str]:
    """The ids that something in the file uses."""
    used = set()
    for element in root.iter():
        used.add(element.get(f"{{{_XLINK}}}href", "").removeprefix("#"))
        used.add(element.get("clip-path", "").removeprefix("url(#").removesuffix(")"))
    return used


def _tidy(parent: ElementTree.Element, used: set[str]) -> None:
    """Name colours instead of giving them, round to tenths of a pixel, and drop what draws nothing."""
    parent.text = None if parent.tag != f"{{{_SVG}}}text" else parent.text
    for element in list(parent):
        element.tail = None
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        for name in ("d", "x", "y", "width", "height", "transform", "points"):
            if name in element.attrib:
                element.set(name, _NUMBER.sub(_rounded, " ".join(element.attrib[name].split())))
        if "style" in element.attrib:
            element.set("style", _restyled(element.attrib["style"]))
        if element.tag == f"{{{_SVG}}}text" and element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
        _tidy(element, used)
        bare = element.tag == f"{{{_SVG}}}g" and not len(element)
        if bare or element.get("style") == "fill:none":
            parent.remove(element)


def _restyled(style: str) -> str:
    """The declarations of one element, with the colours' names, and without the font, which is that of the reader."""
    parts = (part.strip().replace(": ", ":", 1) for part in style.split(";"))
    declarations = (part for part in parts if part and part != _SIZE and not part.startswith(("font-family", "font:")))
    return _HEX.sub(lambda found: f"var(--{_NAME_OF[found[0]]})", ";".join(declarations))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")
