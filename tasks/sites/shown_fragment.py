"""A fragment of HTML as a browser shows it, and what is compared of two: words, and accessible elements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from procgen_bench.tasks.sites.vocabulary import words_of


class FragmentError(ValueError):
    """A fragment is no primitive; the message says why."""


@dataclass(frozen=True)
class ShownNode:
    """An element that is shown.

    Attributes:
        tag: Its HTML tag.
        attributes: Its attributes.
        inside: What is shown in it: texts, and elements.
        held: What it holds: ``value``, ``checked`` and ``type`` of what is typed into or ticked; ``options`` of a list,
            [text, value, selected, disabled] each; ``drawn``, and ``line`` (whether it stands in a line of text).
        role: Its role in Chromium's accessibility tree; empty where it is not in there.
        name: Its name there.
        states: Its states there: ``description``, ``checked``, ``disabled``, ``level`` and so on.
    """

    tag: str
    attributes: Mapping[str, str]
    inside: "tuple[str | ShownNode, ...]"
    held: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    name: str = ""
    states: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> "Iterator[ShownNode]":
        """The element and all inside it, in the order of the document."""
        yield self
        for node in self.inside:
            if isinstance(node, ShownNode):
                yield from node

    @property
    def text(self) -> str:
        """What is read in it, in one line."""
        return " ".join(self.raw_text.split())

    @property
    def raw_text(self) -> str:
        """The same with its blanks and breaks as they are."""
        return "".join(_texts(self.inside))


#: Of one element: its role, its name, and its states (name, value).
Described = tuple[str, str, tuple[tuple[str, str], ...]]
#: What is compared: the texts that are seen, and the elements that are more than text, in the order of the document.
Shown = tuple[str | Described, ...]


@dataclass(frozen=True)
class ShownFragment:
    """A fragment as it is shown.

    Attributes:
        nodes: What it holds.
        hints: The names of its classes and ids.
        left_out: How much was left out before it was shown, by what.
    """

    nodes: tuple[str | ShownNode, ...]
    hints: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> Shown:
        """What is compared of it."""
        return _shown(self.nodes, " ".join(words_of(" ".join(_texts(self.nodes)))))


#: Roles that say how a text is set, or what part of a page it is, and nothing of what can be done.
_SETTING = frozenset(
    (
        *(
            "",
            "generic",
            "none",
            "presentation",
            "LabelText",
            "Legend",
            "paragraph",
            "LineBreak",
            "Section",
            "splitter",
            "separator",
        ),
        *("strong", "emphasis", "code", "mark", "time", "Abbr", "subscript", "superscript", "insertion", "deletion"),
        *("sectionheader", "sectionfooter", "Figcaption", "blockquote", "Pre", "LayoutTable", "LayoutTableRow"),
        *("LayoutTableCell", "ListMarker", "MenuListPopup", "StaticText", "InlineTextBox", "term", "definition"),
        *("DescriptionList", "DescriptionListDetail", "DescriptionListTerm", "Ruby", "RubyAnnotation", "Iframe"),
    )
)
#: Roles that say what part of a page something is: their names count, wherever these are read.
_PARTS = ("article", "banner", "contentinfo", "complementary", "region", "main", "figure", "search", "form")
_GROUPS = ("group", "radiogroup")
#: States that are compared, but for those that say no.
_STATES = (
    *("description", "level", "checked", "disabled", "readonly", "required", "multiselectable", "expanded", "hasPopup"),
    *("pressed", "selected", "valuemin", "valuemax", "value", "modal", "invalid", "roledescription", "keyshortcuts"),
    *("live", "busy", "valuetext"),
)
#: Those of them that say something also where they say no.
_TWOFOLD = ("expanded", "pressed")
#: Roles of what is ticked.
TICKS = ("checkbox", "radio", "switch")
_LIMITS = ("type", "min", "max", "step", "placeholder")
_SAYING_NO = ("", "false", "False", "None", "0", "0.0")
_DRAWN = ("SvgRoot", "image", "graphics-document", "canvas", "Canvas", "Video", "Audio", "img")


def differences(original: Shown, ours: Shown) -> list[str]:
    """In what ours shows something else than the original, in words; none where they agree but for blanks."""
    before, after = _runs(original), _runs(ours)
    found = []
    for kind, start, end, first, last in SequenceMatcher(None, _keys(before), _keys(after), False).get_opcodes():
        if kind != "equal":
            was, would_be = _in_words(before[start:end]), _in_words(after[first:last])
            found.append(f"{was or 'nothing'} would be {would_be or 'nothing'}")
    return found


def _keys(shown: Shown) -> Shown:
    """What is shown, without blanks in texts."""
    return tuple(one.replace(" ", "") if isinstance(one, str) else one for one in shown)


def _runs(shown: Shown) -> Shown:
    """What is shown, with texts that follow each other as one."""
    found: list[str | Described] = []
    for one in shown:
        if isinstance(one, str) and found and isinstance(found[-1], str):
            found[-1] = f"{found[-1]} {one}"
        else:
            found.append(one)
    lines = (" ".join(one.split()) if isinstance(one, str) else one for one in found)
    return tuple(one for one in lines if one != "")


def _shown(nodes: "Sequence[str | ShownNode]", words: str) -> Shown:
    """What is compared of nodes in a fragment with these words."""
    found: list[str | Described] = []
    for node in nodes:
        if isinstance(node, str):
            found.append(node)
            continue
        if _is_compared(node, words):
            found.append(_described(node))
        if node.role != "option":  # which is its name
            found += _shown(node.inside, words)
    return tuple(found)


def _is_compared(node: ShownNode, words: str) -> bool:
    if node.role in _SETTING or (node.role in _DRAWN and not node.name):
        return False
    if node.role in _PARTS or (node.role in _GROUPS and not _states(node)):
        return " ".join(words_of(node.name)) not in words
    return True


def _described(node: ShownNode) -> Described:
    role = "group" if node.role in _GROUPS else "image" if node.role in _DRAWN else node.role
    return role, " ".join(node.name.split()), _states(node)


def _states(node: ShownNode) -> tuple[tuple[str, str], ...]:
    """What is compared of an element's state."""
    states = {name: str(node.states.get(name, "")) for name in _STATES}
    attributes: dict[str, str] = {}
    if node.role in ("heading", "link", "button", "image", "option") or node.tag in ("input", "select"):
        states.pop("value")
    if node.tag == "input" and node.role not in ("button", *TICKS):
        attributes = {name: node.attributes.get(name, "") for name in _LIMITS} | {"value": str(node.held["value"])}
        attributes["type"] = attributes["type"] if attributes["type"] != "text" else ""
    unfolds = {name for name in _TWOFOLD if node.states.get(name) is not None}
    found = [(name, value) for name, value in states.items() if value not in _SAYING_NO or name in unfolds]
    found += [(name, value) for name, value in attributes.items() if value]
    return tuple((name, " ".join(value.split())) for name, value in found)


def _in_words(some: Shown) -> str:
    parts = []
    for one in some:
        if isinstance(one, str):
            parts.append(f"the text {one[:80]!r}")
        else:
            role, name, states = one
            parts.append(" ".join([role, repr(name), *(f"{state}={value}" for state, value in states)])[:80])
    return "; ".join(parts[:3])


def _texts(nodes: "Sequence[str | ShownNode]") -> Iterator[str]:
    for one in nodes:
        yield from (one,) if isinstance(one, str) else _texts(one.inside)
        if isinstance(one, ShownNode) and not one.held.get("line"):
            yield " "
