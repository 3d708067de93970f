"""Policies that fill in sites of GMiniWoB-v0 without reading what a page calls anything: what a suite gives away.

All of them see tags, types and values (options, boxes that are true or false), and none sees a label. A suite on which
one of them does well is not solved by understanding.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from procgen_bench.baselines.policies.scripted.site_view import (
    TRUE,
    Kind,
    Seen,
    Widget,
    Words,
    button_on,
    check_environment,
    instruction_of,
    widgets_of,
    words_of_text,
)
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS, graded_design
from procgen_bench.tasks.sites.wording import decoy_labels, sentence

Action = tuple[int, int]
#: A widget of a page, and the number of the field that goes into it.
Match = tuple[Widget, int]


class _SiteFloor(Policy):
    """Fills in every page by a plan, and goes on by its button.

    Args:
        environment_id: ``"GMiniWoB-v0"`` or ``"GMiniWoBLiteral-v0"``.
    """

    name: str

    def __init__(self, environment_id: str):
        check_environment(self.name, environment_id)
        self._plans: list[Iterator[Action]] = []

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The next action of every row's plan: int64 (N, 2)."""
        self._plans = self._plans if len(self._plans) == len(episode_starts) else [iter(())] * len(episode_starts)
        actions = []
        for row, starts in enumerate(episode_starts.tolist()):
            self._seen = {name: observations[name][row] for name in observations}
            if starts:
                self._plans[row] = self._plan(row)
            actions.append(next(self._plans[row], (0, 0)))
        return np.array(actions, np.int64)

    def _plan(self, row: int) -> Iterator[Action]:
        """The actions of an episode; what is seen changes in between."""
        fields = list(range(len(instruction_of(self._seen))))
        while True:
            seen = self._seen
            values = [value for _, value in instruction_of(seen)]
            for widget, field in self.matches(seen, widgets_of(seen), fields):
                fields.remove(field)
                if widget.kind != Kind.BOX or values[field] == TRUE:
                    yield widget.element_for(values[field]), field
            yield button_on(self._seen), 0

    @abstractmethod
    def matches(self, seen: Seen, widgets: Sequence[Widget], fields: Sequence[int]) -> list[Match]:
        """Which of the fields that are left go into which widgets of a page."""


class SiteInOrderPolicy(_SiteFloor):
    """Puts the k-th field into the k-th thing to fill in. See the module."""

    name = "site-in-order"

    def matches(self, seen: Seen, widgets: Sequence[Widget], fields: Sequence[int]) -> list[Match]:
        """The fields that are left, one after the other."""
        return list(zip(widgets, fields))


class SiteListsPolicy(_SiteFloor):
    """Puts values where they are offered, and the k-th of the others into the k-th line. See the module."""

    name = "site-lists"

    def matches(self, seen: Seen, widgets: Sequence[Widget], fields: Sequence[int]) -> list[Match]:
        """Lists, options, boxes and numbers first, then lines."""
        instruction, left, matched = instruction_of(seen), list(fields), []
        for widget in widgets:
            field = next((field for field in left if instruction[field][1] in widget.offered), None)
            if field is not None:
                left.remove(field)
                matched.append((widget, field))
        lines = [widget for widget in widgets if widget.takes_any]
        return matched + self.into_lines(lines, [field for field in left if _is_free(instruction[field][1])], seen)

    def into_lines(self, lines: list[Widget], fields: list[int], seen: Seen) -> list[Match]:
        """Which fields go into which lines."""
        return list(zip(lines, fields))


class SiteUsualOrderPolicy(SiteListsPolicy):
    """Knows in which order the five sites ask for their fields, and of which there are decoys. See the module.

    Passwords it knows by their type. Where a page has more lines than its site asks for, it takes decoys to stand
    before what they are mistaken for. Fields of other sites are taken as they come.
    """

    name = "site-usual-order"

    def into_lines(self, lines: list[Widget], fields: list[int], seen: Seen) -> list[Match]:
        """Line by line what the site of the first field that is left asks for."""
        keys = [key for key, _ in instruction_of(seen)]
        known = [field for field in fields if keys[field] in _USUAL]
        if not known:
            return super().into_lines(lines, fields, seen)
        page = min(_USUAL[keys[field]][0] for field in known)
        asked = sorted(
            (field for field in known if _USUAL[keys[field]][0] == page), key=lambda field: _USUAL[keys[field]]
        )
        crowded = len(lines) > len(asked)
        matched: list[tuple[Widget, int | None]] = []
        for secret in (False, True):
            expected: list[int | None] = []
            for field in (field for field in asked if (keys[field] in _SECRET) == secret):
                expected += [None, field] if crowded and keys[field] in _WITH_DECOY else [field]
            matched += zip((line for line in lines if (line.kind == Kind.SECRET) == secret), expected)
        return [(line, field) for line, field in matched if field is not None]


class SiteTrierPolicy(SiteListsPolicy):
    """Tries fields in one line after the other, and keeps what pays. See the module.

    A benchmark's policies receive no rewards, so that nothing ever pays. A caller that has them calls :meth:`hear`.
    """

    name = "site-trier"

    def __init__(self, environment_id: str):
        super().__init__(environment_id)
        self._pays: np.ndarray | None = None

    def hear(self, rewards: np.ndarray) -> None:
        """Take in how much every row's last action has earned, float64 (N,)."""
        self._pays = rewards > _STEP_COSTS

    def _plan(self, row: int) -> Iterator[Action]:
        fields = list(range(len(instruction_of(self._seen))))
        while True:
            widgets, values = widgets_of(self._seen), [value for _, value in instruction_of(self._seen)]
            for widget in widgets:
                fits = (lambda value: _is_free(value)) if widget.takes_any else widget.offered.__contains__
                for field in [field for field in fields if fits(values[field])]:
                    if widget.kind == Kind.BOX and values[field] != TRUE:
                        continue
                    yield widget.element_for(values[field]), field
                    if self._pays is not None and self._pays[row]:
                        fields.remove(field)
                        break
                    if widget.kind == Kind.BOX:  # it is checked, and was right as it was
                        yield widget.elements[0], field
            yield button_on(self._seen), 0


def _is_free(value: Words) -> bool:
    """Whether a value is none that only boxes hold."""
    return value not in _BOOLEANS


def _usual_order() -> dict[Words, tuple[int, int]]:
    """By key or begin of a sentence: which of the sites asks for it, and as which of its fields."""
    order: dict[Words, tuple[int, int]] = {}
    for site, name in enumerate(name for name in GRADED_SITES if name != "shopping"):
        (page,) = graded_design(name, LEVELS[-1]).pages
        for place, field in enumerate(field for field in page if field in value_lists()):
            order |= dict.fromkeys((words_of_text(field), words_of_text(sentence(field))), (site, place))
    return order


def _told(fields: Sequence[str]) -> frozenset[Words]:
    return frozenset(words_of_text(text) for field in fields for text in (field, sentence(field)))


_USUAL, _SECRET, _WITH_DECOY = _usual_order(), _told(["password"]), _told([*decoy_labels()])
_BOOLEANS = (TRUE, words_of_text("false"))
#: More than a step costs that changes nothing for the better.
_STEP_COSTS = -0.05 + 1e-9
