"""Fragments of HTML, parsed by Chromium without running or requesting anything."""

import json
from collections.abc import Iterable
from typing import Any

from procgen_bench.envs.web.browser_pages import BrowserPage
from procgen_bench.envs.web.tab import PageFailure
from procgen_bench.tasks.sites.fragment_kinds import FragmentError

#: Letters of a fragment, and its elements: no page takes more of them.
MAX_LENGTH, MAX_PARSED = 200_000, 245
_MAX_DEPTH = 32
#: What a parser of documents makes of a text is inert: no script runs, no picture is fetched.
_PARSE = """([html, most, deepest]) => {
  const parsed = new DOMParser().parseFromString("<!doctype html><body>" + html, "text/html");
  const count = parsed.body.getElementsByTagName("*").length;
  if (count > most) return JSON.stringify({ count });
  let depth = 0;
  const told = (node, around) => {
    depth = Math.max(depth, around);
    if (around > deepest) return [];
    return [...node.childNodes].flatMap((child) => {
      if (child.nodeType === Node.TEXT_NODE) return [child.data];
      if (child.nodeType !== Node.ELEMENT_NODE) return [];
      const attributes = Object.fromEntries([...child.attributes].map(({ name, value }) => [name, value]));
      return [[child.localName, attributes, told(child, around + 1)]];
    });
  };
  const nodes = told(parsed.body, 0);
  const hints = [...parsed.body.getElementsByTagName("*")].map((one) => `${one.className} ${one.id}`).join(" ");
  return JSON.stringify({ count, depth, nodes, hints });
}"""


def parse_fragments(texts: Iterable[str]) -> list[tuple[list[Any], str] | FragmentError]:
    """Each fragment's nodes, and the names of its classes and ids; or why it cannot be read.

    A node is a text, or an element as [tag, {attribute: value}, [nodes inside]].

    Raises:
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: It does not start.
    """
    page = BrowserPage()
    try:
        page.load("<!doctype html>")
        return [_parsed(page, text) for text in texts]
    finally:
        page.close()


def _parsed(page: BrowserPage, text: str) -> tuple[list[Any], str] | FragmentError:
    if len(text) > MAX_LENGTH:
        return FragmentError(f"{len(text):,} letters, expected at most {MAX_LENGTH:,}")
    answer = page.evaluate(_PARSE, [text, MAX_PARSED, _MAX_DEPTH])
    if isinstance(answer, PageFailure):
        page.load("<!doctype html>")
        return FragmentError(f"Chromium could not parse it: {answer.reason}")
    told = json.loads(answer)
    if told["count"] > MAX_PARSED:
        return FragmentError(f"{told['count']:,} elements, expected at most {MAX_PARSED}")
    if told["depth"] > _MAX_DEPTH:
        return FragmentError(f"elements inside more than {_MAX_DEPTH} others")
    return told["nodes"], told["hints"]
