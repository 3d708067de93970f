"""DomSimulation: N sites in arrays, without a browser."""

from collections.abc import Mapping

import numpy as np

from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.envs.web import kernel
from procgen_bench.envs.web.drawing import draw_rows
from procgen_bench.envs.web.observations import ARRAYS, ElementRecord, by_mask, by_name, empty_memory
from procgen_bench.envs.web.rewards import PUBLISHED_REWARDS, SiteRewards
from procgen_bench.envs.web.site_arrays import PAGE, Sites, View, empty_pages, empty_sites, view_of
from procgen_bench.envs.web.site_rows import element_records, read_task, write_task
from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.library import element_library, prepare, primitive_library, value_library
from procgen_bench.tasks.sites.task import SiteTask


class DomSimulation(NativeSimulation[SiteTask]):
    """N sites.

    Args:
        num_rows: N.
        max_episode_steps: Steps after which an episode is truncated; ``None`` for no limit.
        site_rewards: What steps earn and cost.
        masked: Whether ``observations`` hold ``element_mask`` and ``field_mask``, too.

    Attributes:
        site_rewards: What steps earn and cost.
        sites: What there is to do.
        pages: The current pages, and what has been done.
        view: What is observed, and what can be acted upon.
        reasons: object (N,), ``None``: arrays are never lost, as a browser's pages are.
    """

    task_type = SiteTask
    state_names = (*(f"pages.{name}" for name in PAGE.names or ()), *(f"view.{name}" for name in View._fields))

    task_rows: Sites
    observations: dict[str, np.ndarray]

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        site_rewards: SiteRewards = PUBLISHED_REWARDS,
        masked: bool = False,
    ):
        self._texts, self._masked = Texts(), masked
        super().__init__(num_rows, max_episode_steps)
        self.site_rewards = site_rewards
        self._memory = empty_memory(num_rows)
        self.sites, self.pages = self.task_rows, empty_pages(num_rows)
        self.view = view_of(by_name(self._memory, num_rows))
        self.observations = self._observed(self.view)
        self.reasons = np.full(num_rows, None, object)
        self._elements, self._primitives, self._values = element_library(), primitive_library(), value_library()

    def __setstate__(self, state: dict):
        # A copy's observations are parts of its own memory.
        self.__dict__.update(state)
        self.view = self.view._replace(**by_name(self._memory, self.num_rows))
        self.observations = self._observed(self.view)
        self._elements, self._primitives, self._values = element_library(), primitive_library(), value_library()
        self._prepare_looks()

    def __getstate__(self) -> dict:
        # The libraries are every process's own.
        libraries = ("_elements", "_primitives", "_values")
        return {name: value for name, value in super().__getstate__().items() if name not in libraries}

    @property
    def element_masks(self) -> np.ndarray:
        """int8 (N, 250): 1 for elements of the current page that an action changes something at."""
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
        write_task(task, place, arrays, self._texts)

    def read_task(self, place: int, arrays: Sites) -> SiteTask:
        """The task in a place of such arrays."""
        return read_task(place, arrays, self._texts)

    def copy_observations(self) -> dict[str, np.ndarray]:
        """A copy of ``observations``, made as one."""
        masks = {"element_masks": self.element_masks.copy(), "field_masks": self.field_masks.copy()}
        return self._observed(View(**by_name(self._memory.copy(), self.num_rows), **masks))

    def _observed(self, view: View) -> dict[str, np.ndarray]:
        """The arrays of a view that are observed, by name."""
        shown = {name: getattr(view, name) for name in ARRAYS}
        return shown | by_mask(view.element_masks, view.field_masks) if self._masked else shown

    def records(self, row: int) -> list[ElementRecord]:
        """The elements of the current page of ``row``."""
        return element_records(row, self.sites, self.pages, self.view, self._texts)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        draw_rows(rows & fresh, self.streams, self.bank, self._primitives, self._values, self.sites)
        kernel.start_rows(
            rows,
            self.sites,
            self.pages,
            self._elements,
            self._primitives,
            self._values,
            self.view,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.site_rewards.numbers(),
            self.sites,
            self.pages,
            self._elements,
            self._primitives,
            self.view,
            self.outcomes,
        )

    def save_state(self) -> dict[str, np.ndarray]:
        """A copy of the whole state."""
        return super().save_state() | {"new_texts": self._texts.save()}

    def restore_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state that :meth:`save_state` returned on a simulation of the same size."""
        super().restore_state(state)
        self._texts.restore(state["new_texts"])
        self._prepare_looks()

    def _prepare_looks(self) -> None:
        """The looks of tasks from elsewhere may be new to this process."""
        for sites in (self.sites, Sites(*self.bank)):
            for look in np.unique(sites.looks).tolist():
                prepare(look)
