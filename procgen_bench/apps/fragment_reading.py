"""Fragments of HTML, and primitives, as Chromium shows them, with its accessibility tree; nothing of them runs."""

import importlib.resources
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from procgen_bench.envs.web.browser_pages import BrowserPage
from procgen_bench.envs.web.inspector import Message
from procgen_bench.envs.web.page.document import block_markup, site_style
from procgen_bench.envs.web.tab import PageFailure
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.shown_fragment import FragmentError, Shown, ShownFragment, ShownNode
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

#: Letters of a fragment, and its elements: no page takes more of them.
MAX_LENGTH, MAX_PARSED = 200_000, 245
_MAX_DEPTH = 32
#: Elements of a shown page that are around its blocks.
_MORE = 16
_HEIGHT = 2_000
_DOCUMENT = """<!doctype html><html lang="en"><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{style}</style>
</head><body></body></html>"""
_LOOK_UP = [("DOM.getDocument", {"depth": -1}), ("Accessibility.getFullAXTree", {}), ("DOM.disable", {})]


@cache
def _script() -> str:
    return (importlib.resources.files("procgen_bench.envs.web") / "page" / "fragment.js").read_text("utf-8")


class FragmentReader:
    """A page in which fragments and primitives are shown, one after the other.

    Raises:
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: It does not start.
    """

    def __init__(self):
        self._page, self._document = BrowserPage(PAGE_WIDTH, _HEIGHT), ""

    def fragment(self, text: str) -> ShownFragment | FragmentError:
        """A fragment as it is shown, or why it cannot be read."""
        return self._shown(text, MAX_PARSED, "")

    def primitive(self, primitive: Primitive) -> Shown:
        """What is compared of a primitive, as its page shows it at first.

        Raises:
            FragmentError: Chromium cannot show it.
        """
        found = self._shown(str(block_markup(primitive)), MAX_PARSED + _MORE, site_style())
        if isinstance(found, FragmentError):
            raise found
        return found.shown

    def close(self) -> None:
        """Close the page."""
        self._page.close()

    def _shown(self, text: str, most: int, style: str) -> ShownFragment | FragmentError:
        if len(text) > MAX_LENGTH:
            return FragmentError(f"{len(text):,} letters, expected at most {MAX_LENGTH:,}")
        if self._document != (document := _DOCUMENT.format(style=style)):
            # In another page: the policy of the shown document refuses the script that would put this one in its place.
            shown, self._page = self._page, BrowserPage(PAGE_WIDTH, _HEIGHT)
            self._page.load(document)
            shown.close()
            self._document = document
        answer = self._page.evaluate(_script(), [text, most, _MAX_DEPTH])
        looked_up = answer if isinstance(answer, PageFailure) else self._page.inspect(_LOOK_UP)
        if isinstance(looked_up, PageFailure):
            self._document = ""
            return FragmentError(f"Chromium could not show it: {looked_up.reason}")
        assert isinstance(answer, str)
        found = json.loads(answer)
        if found["count"] > most:
            return FragmentError(f"{found['count']:,} elements, expected at most {most}")
        if found["depth"] > _MAX_DEPTH:
            return FragmentError(f"elements inside more than {_MAX_DEPTH} others")
        accessible = _accessible(looked_up[1]["nodes"], _numbers(looked_up[0]["root"]))
        nodes = tuple(_node(node, accessible) for node in found["nodes"])
        return ShownFragment(nodes, found["hints"], found["leftOut"])


def _numbers(root: Message) -> dict[int, int]:
    """The numbers of a fragment's elements, by what the inspector calls them."""
    found, left = {}, [root]
    while left:
        node = left.pop()
        left += node.get("children", ())
        names = node.get("attributes", [])
        if "data-fragment" in names[::2]:
            found[node["backendNodeId"]] = int(names[2 * names[::2].index("data-fragment") + 1])
    return found


def _accessible(nodes: Sequence[Message], numbers: Mapping[int, int]) -> dict[int, Message]:
    """Nodes of the accessibility tree by the numbers of a fragment's elements."""
    known = (node for node in nodes if not node["ignored"] and node.get("backendDOMNodeId") in numbers)
    return {numbers[node["backendDOMNodeId"]]: node for node in known}


def _node(read: Any, accessible: Mapping[int, Message]) -> str | ShownNode:
    if isinstance(read, str):
        return read
    tag, attributes, inside, number, held = read
    attributes.pop("data-fragment", None)
    nodes = [_node(node, accessible) for node in inside]
    for label, value, selected, disabled, place in held.get("options", ()):
        states = {"selected": selected and not disabled, "disabled": disabled}
        known = place in accessible
        nodes.append(ShownNode("option", {"value": value}, (label,), {}, "option" if known else "", label, states))
    about = accessible.get(number)
    if about is None:
        return ShownNode(tag, attributes, tuple(nodes), held)
    states = {one["name"]: one["value"].get("value") for one in about.get("properties", ())}
    states |= {name: about[name].get("value") for name in ("description", "value") if name in about}
    named = about.get("name", {}).get("value", "")
    return ShownNode(tag, attributes, tuple(nodes), held, about["role"]["value"], named, states)
