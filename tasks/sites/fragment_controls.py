"""What is typed into, ticked or selected in a fragment, as elements of pages."""

from collections import Counter

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.lines import refused_place
from procgen_bench.tasks.sites.pattern_values import values_of_pattern
from procgen_bench.tasks.sites.shown_fragment import TICKS, FragmentError, ShownNode
from procgen_bench.tasks.sites.typed_values import token_of

Attributes = dict[str, str]

#: Roles of what a text is typed into.
_LINES = ("textbox", "searchbox", "spinbutton", "Date", "InputTime")
CONTROLS = (*_LINES, *TICKS, "combobox", "listbox")
#: Types of lines, with what they do.
_TYPES = {
    **dict.fromkeys(("text", "password", "tel", "url", "search"), Behaviour.TYPE),
    "number": Behaviour.NUMBER,
    "date": Behaviour.DATE,
    "time": Behaviour.TIME,
    "email": Behaviour.EMAIL,
}
#: Attributes by which a line takes other texts, which no page of ours does, with what is left out with them.
_TAKING_OTHERS = {
    "maxlength": "limit of length",
    "minlength": "limit of length",
    "multiple": "list of several addresses",
}


def one_line(text: str) -> str:
    """A text in one line."""
    line = "".join(" " if refused_place(letter) is not None else letter for letter in text)
    return " ".join(line.split())


def control_of(node: ShownNode, left_out: Counter[str]) -> Element:
    """A control of a fragment, with its name as ``aria-label``.

    Raises:
        FragmentError: No page has such a control.
    """
    if node.role in TICKS:
        return _tick(node)
    if node.tag == "select":
        return _select(node)
    return _line(node, left_out)


def _line(node: ShownNode, left_out: Counter[str]) -> Element:
    type_ = str(node.held.get("type") or "text") if node.tag == "input" else "text"
    if node.role not in _LINES:
        raise FragmentError(f"a {node.role} that is no <select>, expected one that is")
    if type_ not in _TYPES or (node.role == "spinbutton" and type_ != "number"):
        what = f"an input of type {type_!r}" if node.tag == "input" else f"a {node.role} that is no <input>"
        raise FragmentError(f"{what}, expected text, number, date, time, email, checkbox or radio")
    value = str(node.held.get("value") or "" if node.tag != "div" else node.states.get("value") or "")
    if node.tag != "input":
        left_out["further lines of a text"] += 1
    for name, what in _TAKING_OTHERS.items():
        left_out[what] += name in node.attributes
    attributes = {"type": type_, "placeholder": node.attributes.get("placeholder", ""), "value": value}
    if _TYPES[type_] == Behaviour.TYPE:
        attributes |= _about(node, left_out)
    if type_ in ("number", "date", "time"):
        attributes |= {name: node.attributes.get(name, "") for name in ("min", "max", "step")}
    return _made("input", "control", node, attributes, _TYPES[type_])


def _about(node: ShownNode, left_out: Counter[str]) -> Attributes:
    """What a line of any text says of the values that it takes; a pattern that no text is made of is left out."""
    token, pattern = token_of(node.attributes.get("autocomplete", ""), node.name), node.attributes.get("pattern", "")
    if pattern and (pattern != one_line(pattern) or not values_of_pattern(pattern)):
        left_out["pattern"] += 1
        pattern = ""
    return {"autocomplete": token, "pattern": pattern}


def _tick(node: ShownNode) -> Element:
    checked = str(node.states.get("checked"))
    if checked not in ("true", "false"):
        raise FragmentError(f"a {node.role} that is {checked}, expected one that is checked or not")
    attributes = {"type": "radio" if node.role == "radio" else "checkbox"}
    if node.role == "radio":
        attributes["value"] = one_line(node.name)
    if node.role == "switch":
        attributes["role"] = "switch"
    attributes["checked"] = "checked" if checked == "true" else ""
    behaviour = Behaviour.CHOOSE if node.role == "radio" else Behaviour.CHECK
    return _made("input", "tick", node, attributes, behaviour)


def _select(node: ShownNode) -> Element:
    if node.held["grouped"]:
        raise FragmentError("a list whose options stand in groups, expected plain options")
    several = bool(node.states.get("multiselectable"))
    options, selected = [], 0
    for place, (label, value, is_selected, disabled, _) in enumerate(node.held["options"]):
        about: Attributes = {"value": ""} if value == "" and place == 0 else {}
        if disabled:
            about["disabled"] = "disabled"
        if is_selected and (several or place):
            about["selected"] = "selected"
        if is_selected and disabled:
            about["selected"] = "selected"
        selected += bool(is_selected)
        options.append(Element("option", text=one_line(label), attributes=tuple(about.items())))
    if not options:
        raise FragmentError("a list without options")
    if selected > 1:
        raise FragmentError(f"{selected} options that are selected at first, expected at most one")
    attributes = {"multiple": "multiple" if several else ""}
    return _made("select", "control", node, attributes, Behaviour.SELECT, tuple(options))


def _made(
    tag: str,
    class_: str,
    node: ShownNode,
    attributes: Attributes,
    behaviour: Behaviour,
    inside: tuple[Element, ...] = (),
) -> Element:
    """A control with what it is called and its state."""
    disabled, readonly = bool(node.states.get("disabled")), bool(node.states.get("readonly"))
    attributes |= {
        "required": "required" if node.states.get("required") or "required" in node.attributes else "",
        "disabled": "disabled" if disabled else "",
        "readonly": "readonly" if readonly and tag == "input" and class_ == "control" else "",
        "aria-label": one_line(node.name),
        "aria-description": one_line(str(node.states.get("description") or "")),
    }
    if attributes["aria-label"] == one_line(attributes.get("placeholder", "")):
        attributes["aria-label"] = ""
    if attributes["aria-description"] == one_line(attributes.get("placeholder", "")):
        attributes["aria-description"] = ""
    used = Behaviour.NONE if disabled or attributes["readonly"] else behaviour
    given = tuple((name, one_line(value) if name != "value" else value) for name, value in attributes.items() if value)
    return Element(tag, classes=(class_,), attributes=given, behaviour=used, children=inside)
