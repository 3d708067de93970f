"""The accessibility tree of a page as text: what Chromium tells screen readers, with ids that calls take."""

from collections.abc import Iterator
from types import MappingProxyType

from procgen_bench.envs.web.holes import concealed
from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import CHECKED

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROLES = MappingProxyType(
    {
        "a": "link",
        "button": "button",
        "footer": "sectionfooter",
        "form": "form",
        "header": "sectionheader",
        "img": "image",
        "label": "LabelText",
        "li": "listitem",
        "main": "main",
        "nav": "navigation",
        "ol": "list",
        "option": "option",
        "p": "paragraph",
        "select": "combobox",
        "ul": "list",
    }
    | dict.fromkeys(_HEADINGS, "heading")
)
_INPUT_ROLES = MappingProxyType(
    {
        "checkbox": "checkbox",
        "radio": "radio",
        "number": "spinbutton",
        "date": "Date",
        "time": "InputTime",
        "search": "searchbox",
    }
)
_GENERIC = "generic"
#: Roles that are named by what is inside, unless something else names them.
_NAMED_BY_CONTENT = ("button", "heading", "link", "option")
#: What is said of elements that have these attributes.
_FLAGS = MappingProxyType(
    {"disabled": "disabled", "readonly": "readonly", "required": "required", "multiple": "multiselectable"}
)
#: Roles of lines of parts, one of which has the focus.
_IN_PARTS = ("Date", "InputTime")
_TICKS = ("checkbox", "radio", "switch")


def tree_lines(page: ShownPage, index: int, depth: int) -> Iterator[str]:
    """An element, if it is shown and says something, and what is inside it, a line each, indented by what they are in.

    ``[12] textbox 'City' value='Paris', focused``: id, role, name, and state. Texts that name nothing stand by
    themselves: ``StaticText 'Shop'``. The form is BrowserGym's.
    """
    if not page.is_shown(index):
        return
    what = role(page, index)
    if what == "LabelText" and role(page, page.controls.get(index, index)) in _TICKS:
        return  # what is ticked is called by it
    if what != _GENERIC:
        yield "\t" * depth + own_line(page, index)
        depth += 1
    if what in _NAMED_BY_CONTENT:
        return
    if text := page.records[index].text:
        yield "\t" * depth + f"StaticText {text!r}"
    for child in page.children[index]:
        yield from tree_lines(page, child, depth)


def own_line(page: ShownPage, index: int) -> str:
    """An element's own line."""
    what = role(page, index)
    return f"[{page.first + index}] {what} {name(page, index)!r}{_state(page, index, what)}"


def role(page: ShownPage, index: int) -> str:
    """The role of an element; ``"generic"`` where it has none."""
    element = page.element(index)
    if stated := element.attribute("role"):
        return stated
    if element.attribute("multiple"):
        return "listbox"
    if element.tag == "input":
        return _INPUT_ROLES.get(element.attribute("type"), "textbox")
    return "radiogroup" if "choices" in element.classes else _ROLES.get(element.tag, _GENERIC)


def name(page: ShownPage, index: int) -> str:
    """What an element is called; empty where nothing says it."""
    element = page.element(index)
    label = page.labels.get(index)
    names = [element.attribute("aria-label"), element.attribute("alt")]
    if label is not None:
        names.append(page.text_inside(label))
    if role(page, index) in _NAMED_BY_CONTENT:
        names.append(page.text_inside(index))
    names += [element.attribute("title"), element.attribute("placeholder")]
    return next(filter(None, names), "")


def _state(page: ShownPage, index: int, what: str) -> str:
    """The value that is held, and further properties."""
    record, element = page.records[index], page.element(index)
    description = element.attribute("aria-description") or element.attribute("title")
    value = record.value if what not in (*_TICKS, "listbox") else ""
    if element.attribute("type") == "password":
        value = concealed(value)
    properties = []
    if description and description != name(page, index):
        properties.append(f"description={description!r}")
    if element.attribute("min") and what == "spinbutton":
        properties.append(f"valuemin={element.attribute('min')!r}")
    if element.attribute("max") and what == "spinbutton":
        properties.append(f"valuemax={element.attribute('max')!r}")
    around = page.element(page.placed[index].parent) if what == "option" else element
    disabled = bool(element.attribute("disabled") or around.attribute("disabled"))
    flags = {**dict(element.attributes), **({"disabled": "disabled"} if disabled else {})}
    properties += [f"{name}=True" for flag, name in _FLAGS.items() if flag in flags]
    if what in _TICKS:
        properties.append(f"checked={str(record.value == CHECKED).lower()!r}")
    if (expanded := page.expanded(index)) is not None:
        properties.append(f"expanded={expanded}")
    if what == "option" and not disabled and page.records[page.placed[index].parent].value == record.text:
        properties.append("selected")
    if record.active and what not in _IN_PARTS:
        properties.append("focused")
    return (f" value={value!r}" if value else "") + "".join(f", {one}" for one in properties)
