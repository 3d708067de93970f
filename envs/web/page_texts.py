"""A page as texts, of which what stays as it was is not written again."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from procgen_bench.envs.web.accessibility import own_line, role, tree_lines
from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.page_text import html_lines
from procgen_bench.envs.web.shown_page import ShownPage, block_structure, page_structure
from procgen_bench.tasks.sites.elements import NO_BOX, Box
from procgen_bench.tasks.sites.pages import PAGE_TAGS, Page
from procgen_bench.tasks.sites.primitive import Primitive

#: Where whatever is shown stands, as far as texts tell.
_SOMEWHERE = Box(0, 0, 1, 1)


#: Lines of what stands around the blocks: of HTML those before and after these, and those of the tree.
Around = tuple[list[str], list[str], list[str]]


class PageTexts(NamedTuple):
    """A page, or a part of it, as HTML and as its accessibility tree; empty where nothing is said."""

    html: str
    tree: str


class PageWriter:
    """Writes one page after the other; blocks whose elements are like before are taken over."""

    def __init__(self) -> None:
        self._page: Page = ()
        self._records: tuple[ElementRecord, ...] = ()
        self._blocks: list[PageTexts] = []

    def write(self, page: ShownPage) -> PageTexts:
        """The texts of a page."""
        known = self._blocks if page.page == self._page else []
        blocks, start = [], len(PAGE_TAGS)
        for place, primitive in enumerate(page.page):
            end = start + primitive.num_elements
            inside = page.records[start:end]
            if known and inside == self._records[start:end]:
                blocks.append(known[place])
            else:
                blocks.append(_block_texts(primitive, start, tuple(map(as_in_texts, inside))))
            start = end
        self._page, self._records, self._blocks = page.page, page.records, blocks
        return joined(around(tuple(map(as_in_texts, page.records[: len(PAGE_TAGS)]))), blocks)


def joined(around_them: Around, blocks: Sequence[PageTexts]) -> PageTexts:
    """The texts of a page with these blocks."""
    before, after, tree = around_them
    html = [*before, *(block.html for block in blocks), *after]
    return PageTexts("\n".join(html), "\n".join([*tree, *(block.tree for block in blocks if block.tree)]))


def as_in_texts(record: ElementRecord) -> ElementRecord:
    """A record without what no text says: where it stands."""
    return record._replace(parent=0, box=_SOMEWHERE if record.visible else NO_BOX)


@lru_cache(maxsize=8192)
def _block_texts(primitive: Primitive, first: int, records: tuple[ElementRecord, ...]) -> PageTexts:
    block = ShownPage(block_structure(primitive), records, first)
    return PageTexts("\n".join(html_lines(block, 0)), "\n".join(tree_lines(block, 0, TREE_DEPTH)))


@lru_cache(maxsize=64)
def around(records: tuple[ElementRecord, ...]) -> Around:
    """Of the elements around the blocks the lines of HTML before and after these, and those of the tree."""
    page = ShownPage(page_structure(()), records)
    html = [_BLOCKS]
    for index in reversed(range(len(PAGE_TAGS))):
        html = html_lines(page, index, html)
    at = html.index(_BLOCKS)
    tree = ["\t" * depth + own_line(page, index) for depth, index in enumerate(_IN_TREE)]
    return html[:at], html[at + 1 :], tree


_IN_TREE = [index for index in range(len(PAGE_TAGS)) if role(ShownPage(page_structure(()), ()), index) != "generic"]
#: How many of the elements around the blocks are in the accessibility tree.
TREE_DEPTH = len(_IN_TREE)
#: Stands where the blocks go.
_BLOCKS = "blocks"
