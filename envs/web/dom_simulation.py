"""DomSimulation: N sites in arrays, without a browser."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.envs.web import kernel
from procgen_bench.envs.web.drawing import draw_rows
from procgen_bench.envs.web.observations import ARRAYS, ElementRecord, by_mask, by_name, empty_memory
from procgen_bench.envs.web.page_text import in_sentences
from procgen_bench.envs.web.page_texts import PageTexts
from procgen_bench.envs.web.rewards import PUBLISHED_REWARDS, SiteRewards
from procgen_bench.envs.web.row_records import RowRecords
from procgen_bench.envs.web.row_states import look, nothing_seen
from procgen_bench.envs.web.row_texts import RowTexts
from procgen_bench.envs.web.site_arrays import PAGE, Sites, View, empty_pages, empty_sites, view_of
from procgen_bench.envs.web.site_rows import (
    number_elements,
    primitives_on,
    read_instruction,
    read_task,
    vary_row,
    write_own_text,
    write_task,
)
from procgen_bench.envs.web.site_tables import tables_of
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary
from procgen_bench.tasks.sites.pages import Page
from procgen_bench.tasks.sites.task import SiteTask


class DomSimulation(NativeSimulation[SiteTask]):
    """N sites.

    Args:
        num_rows: N.
        max_episode_steps: Steps after which an episode is truncated; ``None`` for no limit.
        site_rewards: What steps earn and cost.
        masked: Whether ``observations`` hold ``element_mask`` and ``field_mask``, too.
        library: Out of which rows draw their sites that start without a task.
        variations: Parts of a variation that these sites vary in.
        literal: Whether boxes, lists and options are used as they are pointed at, whatever a field's value is; if not,
            a group's options are one target.
        all_present: Whether the masks of elements are 1 for all that are drawn.

    Attributes:
        site_rewards: What steps earn and cost.
        sites: What there is to do.
        pages: The current pages, and what has been done.
        view: What is observed, and what can be acted upon.
        reasons: object (N,), ``None``: arrays are never lost, as a browser's pages are.
    """

    task_type = SiteTask
    state_names = (
        *(f"pages.{name}" for name in PAGE.names or ()),
        *(f"view.{name}" for name in (*ARRAYS, "element_masks", "field_masks")),
    )

    task_rows: Sites
    observations: dict[str, np.ndarray]

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        site_rewards: SiteRewards = PUBLISHED_REWARDS,
        masked: bool = False,
        library: PrimitiveLibrary = PUBLISHED_LIBRARY,
        variations: Collection[str] = (),
        literal: bool = False,
        all_present: bool = False,
    ):
        self._tables, self._variations, self._masked = tables_of(library), tuple(variations), masked
        super().__init__(num_rows, max_episode_steps)
        self.site_rewards, self._literal = site_rewards, literal
        self._memory = empty_memory(num_rows)
        self.sites, self.pages = self.task_rows, empty_pages(num_rows)
        self.view = view_of(by_name(self._memory, num_rows), all_present, not literal)
        self.observations = self._observed(self.view)
        self._records, self._texts, self._seen = RowRecords(num_rows), RowTexts(num_rows), nothing_seen(num_rows)
        self.reasons = np.full(num_rows, None, object)

    def __setstate__(self, state: dict):
        # A copy's observations are parts of its own memory.
        self.__dict__.update(state)
        self.view = View(**{**self.view._asdict(), **by_name(self._memory, self.num_rows)})
        self.observations = self._observed(self.view)
        self._seen = nothing_seen(self.num_rows)

    @property
    def element_masks(self) -> np.ndarray:
        """int8 (N, 250): 1 for elements of the current page that an action changes something at, or that are drawn."""
        return self.view.element_masks

    @property
    def field_masks(self) -> np.ndarray:
        """int8 (N, 25): 1 for the fields of the instruction."""
        return self.view.field_masks

    def empty_tasks(self, count: int) -> Sites:
        """Arrays of ``count`` sites without a page."""
        return empty_sites(count)

    def write_task(self, task: SiteTask, place: int, arrays: Sites) -> None:
        """Put ``task`` into a place of such arrays."""
        write_task(task, place, arrays, self._tables)

    def read_task(self, place: int, arrays: Sites) -> SiteTask:
        """The task in a place of such arrays."""
        return read_task(place, arrays, self._tables)

    def copy_observations(self) -> dict[str, np.ndarray]:
        """A copy of ``observations``, of the same shapes (N, ...) and dtypes, made as one."""
        masks = {"element_masks": self.element_masks, "field_masks": self.field_masks}
        if self._masked:
            masks = {name: mask.copy() for name, mask in masks.items()}
        return self._observed(View(**{**self.view._asdict(), **by_name(self._memory.copy(), self.num_rows), **masks}))

    def _observed(self, view: View) -> dict[str, np.ndarray]:
        """The arrays of a view that are observed, by name."""
        shown = {name: getattr(view, name) for name in ARRAYS}
        return shown | by_mask(view.element_masks, view.field_masks) if self._masked else shown

    def records(self, row: int) -> tuple[ElementRecord, ...]:
        """The elements of the current page of ``row``."""
        self._look(range(row, row + 1))
        states = self._seen.states[row, : self._seen.counts[row]]
        return self._records.of(row, self.page(row), states, self._tables.texts)

    def texts(self) -> list[PageTexts]:
        """The current pages of all rows as texts, empty before a row begins; the next call overwrites the list."""
        self._look(range(self.num_rows))
        return self._texts.of(self._seen, self.pages, self.sites, self._tables)

    def _look(self, rows: range) -> None:
        look(self._seen, rows, self.pages.view(np.ndarray), self.view, self._tables.elements)

    def instruction_text(self, row: int) -> str:
        """The instruction of ``row`` as sentences."""
        return in_sentences(*read_instruction(row, self.sites, self._tables))

    def page(self, row: int) -> Page:
        """The current page of ``row``."""
        return primitives_on(row, int(self.pages["number"][row]), self.sites, self._tables)

    def page_number(self, row: int) -> int:
        """The number of the current page of ``row``, from 0."""
        return int(self.pages["number"][row])

    def write(self, row: int, text: str) -> None:
        """Let :data:`~procgen_bench.envs.web.site_arrays.OWN_TEXT` stand for ``text`` in the next action of ``row``."""
        write_own_text(text, row, self.sites, self._tables.texts)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        tables = self._tables
        draw_rows(rows & fresh, self.streams, self.bank, tables.primitives, tables.values, tables.catalogue, self.sites)
        if self._variations and not len(self.bank[0]):
            for row in np.flatnonzero(rows & fresh).tolist():
                self.streams[row] = vary_row(row, self.streams[row], self._variations, self.sites, tables)
        kernel.start_rows(
            rows,
            self.sites,
            self.pages,
            tables.elements,
            tables.primitives,
            tables.values,
            self.view,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N, 2): element, field)."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.site_rewards.numbers,
            self._literal,
            self.sites,
            self.pages,
            self._tables.elements,
            self._tables.primitives,
            self.view,
            self.outcomes,
        )

    def save_row(self, row: int, kind: str, ended: bool) -> SavedState[SiteTask]:
        """A row's episode as it is, with the texts that its page holds: numbers are each simulation's own."""
        state = super().save_row(row, kind, ended)
        return replace(state, values={**state.values, "held_texts": self._tables.texts.unlisted(self.pages.held[row])})

    def restore_rows(self, states: Mapping[int, SavedState[SiteTask]]) -> None:
        """Go on, in each of these rows, from a state that :meth:`save_row` returned."""
        super().restore_rows(states)
        for row, state in states.items():
            self.pages.held[row] = self._tables.texts.numbered_here(self.pages.held[row], state.values["held_texts"])
            number_elements(row, self.sites, self.pages, self._tables)

    def save_state(self) -> dict[str, np.ndarray]:
        """A copy of the whole state: arrays of any shape and dtype, by name."""
        return super().save_state() | self._tables.save()

    def restore_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state that :meth:`save_state` returned on a simulation of the same size and library."""
        super().restore_state(state)
        self._tables.restore(state)
        self._records.forget()
        self._texts.forget()
        self._seen = nothing_seen(self.num_rows)
