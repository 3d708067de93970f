"""HTML fragments that a person hands over, read as primitives: what is taken of them, and why others are refused."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.fragment_kinds import FragmentError, purpose_of
from procgen_bench.tasks.sites.fragment_layout import laid_out
from procgen_bench.tasks.sites.lines import refused_place
from procgen_bench.tasks.sites.own_check import MAX_TEXT_LENGTH, check_own
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.vocabulary import words_of

#: A text, or an element as [tag, {attribute: value}, [what is inside]].
Node = Any

#: What is left out with all that is inside, by what it is called when that is said.
_LEFT_OUT = {
    "script": ("script", "noscript"),
    "style": ("style", "link"),
    "frame": ("iframe", "frame", "object", "embed", "portal"),
    "picture that is drawn": ("svg", "canvas", "video", "audio", "source", "track", "picture", "map"),
    "note to browsers": ("meta", "base", "title", "template", "slot"),
}
_LEFT_OUT_TAGS = {tag: what for what, tags in _LEFT_OUT.items() for tag in tags}
#: Tags of published primitives that stand for others; all else is a ``span``, or a ``div`` if something is inside.
_TAGS = {
    **{tag: tag for tag in ("a", "button", "div", "footer", "header", "img", "input", "label", "nav", "select")},
    **{tag: tag for tag in ("h2", "h4", "h5", "h6", "ol", "ul", "li", "option", "p", "small", "span")},
    **{"h1": "h2", "h3": "h4", "textarea": "input", "legend": "h6", "figcaption": "p"},
}
_TYPED = ("", "text", "password", "email", "tel", "url", "search", "date", "time", "month", "week", "datetime-local")
_PRESSED = ("submit", "button", "reset", "image")
_BEHAVIOURS = {"number": Behaviour.NUMBER, "checkbox": Behaviour.CHECK, "radio": Behaviour.CHOOSE}
_KEPT_ATTRIBUTES = ("placeholder", "title", "alt", "aria-label")
_REMOTE = re.compile(r"\s*(https?:|ftp:|wss?:|//)", re.IGNORECASE)
_SCRIPTED = re.compile(r"\s*(javascript|vbscript|data):", re.IGNORECASE)
#: Tags of blocks, and those that may stand around them.
_BLOCKS = ("div", "footer", "header", "h2", "h4", "h5", "h6", "li", "nav", "ol", "p", "ul")
_AROUND_BLOCKS = ("a", "button", "div", "footer", "header", "li", "nav", "ol", "ul")
#: Letters of a line; what is longer would run out of the page.
_LONGEST_LINE = 60


@dataclass
class _Reader:
    """Reads one fragment; counts what is left out."""

    left_out: Counter[str] = field(default_factory=Counter)

    def elements(self, nodes: list[Node], around: str = "") -> list[Element]:
        """What these nodes are as elements; texts beside elements are ``span``."""
        read = [self.text(node) if isinstance(node, str) else self.element(node, around) for node in nodes]
        return [one for one in read if one is not None]

    def text(self, text: str) -> Element | None:
        """A text on its own."""
        line = self.line(text)
        return Element("span", text=line) if line else None

    def line(self, text: str) -> str:
        """A text in one line, cut where it is too long for one."""
        line = "".join(" " if refused_place(letter) is not None else letter for letter in text)
        line = " ".join(line.split())
        if len(line) > _LONGEST_LINE:
            self.left_out["end of a long text"] += 1
            line = line[: _LONGEST_LINE - 1].rstrip() + "\u2026"
        return line

    def element(self, node: Node, around: str) -> Element | None:
        """What an element is, if anything of it is taken."""
        tag, attributes, inside = node
        if tag in _LEFT_OUT_TAGS:
            self.left_out[_LEFT_OUT_TAGS[tag]] += 1
            return None
        self._count(attributes)
        if tag in ("br", "hr", "wbr") or (tag == "input" and attributes.get("type", "").lower() == "hidden"):
            return None
        if tag in ("input", "textarea"):
            return self._input(tag, attributes)
        if tag == "select":
            return self._select(attributes, inside)
        if tag == "img":
            return Element("img", classes=("picture", "scene-1"), attributes=self._kept(attributes))
        return self._container(tag, attributes, inside, around)

    def _container(self, tag: str, attributes: dict[str, str], inside: list[Node], around: str) -> Element | None:
        known = _TAGS.get(tag, "")
        children = self.elements(inside, known)
        if not children and not attributes.get("aria-label"):
            return None
        if (known == "li" and around not in ("ol", "ul")) or known == "option":
            known = "div"
        if known in ("ol", "ul"):
            children = [child if child.tag == "li" else Element("li", children=(child,)) for child in children]
        control = next((child for child in children if child.behaviour != Behaviour.NONE), None)
        if known == "label" and control is not None and control.tag in ("input", "select"):
            return self._labelled(children)
        if known not in _AROUND_BLOCKS and any(child.tag in _BLOCKS for child in children):
            known = "div"
        if len(children) == 1 and children[0] == Element("span", text=children[0].text):
            alone = known or "span"
            return self._usable(Element(alone, text=children[0].text, attributes=self._kept(attributes)))
        return self._usable(Element(known or "div", attributes=self._kept(attributes), children=tuple(children)))

    def _labelled(self, children: list[Element]) -> Element:
        """A label with its control inside: one beside the other."""
        texts = [child.text for child in children if child.text]
        kept = [child for child in children if child.tag in ("input", "select")]
        label = Element("label", text=self.line(" ".join(texts)))
        return Element(
            "div", children=(*kept, label) if kept[0].tag == "input" and _is_tick(kept[0]) else (label, *kept)
        )

    def _usable(self, element: Element) -> Element:
        """Links and buttons; what they do is decided when the fragment's kind is known."""
        if element.tag == "a":
            return replace(element, classes=("link",), behaviour=Behaviour.END)
        if element.tag == "button":
            attributes = (("type", "button"), *element.attributes)
            return replace(element, classes=("button", "secondary"), attributes=attributes, behaviour=Behaviour.VISIT)
        return element

    def _input(self, tag: str, attributes: dict[str, str]) -> Element | None:
        type_ = "text" if tag == "textarea" else attributes.get("type", "").lower()
        kept = self._kept(attributes)
        if type_ in _PRESSED:
            text = self.line(attributes.get("value") or attributes.get("alt") or type_.title())
            return self._usable(Element("button", text=text))
        if type_ in _BEHAVIOURS and type_ != "number":
            value = (("value", self._option_text(attributes)),) if type_ == "radio" else ()
            return Element("input", classes=("tick",), attributes=(("type", type_), *value, *kept),
                           behaviour=_BEHAVIOURS[type_])  # fmt: skip
        if type_ not in _TYPED and type_ != "number":
            raise FragmentError(f"an input of type {type_!r}, expected text, number, checkbox or radio")
        shown = type_ if type_ in ("number", "password") else "text"
        behaviour = _BEHAVIOURS.get(type_, Behaviour.TYPE)
        return Element("input", classes=("control",), attributes=(("type", shown), *kept), behaviour=behaviour)

    def _option_text(self, attributes: dict[str, str]) -> str:
        """What an option to choose is called: for now by its own value; its label's text takes its place."""
        return self.line(attributes.get("value", "") or "on")

    def _select(self, attributes: dict[str, str], inside: list[Node]) -> Element | None:
        texts = dict.fromkeys(self.line(_text_of(node)) for node in _options(inside))
        options = tuple(Element("option", text=text) for text in texts if text)
        if not options:
            return None
        kept = tuple((name, value) for name, value in self._kept(attributes) if name != "placeholder")
        return Element("select", classes=("control",), attributes=kept, behaviour=Behaviour.SELECT, children=options)

    def _kept(self, attributes: dict[str, str]) -> tuple[tuple[str, str], ...]:
        kept = ((name, self.line(attributes.get(name, ""))) for name in _KEPT_ATTRIBUTES)
        return tuple((name, value) for name, value in kept if value)

    def _count(self, attributes: dict[str, str]) -> None:
        """What of attributes is left out and worth a word."""
        for name, value in attributes.items():
            if name.startswith("on"):
                self.left_out["handler"] += 1
            elif name in ("href", "src", "srcset", "action", "formaction", "poster", "data", "background", "style"):
                self.left_out["remote address"] += bool(_REMOTE.match(value) or (name == "style" and "url(" in value))
                self.left_out["script"] += bool(_SCRIPTED.match(value))


def primitive_of_fragment(name: str, nodes: list[Node], hints: str = "") -> tuple[Primitive, dict[str, int]]:
    """The primitive that a fragment is, and how much of what was left out.

    Scripts, handlers, styles, frames and addresses are left out; of the rest the tags are replaced by those of
    published primitives, classes by theirs, and places are new: what the fragment says, and what can be done with it,
    stays. Its kind is told by what is to be filled in, else by its tags and the names of its classes.

    Args:
        name: What the primitive is called by.
        nodes: The fragment's nodes, as a browser parses them.
        hints: Names of its classes and ids, separated by blanks.

    Raises:
        FragmentError: It is of none of the templates' kinds.
        InvalidTaskError: It is, but cannot stand on pages (see :func:`check_own`).
    """
    reader = _Reader()
    elements = reader.elements(nodes)
    if not elements:
        raise FragmentError("nothing to be seen")
    root = elements[0] if len(elements) == 1 and elements[0].tag in ("div", "nav", "footer", "header") else Element(
        "div", children=tuple(elements)
    )  # fmt: skip
    purpose = purpose_of(root, set(words_of(hints)))
    key = "_".join(words_of(purpose.label))
    if purpose.label and not key:
        raise FragmentError(f"the label {purpose.label!r}, expected one with a word, by which instructions call it")
    primitive = Primitive(name, purpose.kind, laid_out(purpose.root), key[:MAX_TEXT_LENGTH], purpose.label)
    check_own(primitive)
    return primitive, {what: count for what, count in reader.left_out.items() if count}


def _is_tick(element: Element) -> bool:
    return element.behaviour in (Behaviour.CHECK, Behaviour.CHOOSE)


def _options(nodes: list[Node]) -> list[Node]:
    found = []
    for node in nodes:
        if not isinstance(node, str):
            found += [node] if node[0] == "option" else _options(node[2])
    return found


def _text_of(node: Node) -> str:
    return node if isinstance(node, str) else "".join(map(_text_of, node[2]))


__all__ = ["FragmentError", "primitive_of_fragment"]
