"""A site as one self-contained HTML document, for any browser: every page of its design, one shown at a time.

The document makes no requests, and its policy forbids them, as it forbids any script but its own. All that the design
brings in is escaped. Elements stand where :mod:`procgen_bench.tasks.sites.pages` says, to the pixel.
"""

import importlib.resources
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources.abc import Traversable
from urllib.parse import quote

from markupsafe import Markup, escape

from procgen_bench.engine.page import html_document
from procgen_bench.tasks.sites.elements import HIDDEN, NO_BOX, Behaviour, Box, Element
from procgen_bench.tasks.sites.pages import (
    PAGE_CLASSES,
    PAGE_MARGIN,
    PAGE_TAGS,
    Page,
    PlacedElement,
    page_height,
    placed_elements,
)
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

_SVG = "data:image/svg+xml"
#: What elements have besides what is observed of them. An ``img`` shows what the style paints behind it.
_TAG_ATTRIBUTES = {
    "a": {"tabindex": "0"},
    "img": {"src": _SVG + "," + quote("<svg xmlns='http://www.w3.org/2000/svg'/>")},
    "input": {"spellcheck": "false"},
}
#: What stands in the script in place of what the elements of its pages do.
_BEHAVIOURS = "/* behaviours */"
#: Elements around the pages, as MiniWoB has them.
_WRAPPERS = Markup('<div class="wrap {theme}">\n<div class="area">\n{pages}\n</div>\n</div>')
_VOID_TAGS = ("img", "input")
_CONTROL_TAGS = ("input", "select")


def site_document(task: SiteTask, title: str = "GMiniWoB", guarded: bool = True) -> str:
    """The site of a task as an HTML document. Its first page is shown; the profile is not in it.

    Args:
        task: The task.
        title: The document's title.
        guarded: Whether it states its security policy itself; not where its page has one already.

    The document's ``window.site`` is what agents use it by (see ``site.js``).
    """
    style, script = _furniture()
    behaviours = json.dumps([_behaviours(page) for page in task.pages], separators=(",", ":"))
    script = Markup(str(script).replace(_BEHAVIOURS, f"...{behaviours}"))
    pages = Markup("\n").join(_page(page, number) for number, page in enumerate(task.pages))
    body = _WRAPPERS.format(theme=task.variation.theme, pages=pages)
    return html_document(title, PAGE_WIDTH, style, script, body, guarded=guarded)


def block_markup(primitive: Primitive) -> Markup:
    """A primitive alone on a page, as HTML."""
    size = f"width:{PAGE_WIDTH}px;height:{primitive.height}px"
    block = _markup(primitive.root, "page-0-0", "page-0-0", Box(0, 0, 0, 0))
    return _tag("div", {"class": PAGE_CLASSES[0], "style": size}, [block])


def site_style() -> Markup:
    """The style of every page."""
    return _furniture()[0]


@cache
def _furniture() -> tuple[Markup, Markup]:
    """What every document has: its style and script."""
    folder = importlib.resources.files(__package__)
    style, script = ((folder / name).read_text("utf-8") for name in ("site.css", "site.js"))
    pictures = sorted((folder / "pictures").iterdir(), key=lambda picture: picture.name)
    return Markup(style + "".join(map(_painting_rule, pictures))), Markup(script)


def _painting_rule(picture: Traversable) -> str:
    """What paints elements of the class that a picture is named after."""
    class_name = picture.name.removesuffix(".svg")
    return f'.{class_name} {{ background-image: url("{_SVG},{quote(picture.read_text("utf-8"))}"); }}\n'


@lru_cache(maxsize=4096)
def _behaviours(page: Page) -> list[tuple[int, str, int | None]]:
    """Of every element that does something its index, its behaviour, and the index of the one that this changes."""
    placed = placed_elements(page)
    return [
        (index, one.element.behaviour.name.lower(), target_of(placed, index))
        for index, one in enumerate(placed)
        if one.element.behaviour != Behaviour.NONE
    ]


def target_of(placed: Sequence[PlacedElement], index: int) -> int | None:
    """Index of the element that this one's behaviour changes, if it changes another one."""
    one = placed[index]
    if not one.element.target:
        return None
    return next(
        k for k, other in enumerate(placed) if (other.block, other.element.name) == (one.block, one.element.target)
    )


@lru_cache(maxsize=4096)
def _page(page: Page, number: int) -> Markup:
    blocks: list[Markup] = []
    top = PAGE_MARGIN
    for place, primitive in enumerate(page):
        block = f"page-{number}-{place}"
        blocks.append(_markup(primitive.root, block, block, Box(0, -top, 0, 0)))
        top += primitive.height
    size = f"width:{PAGE_WIDTH}px;height:{page_height(page)}px"
    inside: Sequence[str] = blocks
    for tag, class_ in reversed(list(zip(PAGE_TAGS[1:], PAGE_CLASSES[1:]))):
        off = "off" if tag == "form" else None
        inside = [_tag(tag, {"class": class_, "autocomplete": off, "style": f"left:0;top:0;{size}"}, inside)]
    hidden = None if number == 0 else ""
    return _tag(PAGE_TAGS[0], {"class": PAGE_CLASSES[0], "hidden": hidden, "style": size}, inside)


def _markup(element: Element, block: str, path: str, around: Box, labelled: str | None = None) -> Markup:
    """An element and all inside it.

    Args:
        element: The element.
        block: What the ids of its primitive's elements begin with.
        path: Tells where in the primitive it stands.
        around: The box of the element that holds it, from the block's top.
        labelled: Id of the control that it is the label of.
    """
    labelled_ids = {label: f"{path}-{control}" for label, control in labelled_controls(element).items()}
    children = [
        _markup(child, block, f"{path}-{place}", element.box, labelled_ids.get(place))
        for place, child in enumerate(element.children)
    ]
    attributes = {
        "id": path if element.tag in _CONTROL_TAGS else None,
        "class": " ".join((*element.classes, HIDDEN) if element.hidden else element.classes) or None,
        **dict(element.attributes),
        # Radios are a group by their name, which says nothing to agents.
        "name": block if element.attribute("type") == "radio" else None,
        **_TAG_ATTRIBUTES.get(element.tag, {}),
        "role": _role(element),
        "for": labelled,
        "aria-expanded": "false" if element.behaviour == Behaviour.TOGGLE else None,
        "style": None if element.box == NO_BOX else _position(element.box, around),
    }
    return _tag(element.tag, attributes, [element.text, *children])


def _role(element: Element) -> str | None:
    """The role that is stated of an element."""
    if element.tag == "a":
        return "link"
    return "radiogroup" if "choices" in element.classes else element.attribute("role") or None


def labelled_controls(element: Element) -> dict[int, int]:
    """Places among an element's children: for each label that of its control, which stands before it, or else after.

    Labels of an element without a control are nobody's.
    """
    tags = [child.tag for child in element.children]
    controls = [place for place, tag in enumerate(tags) if tag in _CONTROL_TAGS]
    labels = [place for place, tag in enumerate(tags) if tag == "label"] if controls else []
    return {label: max((c for c in controls if c < label), default=controls[0]) for label in labels}


def _position(box: Box, around: Box) -> str:
    left, top = box.left - around.left, box.top - around.top
    return f"left:{left}px;top:{top}px;width:{box.width}px;height:{box.height}px"


def _tag(tag: str, attributes: dict[str, str | None], inside: Sequence[str]) -> Markup:
    # By hand, for Markup's own formatting takes several times as long; what is not Markup is escaped here.
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value is not None)
    end = "" if tag in _VOID_TAGS else f"</{tag}>"
    return Markup(f"<{tag}{written}>{''.join(map(escape, inside))}{end}")
