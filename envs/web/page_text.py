"""A site in words: its instruction as sentences, and its page as HTML with ids."""

import json
from collections.abc import Sequence

from markupsafe import escape

from procgen_bench.envs.web.shown_page import ShownPage
from procgen_bench.tasks.sites.elements import CHECKED, Element
from procgen_bench.tasks.sites.task import SiteTask

_VOID_TAGS = ("img", "input")


def instruction_text(task: SiteTask) -> str:
    """A task's instruction as sentences; values are in quotes, as JSON has them."""
    return in_sentences(task.instruction, task.variation.instruction)


def in_sentences(instruction: Sequence[tuple[str, str]], kind: str) -> str:
    """An instruction of a kind (see :class:`Variation`), the (label, value) pairs, as sentences."""
    lines = [f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in instruction]
    if kind == "keys":
        return f"Fill in the site with {_listed(lines)}, then send it off." if lines else "Send the site off."
    return " ".join(["Fill in the site, then send it off.", *(f"{sentence}." for sentence in lines)])


def html_lines(page: ShownPage, index: int, inside: Sequence[str] | None = None) -> list[str]:
    """An element and what is inside it as HTML, a line per element: id, class, attributes, what is filled in, text.

    What is filled in stands where a page says what is filled in at first: in ``value``, ``checked`` and ``selected``.

    Args:
        page: The elements.
        index: The element.
        inside: What is inside it, where that is written already.
    """
    record, indent = page.records[index], "  " * page.placed[index].depth
    start = f"{indent}<{record.tag}{_attributes(page, index)}>{escape(record.text)}"
    if record.tag in _VOID_TAGS:
        return [start]
    if inside is None:
        inside = [line for child in page.children[index] for line in html_lines(page, child)]
    end = f"</{record.tag}>"
    return [start, *inside, indent + end] if inside else [start + end]


def _is_state(name: str, element: Element) -> bool:
    """Whether an attribute says what is filled in at first."""
    return name in ("checked", "selected") or (name == "value" and element.tag == "input" and not element.is_tick)


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _attributes(page: ShownPage, index: int) -> str:
    element, record = page.element(index), page.records[index]
    checked = record.value == CHECKED and element.is_tick
    holds = record.tag == "input" and not checked and record.value
    selected = record.tag == "option" and page.records[page.placed[index].parent].value == record.text
    attributes = {
        "id": str(page.first + index),
        "class": " ".join(record.classes) or None,
        **{name: value for name, value in element.attributes if not _is_state(name, element)},
        "aria-expanded": None if (expanded := page.expanded(index)) is None else str(expanded).lower(),
        "for": str(page.first + page.controls[index]) if index in page.controls else None,
        **({"value": record.value} if holds else {}),
        "checked": "" if checked else None,
        "selected": "" if selected else None,
    }
    return "".join(
        f" {name}" + (f'="{escape(value)}"' if value else "") for name, value in attributes.items() if value is not None
    )
