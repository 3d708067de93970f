"""What an agent fails: sites made as small as they can be while it still fails them, and the values that do it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.space import pairs_to_place
from procgen_bench.tasks.sites.task import SiteTask

#: Tasks -> whether the agent fails each.
Fails = Callable[[Sequence[SiteTask]], Sequence[bool]]
#: Fields that are tried first in the place of another one: mostly they suffice to tell that it matters.
_FEW = 3
#: Values that a line of words names.
_NAMED = 5


@dataclass(frozen=True)
class TriedValues:
    """What became of a field's values, one at a time in the place of the site's own.

    Attributes:
        failing: Those that the agent fails, in the order of the field's list.
        num_tried: How many were tried.
    """

    failing: tuple[str, ...]
    num_tried: int

    @property
    def decides(self) -> bool:
        """Whether some values are failed and others are not."""
        return len(self.failing) < self.num_tried


@dataclass(frozen=True)
class SiteFault:
    """A site that an agent fails, of which nothing can be left out.

    Attributes:
        task: The site, with values that are failed.
        values: By field of its instruction, what became of other values.
        needs_field: Whether it matters which field is asked for; no: its one field stands for any other.
        num_failed, num_played: Of how many further episodes of the task how many failed.
    """

    task: SiteTask
    values: Mapping[str, TriedValues]
    needs_field: bool = True
    num_failed: int = 0
    num_played: int = 0

    @property
    def deciding(self) -> dict[str, tuple[str, ...]]:
        """The failing values of the fields whose values matter."""
        if not self.needs_field:
            return {}
        return {field: tried.failing for field, tried in self.values.items() if tried.decides}

    @property
    def size(self) -> tuple[int, int]:
        """Its numbers of pages and of primitives, by which faults are ordered."""
        return size_of(self.task)

    @cached_property
    def _needed(self) -> list[set[str]]:
        """By page, the primitives that a site has to hold to be failed for this."""
        pages: list[set[str]] = [set() for _ in self.task.design.pages]
        for name, page in pairs_to_place(self.task.design):
            if self.needs_field or not self.task.design.known[name].active:
                pages[page].add(name)
        return pages

    def explains(self, task: SiteTask) -> bool:
        """Whether a site holds all of this, on pages in the same order, with values that are failed."""
        asked = dict(task.profile)
        if any(asked.get(field) not in failing for field, failing in self.deciding.items()):
            return False
        pages = iter(task.design.pages)
        return all(any(needed.issubset(page) for page in pages) for needed in self._needed)

    def __str__(self) -> str:
        """In a line: what the site asks for, and which values are failed."""
        return f"{self.what}: {self.which_values}"

    @property
    def what(self) -> str:
        """What the site is made of, in words."""
        pages = [" + ".join(sorted(page)) for page in self._needed]
        field = "" if self.needs_field else "any field"
        if len(pages) == 1:
            return pages[0] or field
        named = [f"{words} on page {number}" for number, words in enumerate(pages, start=1) if words]
        return ", ".join([f"{len(pages)} pages", *filter(None, [field]), *named])

    @property
    def which_values(self) -> str:
        """Which values are failed, in words."""
        if all(tried.num_tried == 1 for tried in self.values.values()):
            return "these values; others were not tried"
        if not self.deciding:
            return "whatever the value" if len(self.values) == 1 else "whatever the values"
        return "; ".join(
            f"{field} {', '.join(map(repr, failing[:_NAMED]))}{', ...' if len(failing) > _NAMED else ''} "
            f"({len(failing)} of {self.values[field].num_tried} values)"
            for field, failing in self.deciding.items()
        )

    def tasks(self) -> Iterator[SiteTask]:
        """The site, and the same with each other value that is failed where values matter."""
        yield self.task
        for field, failing in self.deciding.items():
            asked = dict(self.task.profile)
            yield from (with_value(self.task, field, value) for value in failing if value != asked[field])


def size_of(task: SiteTask) -> tuple[int, int]:
    """A site's numbers of pages and of primitives, buttons that pages get by themselves left out."""
    return len(task.design.pages), len(list(pairs_to_place(task.design)))


def with_value(task: SiteTask, field: str, value: str) -> SiteTask:
    """The site with another value of a field."""
    return replace(task, profile=tuple((name, value if name == field else old) for name, old in task.profile))


def smallest_failing(task: SiteTask, fails: Fails, library: PrimitiveLibrary) -> SiteTask:
    """What is left of a failed site once no page and no primitive can be left out without the agent succeeding.

    Runs of pages or primitives are left out, longer ones first (delta debugging); all that may be left out is tried at
    once, and of those that are still failed the first goes on.

    Args:
        task: A site that the agent fails.
        fails: Plays sites.
        library: What its primitives are of.
    """
    run = max(1, size_of(task)[1] // 2)
    while True:
        smaller = list(_smaller(task, run, library))
        found = next((one for one, failed in zip(smaller, fails(smaller), strict=True) if failed), None)
        if found is not None:
            task, run = found, max(1, min(run, size_of(found)[1] // 2))
        elif run > 1:
            run //= 2
        else:
            return task


def try_values(task: SiteTask, fails: Fails, library: PrimitiveLibrary, most: int) -> dict[str, TriedValues]:
    """By field of a failed site, which values are failed, tried one at a time: its own, and others of the field's list.

    Args:
        task: A site that the agent fails.
        fails: Plays sites.
        library: Which values there are.
        most: Values of each field that are tried at most, spread evenly over its list.
    """
    asked = dict(task.profile)
    tried = {field: _spread(library.value_lists[field], most, asked[field]) for field in asked}
    pairs = [(field, value) for field, values in tried.items() for value in values]
    failed = fails([with_value(task, *pair) for pair in pairs])
    failing = {pair for pair, one in zip(pairs, failed, strict=True) if one}
    failing |= set(asked.items())  # it is failed already
    return {
        field: TriedValues(tuple(value for value in values if (field, value) in failing), len(values))
        for field, values in tried.items()
    }


def matters_which_field(task: SiteTask, fails: Fails, library: PrimitiveLibrary) -> bool:
    """Whether a failed site would not be failed with every other field in the place of its own.

    Every site asks for a field; where a site asks for one alone, that may be no part of the fault.
    """
    pairs = list(pairs_to_place(task.design))
    asking = [place for place, (name, _) in enumerate(pairs) if library.known[name].active]
    if len(asking) > 1:
        return True
    (place,), others = asking, []
    for name, primitive in library.catalogue.items():
        if primitive.active and primitive.field not in task.design.fields:
            kept = [*pairs[:place], (name, pairs[place][1]), *pairs[place + 1 :]]
            design = SiteDesign.of_pairs(kept, len(task.design.pages), library)
            profile = ((primitive.field, library.value_lists[primitive.field][0]),)
            others.append(replace(task, design=design, profile=profile))
    return not all(fails(others[:_FEW])) or not all(fails(others[_FEW:]))


def _spread(values: Sequence[str], most: int, own: str) -> list[str]:
    """So many of the values, evenly spread over their list; the task's own is among them."""
    step = -(-len(values) // most)
    place = values.index(own) % step if own in values else 0
    return [*values[place::step]] if own in values else [own, *values[place::step]]


def _smaller(task: SiteTask, run: int, library: PrimitiveLibrary) -> Iterator[SiteTask]:
    """The site without a run of so many pages, and without one of so many primitives, wherever there is one."""
    pairs, num_pages = list(pairs_to_place(task.design)), len(task.design.pages)
    ways: list[tuple[list[tuple[str, int]], int]] = []
    for first in range(0, num_pages, run):
        gone = range(first, min(first + run, num_pages))
        kept = [(name, page - len(gone) * (page >= gone.stop)) for name, page in pairs if page not in gone]
        ways.append((kept, num_pages - len(gone)))
    ways += [([*pairs[:first], *pairs[first + run :]], num_pages) for first in range(0, len(pairs), run)]
    for kept, count in ways:
        if any(library.known[name].active for name, _ in kept):
            design = SiteDesign.of_pairs(kept, count, library)
            asked = dict(task.profile)
            yield replace(task, design=design, profile=tuple((field, asked[field]) for field in design.fields))
