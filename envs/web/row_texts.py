"""The pages of rows as texts, of which a block is written again when one of its elements has changed."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.web.accessibility import tree_lines
from procgen_bench.envs.web.holes import AnyPlace, HeldText, Template
from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.page_text import html_lines
from procgen_bench.envs.web.page_texts import TREE_DEPTH, PageTexts, around, as_in_texts, joined
from procgen_bench.envs.web.row_records import record_at_first, record_in
from procgen_bench.envs.web.row_states import TEXT, RowStates
from procgen_bench.envs.web.shown_page import ShownPage, block_structure
from procgen_bench.envs.web.site_arrays import Sites
from procgen_bench.envs.web.site_tables import SiteTables
from procgen_bench.tasks.sites.element_arrays import NOTHING
from procgen_bench.tasks.sites.elements import TYPED
from procgen_bench.tasks.sites.pages import MAX_BLOCKS, PAGE_TAGS, placed_elements
from procgen_bench.tasks.sites.primitive import Primitive

#: Blocks that are known by number and states; each takes a kilobyte or two.
_MOST_KNOWN = 2**14


class _Block(NamedTuple):
    """A block of a kind, as templates of its texts.

    Attributes:
        html, tree: The templates.
        lines: Indices of its lines that hold a text.
    """

    html: Template
    tree: Template
    lines: tuple[int, ...]


class RowTexts:
    """The texts of N rows' pages.

    Args:
        num_rows: N.
    """

    def __init__(self, num_rows: int):
        self._blocks = [[_NO_TEXTS] * MAX_BLOCKS for _ in range(num_rows)]
        self._texts = [_NO_TEXTS] * num_rows
        self._known: dict[tuple[int, bytes], _Block] = {}

    def forget(self) -> None:
        """Write everything again: numbers have got other meanings."""
        self._known.clear()

    def __getstate__(self) -> int:
        return len(self._texts)

    def __setstate__(self, num_rows: int) -> None:
        RowTexts.__init__(self, num_rows)

    def of(self, seen: RowStates, pages: np.recarray, sites: Sites, tables: SiteTables) -> list[PageTexts]:
        """The texts of every row's page, empty before it begins; the next call overwrites the list.

        Args:
            seen: What the pages are like, and what of them has changed since the last call.
            pages: PAGE (N,).
            sites: What there is to do.
            tables: What the numbers mean.
        """
        texts = tables.texts
        for row, block, start, number in _changed_blocks(seen, pages, sites):
            end = start + tables[number].num_elements
            key = number, seen.kinds[row, start:end].tobytes()
            known = self._known.get(key)
            if known is None:
                if len(self._known) == _MOST_KNOWN:
                    self._known.clear()
                known = self._known[key] = _written(tables[number], seen.states[row, start:end].tolist(), tables)
            held = {line: texts[seen.states[row, start + line] // TEXT] for line in known.lines}
            self._blocks[row][block] = PageTexts(known.html.filled(start, held), known.tree.filled(start, held))
        touched = np.flatnonzero(seen.touched)
        sizes = sites.page_sizes[touched, pages.view(np.ndarray)["number"][touched]]
        for row, size in zip(touched.tolist(), sizes.tolist()):
            self._texts[row] = joined(_AROUND, self._blocks[row][:size])
        seen.changed[touched] = False
        seen.touched[touched] = False
        return self._texts


def _changed_blocks(seen: RowStates, pages: np.recarray, sites: Sites) -> Iterator[tuple[int, int, int, int]]:
    """Row, place, index of the first element, and primitive's number, of every block that has changed."""
    touched = np.flatnonzero(seen.touched)
    places, blocks = np.nonzero(seen.changed[touched])
    rows = touched[places]
    sizes = sites.page_sizes[rows, pages.view(np.ndarray)["number"][rows]]
    there = blocks < sizes
    rows, blocks = rows[there], blocks[there]
    numbers = sites.primitives[rows, pages.view(np.ndarray)["number"][rows], blocks]
    return zip(rows.tolist(), blocks.tolist(), seen.starts[rows, blocks].tolist(), numbers.tolist())


def _written(primitive: Primitive, states: list[int], tables: SiteTables) -> _Block:
    """Templates of a block in these states, whichever texts its lines hold."""
    placed = block_structure(primitive).placed
    lines = tuple(
        index
        for index, (one, state) in enumerate(zip(placed, states))
        if one.element.behaviour in TYPED and state // TEXT != NOTHING
    )
    records = [
        as_in_texts(record_in(state, one, record_at_first(one), tables.texts)) for one, state in zip(placed, states)
    ]
    for index in lines:
        records[index] = records[index]._replace(value=HeldText(index))
    return _Block(*_templates(primitive, tuple(records)), lines)


@lru_cache(maxsize=4096)
def _templates(primitive: Primitive, records: tuple[ElementRecord, ...]) -> tuple[Template, Template]:
    block = ShownPage(block_structure(primitive), records, AnyPlace())
    html, tree = html_lines(block, 0), tree_lines(block, 0, TREE_DEPTH)
    return Template("\n".join(html)), Template("\n".join(tree))


_NO_TEXTS = PageTexts("", "")
#: What stands around the blocks of every page is never used, and so always as it was at first.
_AROUND = around(tuple(as_in_texts(record_at_first(one)) for one in placed_elements(())[: len(PAGE_TAGS)]))
