"""GMiniWoB's sites, put together by hand."""

from collections.abc import Sequence
from dataclasses import replace

from procgen_bench.engine.level_editor import OutlineEditor, Piece, Setting
from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites.design import HORIZON, LAST_GATE, MAX_PAGES, SiteDesign
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from procgen_bench.tasks.sites.unsolvable import why_unsolvable
from procgen_bench.tasks.sites.variation import CHOICES

_VALUES, _LOOK = "Values to fill in", "Words and look"


def _group(primitive: Primitive) -> str:
    if primitive.active:
        return "Asks for a value"
    return "Button" if primitive.leaves or primitive.submits else "Shown beside"


class SiteEditor(OutlineEditor[SiteTask]):
    """The pieces are the 40 primitives of the catalogue; values and the variation are settings."""

    pieces = tuple(Piece(name, _group(one), one.leaves or one.submits) for name, one in CATALOGUE.items())
    most_pages = MAX_PAGES
    preview_width = PAGE_WIDTH
    hint = (
        "Add primitives to a page and order them. Every page needs a button: a next_ one leads to the next page, "
        "the submit button on the last page submits the site. Most links end an episode."
    )

    def blank(self) -> SiteTask:
        """One page with the button that submits the site, which asks for nothing."""
        return SiteTask(SiteDesign(((LAST_GATE,),)), ())

    def pages(self, task: SiteTask) -> tuple[tuple[str, ...], ...]:
        """The design's pages."""
        return task.design.pages

    def arranged(self, task: SiteTask, pages: Sequence[Sequence[str]]) -> SiteTask:
        """As :meth:`OutlineEditor.arranged`; a field that was not asked for gets the first value of its list."""
        own = {primitive.name: primitive for primitive in task.design.own}
        names = {name for page in pages for name in page}
        design = SiteDesign(tuple(map(tuple, pages)), tuple(own[name] for name in sorted(names & own.keys())))
        before = dict(task.profile)
        return replace(
            task,
            design=design,
            profile=tuple((field, before.get(field) or value_lists()[field][0]) for field in design.fields),
        )

    def preview(self, task: SiteTask) -> str:
        """The site that people and agents get."""
        return site_document(task)

    def settings(self, task: SiteTask) -> tuple[Setting, ...]:
        """The value of every field that is asked for, and the parts of the variation."""
        options = {primitive.field: primitive.options for primitive in task.design.primitives}
        return (
            *(Setting(field, value, options[field], group=_VALUES) for field, value in task.profile),
            *(Setting(part, getattr(task.variation, part), way, group=_LOOK) for part, way in CHOICES.items()),
        )

    def chosen(self, task: SiteTask, setting: Setting, value: str) -> SiteTask:
        """A field's value, or a part of the variation."""
        if setting.group == _LOOK:
            return replace(task, variation=replace(task.variation, **{setting.name: value}))
        profile = tuple((field, value if field == setting.name else old) for field, old in task.profile)
        return replace(task, profile=profile)

    def note(self, task: SiteTask) -> str:
        """How many of an episode's steps going through all pages takes."""
        return f"{task.design.num_steps} of {HORIZON} steps"

    def why_unsolvable(self, task: SiteTask) -> str:
        """See :func:`~procgen_bench.tasks.sites.unsolvable.why_unsolvable`."""
        return why_unsolvable(task)
