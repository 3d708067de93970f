"""WordRows: rows of a site simulation as agents of words, or of pictures, observe and use them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from procgen_bench.core.errors import InvalidActionError
from procgen_bench.envs.web.calls import NOTHING, CallError, call_in_page
from procgen_bench.envs.web.site_arrays import OWN_TEXT
from procgen_bench.envs.web.text_observations import PictureView, TextView, shown_page

if TYPE_CHECKING:
    from procgen_bench.envs.web.browser_simulation import BrowserSimulation
    from procgen_bench.envs.web.dom_simulation import DomSimulation
    from procgen_bench.envs.web.observations import ElementRecord

#: What is said of a call that changes nothing, not even the focus.
WITHOUT_EFFECT = "the call changed nothing on the page"


class WordRows:
    """N rows whose actions are calls in writing, or whose observations are texts or pictures, or both.

    Attributes:
        takes_calls: Whether actions are calls.
        observes: Whether observations are no arrays.
        errors: By row why the last call could not be made, or that it changed nothing; empty: it could, and did.

    Args:
        simulation: The rows.
        view: What observes them; ``None``: arrays do.
        takes_calls: Whether actions are calls.
    """

    def __init__(
        self,
        simulation: "DomSimulation | BrowserSimulation",
        view: TextView | PictureView | None,
        takes_calls: bool,
    ):
        self._simulation, self._view = simulation, view
        self.takes_calls, self.observes = takes_calls, view is not None
        self._instructions, self.errors = [""] * simulation.num_rows, [""] * simulation.num_rows
        self._before: dict[int, tuple[int, tuple[ElementRecord, ...]]] = {}

    def begin(self, rows: np.ndarray) -> None:
        """These rows (bool (N,)) have begun another episode, or gone on with a saved one."""
        for row in np.flatnonzero(rows).tolist():
            self.errors[row] = ""
            if self._view is not None:
                self._instructions[row] = self._simulation.instruction_text(row)

    def use(self, calls: Sequence[str], rows: np.ndarray) -> np.ndarray:
        """What the calls of these rows (bool (N,)) come to: int64 (N, 2), elements and the texts that are their own."""
        actions = np.full((len(calls), 2), OWN_TEXT, np.int64)
        actions[:, 0] = NOTHING.element
        self._before = {}
        for row in np.flatnonzero(rows).tolist():
            page = shown_page(self._simulation, row)
            self._before[row] = self._simulation.page_number(row), page.records
            self.errors[row], use = "", NOTHING
            try:
                use = call_in_page(str(calls[row]), page, self._top())
            except CallError as error:
                self.errors[row] = str(error)
            self._simulation.write(row, use.text)
            actions[row, 0] = use.element
        return actions

    def conclude(self) -> None:
        """The calls have been made: of those which changed nothing, and ended nothing, that is said."""
        simulation = self._simulation
        for row, before in self._before.items():
            if self.errors[row] or simulation.terminations[row] or simulation.reasons[row] is not None:
                continue
            if (simulation.page_number(row), simulation.records(row)) == before:
                self.errors[row] = WITHOUT_EFFECT
        self._before = {}

    def observe(self) -> dict[str, Any]:
        """What is observed of all rows, a text or a picture of each kind a row."""
        assert self._view is not None  # arrays are the simulation's
        return self._view.observe(self._simulation, self._instructions, self.errors)

    def observe_each(self, rows: list[int]) -> list[dict[str, Any]]:
        """What is observed of each of these rows."""
        observed = self.observe()
        return [{name: of_rows[row] for name, of_rows in observed.items()} for row in rows]

    def _top(self) -> int:
        return self._view.top(self._simulation) if isinstance(self._view, PictureView) else 0


class CallRule:
    """What is taken as N rows of calls; compare :class:`~procgen_bench.engine.action_rule.ActionRule`.

    Args:
        num_rows: N.
    """

    def __init__(self, num_rows: int):
        self._num_rows = num_rows

    def checked(self, actions: Any, name: str = "action") -> list[str]:
        """The calls.

        Args:
            actions: What a user handed over: any sequence of N texts.
            name: What errors call one.

        Raises:
            InvalidActionError: It is something else.
        """
        if not isinstance(actions, list | tuple | np.ndarray) or len(actions) != self._num_rows:
            raise InvalidActionError(f"{name}s are {actions!r:.80}, expected a list of {self._num_rows} calls")
        for row, call in enumerate(actions):
            if not isinstance(call, str):
                raise InvalidActionError(f"{name} of row {row} is {refused_call(call)}")
        return list(actions)


def refused_call(call: Any) -> str:
    """What is no call, and what was expected."""
    return f"{call!r:.80}, expected a call in writing, like \"click('12')\""
