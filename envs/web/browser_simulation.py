"""GMiniWoB's rows as real pages in Chromium."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.envs.web.chromium import DEFAULT_DEADLINE
from procgen_bench.envs.web.observations import (
    ARRAYS,
    MAX_FIELDS,
    ElementRecord,
    by_mask,
    empty_observations,
    write_elements,
    write_instruction,
)
from procgen_bench.envs.web.page_text import instruction_text
from procgen_bench.envs.web.page_texts import PageTexts, PageWriter
from procgen_bench.envs.web.reading import (
    SENT,
    PageReading,
    holding_elements,
    is_changed,
    num_asked,
    num_spoiled,
    option_groups,
    right_at_first,
    right_fields,
    usable_elements,
)
from procgen_bench.envs.web.rewards import PUBLISHED_REWARDS, SiteRewards
from procgen_bench.envs.web.shown_page import ShownPage, page_structure
from procgen_bench.envs.web.site_arrays import OWN_TEXT
from procgen_bench.envs.web.site_pages import Episode, SitePages
from procgen_bench.envs.web.tab import PageFailure
from procgen_bench.tasks.sites.design import HORIZON, MAX_PAGES
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, Page, page_height
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

#: Draws a task out of the whole space from a row's stream: the stream after it, and the task.
DrawTask = Callable[[np.uint64], tuple[np.uint64, SiteTask]]


class BrowserSimulation(NativeSimulation[SiteTask]):
    """N sites, each in a page of its own in the browser that this process shares.

    All pages act at the same time. One that is lost (its browser or renderer died, it does not answer in time, or
    answers what its site cannot) truncates its row's episode, with no reward above 0; the row's observation stays the
    last one, and it takes further steps in vain until it starts again, in a fresh page.

    Saving and restoring keeps each episode's actions: they are done again in a fresh page.

    Attributes:
        observations: The arrays of :mod:`procgen_bench.envs.web.observations`, (N, ...).
        element_masks: int8 (N, 250), 1 for elements that are drawn and do something, or for all that are drawn.
        field_masks: int8 (N, 25), 1 for fields of the instruction.
        right: bool (N, 25), whether the active primitives hold what the profile says, page by page.
        spoiled: int16 (N, 10), how many decoys of each page were not left as they were at first.
        episodes: object (N,), the rows' :class:`Episode`; ``None`` of rows that are yet to begin.
        readings: object (N,), what their pages were like when last read.
        reasons: object (N,), why the page of the row was lost (str), or ``None``.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        rewards: What steps earn and cost.
        deadline: Seconds that a page may take for one answer.
        draw_task: Draws from the whole space for rows that start without a task; ``None``: tasks must be given.
        masked: Whether ``observations`` hold ``element_mask`` and ``field_mask``, too.
        events: ``"input"``: the browser's own, of mouse and keyboard; ``"script"``: the page's, which are faster.
        literal: Whether boxes, lists and options are used as they are pointed at, whatever a field's value is; if not,
            a group's options are one target.
        all_present: Whether ``element_masks`` are 1 for all that are drawn.

    Raises:
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: The browser does not start; at :meth:`start` and where states are restored too.
    """

    task_type = SiteTask
    state_names = ("episodes", "readings", "reasons", "right", "spoiled", "element_masks", "field_masks")

    observations: dict[str, np.ndarray]

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        rewards: SiteRewards = PUBLISHED_REWARDS,
        deadline: float = DEFAULT_DEADLINE,
        draw_task: DrawTask | None = None,
        masked: bool = False,
        events: str = "input",
        literal: bool = False,
        all_present: bool = False,
    ):
        super().__init__(num_rows, max_episode_steps)
        self._options = (
            num_rows,
            max_episode_steps,
            rewards,
            deadline,
            draw_task,
            masked,
            events,
            literal,
            all_present,
        )
        self._all_present, self._grouped = all_present, not literal
        self._site_rewards, self._draw_task = rewards, draw_task
        self.observations = empty_observations(num_rows)
        self.element_masks = np.zeros((num_rows, MAX_ELEMENTS), np.int8)
        self.field_masks = np.zeros((num_rows, MAX_FIELDS), np.int8)
        if masked:
            self.observations |= by_mask(self.element_masks, self.field_masks)
        self.right = np.zeros((num_rows, HORIZON), np.bool_)
        self.spoiled = np.zeros((num_rows, MAX_PAGES), np.int16)
        self.reasons = np.full(num_rows, None, object)
        self._own_texts = [""] * num_rows
        self.episodes, self.readings = (np.full(num_rows, None, object) for _ in range(2))
        self._writers = [PageWriter() for _ in range(num_rows)]
        self._pages = SitePages(num_rows, deadline, events, literal)

    def empty_tasks(self, count: int) -> tuple[np.ndarray]:
        """Room for ``count`` tasks, which a browser takes as they are: one array, object (count,)."""
        return (np.full(count, None, object),)

    def write_task(self, task: SiteTask, place: int, arrays: tuple[np.ndarray]) -> None:
        """Put ``task`` into a place of ``arrays``, as of :meth:`empty_tasks` (object (count,))."""
        arrays[0][place] = task

    def read_task(self, place: int, arrays: tuple[np.ndarray]) -> SiteTask:
        """The task in a place of ``arrays``, as of :meth:`empty_tasks` (object (count,))."""
        return arrays[0][place]

    def instruction(self, row: int) -> tuple[tuple[str, str], ...]:
        """The instruction of ``row`` as (label, value) pairs."""
        return self.task(row).instruction

    def records(self, row: int) -> tuple[ElementRecord, ...]:
        """The elements of the current page of ``row``."""
        return self.readings[row].records

    def instruction_text(self, row: int) -> str:
        """The instruction of ``row`` as sentences."""
        return instruction_text(self.task(row))

    def texts(self) -> list[PageTexts]:
        """The current pages of all rows as texts, empty before a row begins."""
        begun = (self.readings != None).tolist()  # noqa: E711 (entry by entry)
        return [
            self._writers[row].write(ShownPage(page_structure(self.page(row)), self.records(row)))
            if begun[row]
            else PageTexts("", "")
            for row in range(self.num_rows)
        ]

    def page(self, row: int) -> Page:
        """The current page of ``row``."""
        return self.episodes[row].task.pages[self.readings[row].page]

    def page_number(self, row: int) -> int:
        """The number of the current page of ``row``, from 0."""
        return self.readings[row].page

    def screenshot(self, row: int) -> np.ndarray:
        """The whole current page of ``row``: uint8 (height, 480, 3); blank when the page is lost."""
        height = page_height(self.page(row))
        picture = self._pages.screenshot(row, height) if self._lives(row) else None
        return np.full((height, PAGE_WIDTH, 3), 255, np.uint8) if picture is None else picture

    def page_address(self, row: int) -> str:
        """Where the page of ``row`` is found by Playwright and other clients of Chromium's inspector, until it is lost.

        Raises:
            ResetNeededError: The row has no page yet, or has lost it.
        """
        address = self._pages.address(row)
        if isinstance(address, PageFailure):
            raise ResetNeededError(f"the page is lost, since {address.reason}; call reset first")
        return address

    def num_right(self, row: int) -> int:
        """How many of the site's active primitives hold what the profile says, less the decoys that were touched."""
        return int(self.right[row].sum()) - int(self.spoiled[row].sum())

    def write(self, row: int, text: str) -> None:
        """Let :data:`~procgen_bench.envs.web.site_arrays.OWN_TEXT` stand for ``text`` in the next action of ``row``."""
        self._own_texts[row] = text

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        begin(self.outcomes, rows)
        started = np.flatnonzero(rows).tolist()
        for row in started:
            if fresh[row]:
                self.load(row, self._drawn_task(row))
            self.episodes[row] = Episode(self.task(row))
            self.reasons[row] = None
            self._begin(row)
            self.field_masks[row] = np.arange(MAX_FIELDS) < len(self.task(row).profile)
            write_instruction(self.instruction(row), self.observations, row)
        for row, reading in self._pages.open({row: self.episodes[row] for row in started}).items():
            self._observe(row, reading)
            self.observations["new"][row] = 0

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N, 2): element, field)."""
        count_steps(self.outcomes, active, self.max_episode_steps)
        rows = np.flatnonzero(active).tolist()
        for row in rows:
            task, before = self.episodes[row]
            element, field = actions[row].tolist()
            value = self._own_texts[row] if field == OWN_TEXT else field
            self.episodes[row] = Episode(task, (*before, (element, value)))
        readings = self._pages.act({row: self.episodes[row] for row in rows if self._lives(row)})
        for row in rows:
            self._conclude(row, readings.get(row))

    def row_arrays(self) -> dict[str, np.ndarray]:
        """The arrays (N, ...), of any dtype, that with the tasks decide the future and say what is observed."""
        return super().row_arrays() | {f"observations.{name}": self.observations[name] for name in ARRAYS}

    def resumed(self, rows: Sequence[int]) -> None:
        """Rows of these whose pages show something else get fresh pages, in which their actions are done again."""
        behind = [row for row in rows if self._lives(row) and not self._pages.shows(row, self.episodes[row])]
        for row, reading in self._pages.open({row: self.episodes[row] for row in behind}).items():
            if reading.records != self.readings[row].records:
                self.reasons[row] = "the page did not come to be as it was when its actions were done again"

    def close(self) -> None:
        """Close the pages, and the browser with the last page of this process."""
        self._pages.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self._options, "bank": self.bank, "arrays": self.save_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        BrowserSimulation.__init__(self, *state["options"])
        self.bank = state["bank"]
        self.restore_state(state["arrays"])

    def _drawn_task(self, row: int) -> SiteTask:
        (bank,) = self.bank
        if len(bank):
            self.streams[row], drawn = draw_below(self.streams[row], len(bank))
            return bank[drawn]
        if self._draw_task is None:
            raise InvalidOptionError("there is no task to draw; give tasks, or draw_task for the whole space")
        self.streams[row], task = self._draw_task(self.streams[row])
        return task

    def _begin(self, row: int) -> None:
        """What is right before anything is done, and that nothing has been done."""
        right = right_at_first(self.task(row))
        self.right[row], self.spoiled[row] = False, 0
        self.right[row, : len(right)] = right
        self.readings[row] = None

    def _conclude(self, row: int, reading: PageReading | str | None) -> None:
        """What the last action came to, by what the page is like now or why it is lost (``None``: since long ago)."""
        self.terminations[row] = False
        if isinstance(reading, PageReading):
            before, changed = self.num_right(row), is_changed(self.readings[row], reading)
            self._observe(row, reading)
            self._reward(row, self.num_right(row) - before, reading, changed)
        else:
            self.truncations[row] = True
            self.reasons[row] = reading or self.reasons[row]
            self.rewards[row] = -self._site_rewards.step_penalty

    def _reward(self, row: int, progress: int, reading: PageReading, changed: bool) -> None:
        """Whether the episode is over, and what the step earns: ``progress`` more fields are right than before."""
        num_active, amounts = self.episodes[row].task.design.num_active, self._site_rewards
        reward = amounts.progress_reward * progress / num_active
        self.terminations[row] = bool(reading.end)
        self.successes[row] = reading.end == SENT and self.num_right(row) == num_active
        # One after the other, as the twin adds them: sums of floating-point numbers depend on the order.
        if self.successes[row]:
            reward += amounts.success_reward
        elif reading.end or self.elapsed[row] == HORIZON:
            reward -= amounts.failure_penalty
        else:
            reward -= amounts.step_penalty
            if not changed:
                reward -= amounts.idle_penalty
        self.rewards[row] = reward

    def _observe(self, row: int, reading: PageReading) -> None:
        """Write what is seen of ``row``, and which of its fields are right."""
        before, self.readings[row] = self.readings[row], reading
        self.observations["time_step"][row] = self.elapsed[row]
        stays = before is not None and before.page == reading.page
        shown = self.observations["boxes"][row].any(axis=1) if stays else False
        write_elements(reading.records, self.observations, row, before.records if before else ())
        task, page = self.episodes[row].task, self.page(row)
        self.observations["new"][row] = self.observations["boxes"][row].any(axis=1) & ~np.bool_(shown)
        filled = self.observations["active"][row] & holding_elements(page)
        self.element_masks[row] = self.observations["boxes"][row].any(axis=1)
        if not self._all_present:
            self.element_masks[row] &= usable_elements(page)
        for options in option_groups(page) if self._grouped else ():
            filled[options] = filled[options].any()
            self.element_masks[row, options[self.element_masks[row, options] > 0][1:]] = 0
        self.observations["filled"][row] = filled | (self.observations["filled"][row] if stays else 0)
        first = num_asked(task.pages[: reading.page])
        right = right_fields(reading, task)
        self.right[row, first : first + len(right)] = right
        self.spoiled[row, reading.page] = num_spoiled(reading, task)

    def _lives(self, row: int) -> bool:
        """Whether ``row`` is in an episode, with its page."""
        return self.episodes[row] is not None and self.reasons[row] is None
