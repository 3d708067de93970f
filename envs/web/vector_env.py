"""GMiniWoB-v0's vector environment."""

from typing import TYPE_CHECKING, Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.engine.row_requests import RowRequests
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.environment import GMiniWoBEnv, masks_of
from procgen_bench.envs.web.word_rows import CallRule

if TYPE_CHECKING:
    from procgen_bench.envs.web.browser_simulation import BrowserSimulation


class GMiniWoBVectorEnv(NativeVectorEnv):
    """GMiniWoB-v0 with N tasks; with the dom in one compiled step, with a browser a page for each, acting at once.

    Texts are observed as tuples of N strings, by name; N calls are a list of strings. See :class:`GMiniWoBEnv` and
    :class:`NativeVectorEnv`.

    Raises:
        InvalidOptionError: Observations in pixels are asked for.
    """

    single_env_type: type[GMiniWoBEnv] = GMiniWoBEnv
    single: GMiniWoBEnv
    simulation: "DomSimulation | BrowserSimulation"

    def __init__(self, *args, **options):
        if options.get("observation") == "pixels":
            raise InvalidOptionError("observation 'pixels' is of single environments; make_vec's mode 'sync' has rows")
        super().__init__(*args, **options)

    def _make_rows(self, tasks: Any, options: dict[str, Any], max_episode_steps: int | None) -> None:
        super()._make_rows(tasks, options, max_episode_steps)
        self._words = self.single.word_rows(self.simulation)

    def _row_rule(self) -> ActionRule | CallRule:
        return CallRule(self.num_envs) if self.single.takes_calls else super()._row_rule()

    def _begin(self, requests: RowRequests) -> None:
        super()._begin(requests)
        self._begin_words(requests.rows)

    def _restart(self, rows: np.ndarray) -> None:
        super()._restart(rows)
        self._begin_words(rows)

    def _begin_words(self, rows: np.ndarray) -> None:
        if self._words is not None:
            self._words.begin(rows)

    def _advance(self, actions: Any, rows: np.ndarray) -> None:
        if self._words is None or not self._words.takes_calls:
            super()._advance(actions, rows)
            return
        super()._advance(self._words.use(actions, rows), rows)
        self._words.conclude()

    def observe(self, copy: bool = True) -> Any:
        """As :meth:`NativeVectorEnv.observe`; texts never change."""
        return super().observe(copy) if self._words is None or not self._words.observes else self._words.observe()

    def observe_row(self, row: int) -> Any:
        """A copy of what a row observes now."""
        return self._observe_each([row])[0]

    def _observe_each(self, rows: list[int]) -> list[Any]:
        if self._words is None or not self._words.observes:
            return [NativeVectorEnv.observe_row(self, row) for row in rows]
        return self._words.observe_each(rows)

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        infos = super()._infos(rows)
        for name, masks in masks_of(self.simulation).items():
            infos[name], infos[f"_{name}"] = masks.copy(), rows.copy()
        if self._words is not None and self._words.takes_calls:
            infos["last_action_error"] = np.array(self._words.errors, dtype=object)
            infos["_last_action_error"] = rows.copy()
        for row in np.flatnonzero(rows & (self.simulation.reasons != None)).tolist():  # noqa: E711 (entry by entry)
            self._add_info(infos, {"reason": self.simulation.reasons[row]}, row)
        return infos
