"""Actions as calls in writing, ``fill('12', 'Ada')``: BrowserGym's names and arguments, never evaluated."""

import ast
import inspect
import warnings
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from procgen_bench.engine.text_form import CallError
from procgen_bench.envs.web.pressed_keys import pressed_key
from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import CHECKED, TAKING_TEXT, TYPED, Behaviour
from procgen_bench.tasks.sites.lines import refused_place
from procgen_bench.tasks.sites.task import MAX_VALUE_LENGTH

#: Characters that a call may have: more than any sensible one.
MAX_CALL_LENGTH = 4 * MAX_VALUE_LENGTH


class Use(NamedTuple):
    """What a call comes to: an element of the page is used with a text.

    Attributes:
        element: Its index on the page, from 0.
        text: The text.
    """

    element: int
    text: str


#: No use of anything: the page itself does nothing.
NOTHING = Use(0, "")


def call_in_page(written: str, page: ShownPage, top: int = 0) -> Use:
    """What a call that an agent wrote comes to on this page, of which its pictures begin with row ``top``.

    Raises:
        CallError: It is no call, or none that can be made here.
    """
    name, arguments, keywords = _read(written)
    method = _CALLS.get(name)
    if method is None:
        raise CallError(f"there is no action {name!r}, expected one of {', '.join(_CALLS)}")
    try:
        bound = _signature(method).bind(_Hand(page, top), *arguments, **keywords)
    except TypeError as error:
        raise CallError(f"{name} takes {_parameters(method)}: {error}") from None
    expected = _types(method)
    for parameter, value in list(bound.arguments.items())[1:]:
        if not _fits(value, expected[parameter]):
            raise CallError(f"{name}'s {parameter} is {value!r:.60}, expected {_words(expected[parameter])}")
    return method(*bound.args, **bound.kwargs)


def describe_calls() -> str:
    """The calls with what they do, a line each, to tell an agent."""
    return "\n".join(f"{name}({_parameters(method)}): {method.__doc__}" for name, method in _CALLS.items())


class _Hand:
    """What calls do, one method each, by BrowserGym's names and parameters."""

    def __init__(self, page: ShownPage, top: int):
        self.page, self._top = page, top

    def click(self, bid: str, button: str = "left", modifiers: list[str] = []) -> Use:  # noqa: B006 (never changed)
        """Click an element: press a button, follow a link, check a box, choose an option, go into a line."""
        if button != "left" or modifiers:
            raise CallError(f"click has button={button!r}, modifiers={modifiers!r:.60}, expected a plain left click")
        return self._clicked(self._shown(bid))

    def fill(self, bid: str, value: str, enable_autocomplete_menu: bool = False) -> Use:
        """Type a text into a line, in place of what is there."""
        index = self._control(bid, TYPED, "takes no text")
        if len(value) > MAX_VALUE_LENGTH:
            raise CallError(f"fill's value has {len(value):,} characters, expected at most {MAX_VALUE_LENGTH:,}")
        if (place := refused_place(value)) is not None:
            raise CallError(f"character {place} of fill's value is {value[place]!r}, expected no control or line break")
        return Use(index, value)

    def clear(self, bid: str) -> Use:
        """Empty a line."""
        return self.fill(bid, "")

    def select_option(self, bid: str, options: str | list[str]) -> Use:
        """Select an option of a list that drops down, by its text."""
        index = self._control(bid, (Behaviour.SELECT,), "has no options to select")
        wanted = [options] if isinstance(options, str) else options
        offered = [self.page.records[child].text for child in self.page.children[index]]
        if len(wanted) != 1 or wanted[0] not in offered:
            raise CallError(f"select_option's options are {options!r:.60}, expected one of {', '.join(offered)}")
        return Use(index, wanted[0])

    def check(self, bid: str) -> Use:
        """Check a box, or choose an option, unless it is."""
        index = self._control(bid, (Behaviour.CHECK, Behaviour.CHOOSE), "is no box to check")
        return NOTHING if self._is_checked(index) else self._clicked(index)

    def uncheck(self, bid: str) -> Use:
        """Uncheck a box, unless it is unchecked."""
        index = self._control(bid, (Behaviour.CHECK,), "is no box to uncheck")
        return self._clicked(index) if self._is_checked(index) else NOTHING

    def mouse_click(self, x: float, y: float, button: str = "left") -> Use:
        """Click what is drawn at a pixel, counted from the left and the top."""
        if button != "left":
            raise CallError(f"mouse_click's button is {button!r}, expected 'left'")
        index = self.page.at(x, y + self._top)
        if index is None:
            raise CallError(f"mouse_click's place is ({x}, {y}), expected one on the page")
        return self._clicked(index)

    def keyboard_type(self, text: str) -> Use:
        """Type a text where the focus is, in place of what is there; in a list, select the option that it is."""
        index = self.page.focused
        if index is None or self.page.element(index).behaviour not in TAKING_TEXT:
            raise CallError(f"keyboard_type has the text {text!r:.60}, but the focus is in no line; click one first")
        if self.page.element(index).behaviour == Behaviour.SELECT:
            return self.select_option(str(index), text)
        return self.fill(str(index), text)

    def press(self, bid: str, key_comb: str) -> Use:
        """Press one key: Enter, Space, Backspace, an arrow or a letter, as far as it does what others do, too."""
        index = self._shown(bid)
        used = pressed_key(self.page, index, " " if key_comb == "Space" else key_comb)
        if used is None:
            what = f"<{self.page.records[index].tag}> {bid!r}"
            raise CallError(f"press's key_comb is {key_comb!r:.60}, which does nothing here to {what}")
        element, text = used
        if self.page.element(element).behaviour in TYPED:
            return self.fill(str(element), text)
        return self._clicked(element) if text == "" else Use(element, text)

    def hover(self, bid: str) -> Use:
        """Hold the mouse over an element, which changes nothing."""
        self._shown(bid)
        return NOTHING

    def scroll(self, delta_x: float, delta_y: float) -> Use:
        """Scroll, which changes nothing: the whole page is observed."""
        return NOTHING

    def send_msg_to_user(self, text: str) -> Use:
        """Say something, which changes nothing: nobody answers."""
        return NOTHING

    def goto(self, url: str) -> Use:
        """Go to another page, which cannot be: no request leaves the site."""
        raise CallError(f"goto's url is {url!r:.60}, expected no other site than this one, which no request leaves")

    def noop(self, wait_ms: float = 1000) -> Use:
        """Do nothing. It takes a step, however long it is to wait."""
        return NOTHING

    def _shown(self, bid: str) -> int:
        index = int(bid) if bid.isascii() and bid.isdigit() and len(bid) < 6 else -1
        if not 0 <= index < len(self.page):
            raise CallError(f"no element has the id {bid!r:.60}, expected '0' to '{len(self.page) - 1}'")
        if not self.page.is_shown(index):
            raise CallError(f"element {bid!r} is not shown")
        return index

    def _control(self, bid: str, behaviours: tuple[Behaviour, ...], fault: str) -> int:
        """The element of this id, or the control that it is the label of, which behaves in one of these ways."""
        index = self._shown(bid)
        index = self.page.controls.get(index, index)
        if self.page.element(index).behaviour not in behaviours:
            raise CallError(f"element {bid!r}, <{self.page.records[index].tag}>, {fault}")
        return index

    def _clicked(self, index: int) -> Use:
        used = self.page.used_by_a_click(index)
        if used is None:
            what = f"<{self.page.records[index].tag}> '{index}'"
            raise CallError(f"a click on {what} does nothing, expected a button, a link, a box, an option or a line")
        element, record = self.page.element(used), self.page.records[used]
        if element.behaviour == Behaviour.CHOOSE:
            return Use(used, element.attribute("value"))
        # A line that holds what it held has the focus, and nothing else.
        return Use(used, record.value if element.behaviour in TAKING_TEXT else "")

    def _is_checked(self, index: int) -> bool:
        return self.page.records[index].value == CHECKED


_CALLS: dict[str, Callable[..., Use]] = {
    name: method for name, method in vars(_Hand).items() if callable(method) and not name.startswith("_")
}


_signature, _types = cache(inspect.signature), cache(get_type_hints)


def _read(written: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Name, arguments and keywords of a call; all of them are literals."""
    if len(written) > MAX_CALL_LENGTH:
        raise CallError(f"the action has {len(written):,} characters, expected at most {MAX_CALL_LENGTH:,}")
    try:
        with warnings.catch_warnings(action="ignore"):  # of backslashes that mean nothing
            call = ast.parse(written.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        arguments = [ast.literal_eval(argument) for argument in call.args]
        keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
        if len(keywords) < len(call.keywords):
            raise ValueError
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise CallError(
            f"the action is {written!r:.60}, expected one call with literals, like fill('12', 'Ada')"
        ) from None
    return call.func.id, arguments, keywords


def _fits(value: Any, expected: Any) -> bool:
    if isinstance(expected, UnionType):
        return any(_fits(value, one) for one in get_args(expected))
    if get_origin(expected) is list:
        return isinstance(value, list) and all(_fits(entry, get_args(expected)[0]) for entry in value)
    if expected is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, expected)


def _words(expected: Any) -> str:
    words = {str: "a text in quotes", float: "a number", bool: "True or False", list[str]: "a list of texts"}
    if isinstance(expected, UnionType):
        return " or ".join(words[one] for one in get_args(expected))
    return words[expected]


def _parameters(method: Callable) -> str:
    """A method's parameters as a call names them, without their types."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    plain = (p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    return ", ".join(plain)
