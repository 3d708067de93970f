"""What hands do in a page, as calls of the inspector: real input, which the browser takes as a person's.

A gesture is ``["click", x, y]`` (pixels of the window), ``["write", text]`` (in place of what the focused line holds;
a long text comes as one, as from a clipboard), ``["put", element, text]`` (into a line by the page's script: what has
parts of its own, like a date), or ``["pick", n]`` (in the list that a click has dropped down: n options on from the one
selected, back where n is below 0).
"""

import json
from typing import Any

from procgen_bench.core.errors import PageError
from procgen_bench.envs.web.inspector import Call

#: Keys by name, with the number that Windows gives them, which is what Chromium goes by.
_KEYS = {"ArrowUp": 38, "ArrowDown": 40, "Enter": 13, "Delete": 46}
#: Of Ctrl, as the protocol counts.
_CONTROL = 2


def gesture_calls(gesture: Any) -> list[Call]:
    """The calls that make a gesture; the one after it has to wait for their answers.

    Raises:
        PageError: It is none.
    """
    match gesture:
        case ["click", int() | float() as x, int() | float() as y]:
            return [
                _mouse("mouseMoved", x, y),
                _mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1),
                _mouse("mouseReleased", x, y, button="left", clickCount=1),
            ]
        case ["write", str() as text]:
            return [*_select_all(), *([("Input.insertText", {"text": text})] if text else _pressed("Delete"))]
        case ["pick", int() as number]:
            moves = _pressed("ArrowDown" if number > 0 else "ArrowUp") * abs(number)
            return [*moves, *_pressed("Enter")]
        case ["put", int() as index, str() as text]:
            return [("Runtime.evaluate", {"expression": f"site.put({index}, {json.dumps(text)})"})]
    raise PageError(f"the page wants the gesture {gesture!r:.60}, which there is not")


#: The pointer leaves the page: pictures of it do not depend on where that has been.
AWAY: Call = ("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": -1, "y": -1})


def _mouse(kind: str, x: float, y: float, **more: Any) -> Call:
    return "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more}


def _pressed(name: str) -> list[Call]:
    return _down_and_up({"key": name, "code": name, "windowsVirtualKeyCode": _KEYS[name]})


def _select_all() -> list[Call]:
    key = {"key": "a", "code": "KeyA", "windowsVirtualKeyCode": ord("A"), "modifiers": _CONTROL}
    return _down_and_up(key, commands=["selectAll"])


def _down_and_up(key: dict[str, Any], **more: Any) -> list[Call]:
    down, up = {"type": "rawKeyDown", **key, **more}, {"type": "keyUp", **key}
    return [("Input.dispatchKeyEvent", down), ("Input.dispatchKeyEvent", up)]
