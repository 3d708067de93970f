"""A figure as an SVG file: always the same, readable on light and dark pages, and described in words."""

import io
import re
import xml.etree.ElementTree as ElementTree

from matplotlib.figure import Figure

from procgen_bench.leaderboards.charts.style import COLOURS

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What matplotlib tells of a file, none of which is the figure's.
_UNTOLD: dict[str, None] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d+")
_NAME_OF = {light: name for name, (light, _) in COLOURS.items()}
_HEX = re.compile("|".join(_NAME_OF))
_LIGHT, _DARK = ("".join(f"--{name}:{of[mode]};" for name, of in COLOURS.items()) for mode in (0, 1))
#: The font is the reader's, not the one that texts were measured with.
_STYLE = (
    "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif!important}"
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
    for element in root.iter():
        for name in {"d", "x", "y", "transform"} & element.attrib.keys():  # to tenths of a pixel
            element.set(name, _NUMBER.sub(lambda found: f"{float(found[0]):.1f}", element.attrib[name]))
        if "style" in element.attrib:
            element.set("style", _HEX.sub(lambda found: f"var(--{_NAME_OF[found[0]]})", element.attrib["style"]))
    for place, (tag, text) in enumerate((("title", title), ("desc", description), ("style", _STYLE))):
        added = ElementTree.Element(f"{{{_SVG}}}{tag}", {} if tag == "style" else {"id": tag})
        added.text = text
        root.insert(place, added)
    root.attrib |= {"role": "img", "aria-labelledby": "title desc"}
    root.attrib |= {side: root.get(side, "").removesuffix("pt") for side in ("width", "height")}
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root) + b"\n"
