"""A site in words: its instruction as sentences, and its page as HTML with ids."""

import json
from collections.abc import Sequence

from markupsafe import escape

from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import CHECKED, HOLDING
from procgen_bench.tasks.sites.task import SiteTask

_VOID_TAGS = ("img", "input")


def instruction_text(task: SiteTask) -> str:
    """The instruction as sentences; values are in quotes, as JSON has them."""
    told = [f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in task.instruction]
    if task.variation.instruction == "keys":
        return f"Fill in the site with {_listed(told)}, then send it off." if told else "Send the site off."
    return " ".join(["Fill in the site, then send it off.", *(f"{sentence}." for sentence in told)])


def page_html(page: ShownPage) -> str:
    """The page as HTML, a line per element: ids, classes, attributes, what is filled in, and texts.

    What is filled in stands where a page says what is filled in at first: in ``value``, ``checked`` and ``selected``.
    """
    return "\n".join(_lines(page, 0))


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _lines(page: ShownPage, index: int) -> list[str]:
    record, indent = page.records[index], "  " * page.placed[index].depth
    start = f"{indent}<{record.tag}{_attributes(page, index)}>{escape(record.text)}"
    if record.tag in _VOID_TAGS:
        return [start]
    inside = [line for child in page.children[index] for line in _lines(page, child)]
    end = f"</{record.tag}>"
    return [start, *inside, indent + end] if inside else [start + end]


def _attributes(page: ShownPage, index: int) -> str:
    element, record = page.element(index), page.records[index]
    checked = record.value == CHECKED and element.behaviour in HOLDING and "tick" in record.classes
    holds = record.tag == "input" and not checked and record.value
    selected = record.tag == "option" and page.records[page.placed[index].parent].value == record.text
    attributes = {
        "id": str(index),
        "class": " ".join(record.classes) or None,
        **dict(element.attributes),
        "aria-expanded": None if (expanded := page.expanded(index)) is None else str(expanded).lower(),
        "for": str(page.controls[index]) if index in page.controls else None,
        **({"value": record.value} if holds else {}),
        "checked": "" if checked else None,
        "selected": "" if selected else None,
    }
    return "".join(
        f" {name}" + (f'="{escape(value)}"' if value else "") for name, value in attributes.items() if value is not None
    )
