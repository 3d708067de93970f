"""HTML fragments that a person hands over, read as primitives: what their elements become, and why some are refused."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.fragment_controls import CONTROLS, control_of, one_line
from procgen_bench.tasks.sites.fragment_fields import OF_FORM, field_of, mark_of, paired, unmarked
from procgen_bench.tasks.sites.fragment_pieces import pieces_of
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, named_apart
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.shown_fragment import TICKS, FragmentError, ShownFragment, ShownNode
from procgen_bench.tasks.sites.vocabulary import words_of

#: Tags of published primitives that stay, whatever their roles; all else is a ``span`` or ``div``.
_TAGS = {tag: tag for tag in ("div", "footer", "header", "nav", "ol", "ul", "li", "p", "small")}
_BLOCKS = ("div", "footer", "header", "h2", "h4", "h5", "h6", "li", "nav", "ol", "p", "ul")
#: Of a heading's level: its tag, whose own level may be another.
_HEADINGS = {1: "h2", 2: "h2", 3: "h4", 4: "h4", 5: "h5", 6: "h6"}
#: Roles of pictures.
_PICTURES = ("image", "img", "SvgRoot", "graphics-document", "canvas", "Canvas")
#: Tags whose texts mean something else when they are set as others are, with what is left out then.
_SET_APART = {
    **dict.fromkeys(("s", "del", "strike"), "struck-out text"),
    **dict.fromkeys(("sub", "sup"), "raised or lowered text"),
}
#: Types of inputs that are buttons.
_PRESSED = ("submit", "button", "reset", "image")
#: Letters of a line; what is longer goes on in the next.
_LONGEST_LINE = 54


class _Reader:
    """Reads one fragment; counts what is left out."""

    def __init__(self, fragment: ShownFragment):
        self.left_out: Counter[str] = Counter(fragment.left_out)
        self._fragment = fragment
        self._by_id = {one.attributes["id"]: one for one in self._every() if "id" in one.attributes}
        self._groups = {
            id(one): f"group {id(around)}" for around in self._every() if around.role == "radiogroup" for one in around
        }
        self._in_forms = {id(one) for around in self._every() if around.tag == "form" for one in around}
        self.left_out.update(_SET_APART[one.tag] for one in self._every() if one.tag in _SET_APART)
        self.left_out["aria-current"] += sum("aria-current" in one.attributes for one in self._every())

    def elements(self) -> list[Element]:
        """What the fragment's nodes are as elements."""
        return self._inside(self._fragment.nodes)

    def _every(self) -> "list[ShownNode]":
        return [one for top in self._fragment.nodes if isinstance(top, ShownNode) for one in top]

    def _inside(self, nodes: "Sequence[str | ShownNode]", around: str = "") -> list[Element]:
        """Elements for nodes; texts that stand in one line, however they are set, are one."""
        found: list[Element] = []
        line = ""
        for node in nodes:
            if isinstance(node, str) or self._is_plain_text(node):
                line += node if isinstance(node, str) else node.raw_text
                continue
            found += self._texts(line)
            line = ""
            found += self._element(node, around)
        return found + self._texts(line)

    @staticmethod
    def _is_plain_text(node: ShownNode) -> bool:
        """Whether an element is nothing but text that stands in a line."""
        return all(
            one.held.get("line")
            and one.tag not in ("label", "small")
            and one.role in ("", "generic", "strong", "emphasis", "code", "mark", "time", "Abbr")
            and not one.held.get("drawn")
            and one.tag not in ("br", "img", "input", "select", "textarea", "button")
            for one in node
        )

    @staticmethod
    def _texts(text: str, tag: str = "span") -> list[Element]:
        """A text in as many lines as it takes."""
        return [Element(tag, text=line) for line in _lines(one_line(text))]

    def _element(self, node: ShownNode, around: str) -> list[Element]:
        """What an element is."""
        role = node.role
        if role in CONTROLS:
            return self._control(node)
        if node.tag == "input":
            if role != "button" or node.held.get("type") not in _PRESSED:
                raise FragmentError(f"an input of type {node.held.get('type')!r}, expected text, number or checkbox")
            return [self._pressed(node, [])]
        if role in _PICTURES or node.held.get("drawn") or node.tag == "img":
            return self._picture(node)
        if node.tag in ("br", "hr", "wbr"):
            return []
        if node.tag == "label":
            return self._label(node)
        known = _TAGS.get(node.tag, "")
        if role == "list":
            known = "ol" if node.tag == "ol" else "ul"
        if role == "listitem":
            known = "li" if around in ("ol", "ul") else "div"
        if role == "heading":
            return self._heading(node)
        children = self._inside(node.inside, known)
        if role in ("button", "link"):
            return [self._pressed(node, children)]
        return self._container(node, known, children)

    def _container(self, node: ShownNode, known: str, children: list[Element]) -> list[Element]:
        if not children:
            return []
        children = paired(children)
        if known in ("ol", "ul"):
            children = [child if child.tag == "li" else Element("li", children=(child,)) for child in children]
        if known in ("p", "small") and (len(children) > 1 or any(child.tag in _BLOCKS for child in children)):
            known = "div" if any(child.tag in _BLOCKS for child in children) else known
        if known == "li" and node.role != "listitem":
            known = "div"
        attributes: tuple[tuple[str, str], ...] = ()
        classes: tuple[str, ...] = ()
        if node.role in ("group", "radiogroup") and node.name:
            attributes = (("aria-label", one_line(node.name)),)
            if any(one.attribute("type") == "radio" for child in children for one in child):
                classes = ("choices",)
            else:
                attributes = (("role", "group"), *attributes)
        elif node.role == "navigation" and node.name:
            attributes = (("aria-label", one_line(node.name)),)
        if len(children) == 1 and not attributes:
            (child,) = children
            bare = child == Element("span", text=child.text)
            if bare and known and known not in ("ol", "ul", "nav", "header", "footer"):
                return [Element(known, text=child.text)]
            if bare and not known:
                return [Element("span" if node.held.get("line") else "p", text=child.text)]
            if known in ("", "div") and not node.held.get("line"):
                return [child] if child.tag in _BLOCKS else [Element("div", children=(child,))]
        if not known and node.held.get("line") and not attributes:
            return children
        return [Element(known or "div", classes=classes, attributes=attributes, children=tuple(children))]

    def _heading(self, node: ShownNode) -> list[Element]:
        level = int(node.states.get("level") or 2)
        tag = _HEADINGS[min(level, 6)]
        attributes = () if tag == f"h{level}" else (("aria-level", str(level)),)
        children = self._inside(node.inside)
        if len(children) == 1 and children[0].tag == "span" and not children[0].children:
            return [Element(tag, text=children[0].text, attributes=attributes)]
        return [Element(tag, attributes=attributes, children=tuple(_in_line(children)))]

    def _pressed(self, node: ShownNode, children: list[Element]) -> Element:
        """A link or a button; what it does is decided when the fragment's kind is known."""
        name, children = one_line(node.name), _in_line(children)
        read = " ".join(one.text for child in children for one in child if one.text)
        if node.tag == "input":
            children, read = self._texts(name), name
        is_link = node.role == "link"
        attributes = [] if is_link else [("type", "button")]
        if name and name != read:
            attributes.append(("aria-label", name))
        description = one_line(str(node.states.get("description") or ""))
        if description and description != name:
            attributes.append(("aria-description", description))
        behaviour = Behaviour.END if is_link else Behaviour.VISIT
        if node.states.get("disabled") and not is_link:
            attributes.append(("disabled", "disabled"))
            behaviour = Behaviour.NONE
        in_form = not is_link and id(node) in self._in_forms
        if in_form and behaviour != Behaviour.NONE:
            behaviour = self._of_form(node)
        alone = len(children) == 1 and children[0] == Element("span", text=children[0].text)
        return Element(
            "a" if is_link else "button",
            classes=("link",) if is_link else ("button", "secondary"),
            text=children[0].text if alone else "",
            attributes=tuple(attributes),
            behaviour=behaviour,
            name=OF_FORM if in_form else "",
            children=() if alone else tuple(children),
        )

    def _of_form(self, node: ShownNode) -> Behaviour:
        """What a form's own button does: it sends the form off, or is visited, where what it did is left out."""
        type_ = str(node.held.get("type") or "submit") if node.tag == "input" else node.attributes.get("type", "submit")
        if type_.lower() not in ("button", "reset") and node.tag in ("button", "input"):
            return Behaviour.LEAVE
        self.left_out["effect of a reset button" if type_.lower() == "reset" else "effect of a button"] += 1
        return Behaviour.VISIT

    def _picture(self, node: ShownNode) -> list[Element]:
        if not node.name:
            self.left_out["picture without a name"] += 1
            return []
        description = one_line(str(node.states.get("description") or ""))
        attributes = (("alt", one_line(node.name)), *((("aria-description", description),) if description else ()))
        return [Element("img", classes=("picture", "scene-1"), attributes=attributes)]

    def _control(self, node: ShownNode) -> list[Element]:
        """A control, marked so that its label is found, and then what stands inside it."""
        control = control_of(node, self.left_out)
        control = replace(control, name=mark_of(node), target=self._group(node) if node.role == "radio" else "")
        if node.tag in ("input", "select", "textarea") or not node.inside:
            return [control]
        if node.role not in TICKS:
            return [control]
        return [field_of(control, self._texts(node.text, "label"))]

    def _group(self, option: ShownNode) -> str:
        """What marks the group of an option to choose; one that no other belongs to is a group by itself."""
        name = option.attributes.get("name") if option.tag == "input" else None
        return f"group {name}" if name else self._groups.get(id(option), mark_of(option))

    @staticmethod
    def _joined(node: ShownNode, children: list[Element]) -> list[Element]:
        """What is ticked and the texts behind it, which stand in one line however they are set, as one text."""
        first, *texts = children
        is_one = first.is_tick and all(one.tag in ("span", "small") and not one.children for one in texts)
        line = one_line(node.text)
        return [first, Element("span", text=line)] if is_one and len(line) <= _LONGEST_LINE else children

    def _label(self, node: ShownNode) -> list[Element]:
        """A label, marked as its control is; a control inside goes next to it."""
        inside = [one for one in node if one.role in CONTROLS]
        if not inside:
            about = self._by_id.get(node.attributes.get("for", ""))
            text = self._inside(node.inside)
            simple = all(child == Element("span", text=child.text) for child in text)
            if about is None or about.role not in CONTROLS or len(text) != 1 or not simple:
                return text
            return [Element("label", text=text[0].text, target=mark_of(about))]
        children = self._inside(node.inside)
        if inside[0].role in TICKS and sum(one.text != "" for one in children) > 1:
            children = self._joined(node, children)
        found = []
        for child in children:
            plain = child == Element("span", text=child.text)
            found.append(replace(child, tag="label", target=mark_of(inside[0])) if plain else child)
        if len(found) > 1:
            found = paired(found)
        return found if len(found) == 1 else [Element("div", children=tuple(found))]


def _lines(text: str) -> list[str]:
    """A text in lines of at most 54 letters, broken at blanks as far as there are any."""
    lines = []
    while len(text) > _LONGEST_LINE:
        end = text.rfind(" ", 1, _LONGEST_LINE + 1)
        end = end if end > 0 else _LONGEST_LINE
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, text] if text else lines


def _in_line(children: Sequence[Element]) -> list[Element]:
    """What may stand in a link, a button or a heading: the texts and pictures of its elements."""
    found = []
    for child in children:
        if child.behaviour != Behaviour.NONE or child.tag in ("img", "a"):
            found.append(child)
        else:
            found += [Element("span", text=child.text)] if child.text else []
            found += _in_line(child.children)
    return found


def primitives_of_fragment(name: str, fragment: ShownFragment) -> tuple[list[Primitive], dict[str, int]]:
    """The primitives that a fragment is, from top to bottom, and how much of what was left out.

    Scripts, handlers, styles, frames and addresses are left out; of the rest the tags are replaced by those of
    published primitives, classes by theirs, and places are new: what the fragment says, and what can be done with it,
    stays. A fragment that asks for one thing at most is one primitive, whose kind is that of what it asks for, else
    what its tags and the names of its classes say. One that asks for several is cut into as many, each with its label.

    Args:
        name: What the primitive is called by; several have numbers behind it, from 1.
        fragment: The fragment, as a browser shows it.

    Raises:
        FragmentError: It is of none of the templates' kinds.
        InvalidTaskError: It is, but cannot stand on pages (see :func:`check_own`).
    """
    reader = _Reader(fragment)
    elements = paired(reader.elements())
    if not elements:
        raise FragmentError("nothing to be seen")
    purposes = pieces_of(elements, set(words_of(fragment.hints)))
    primitives = []
    for number, purpose in enumerate(purposes, start=1):
        called = name if len(purposes) == 1 else f"{name}_{number}"
        made = Primitive(called, purpose.kind, unmarked(purpose.root), purpose.field, purpose.label)
        (primitive,) = named_apart([made], PUBLISHED_LIBRARY)
        check_own(primitive)
        primitives.append(primitive)
    return primitives, {what: count for what, count in reader.left_out.items() if count}
