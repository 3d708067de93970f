"""GMiniWoB-v0's vector environment."""

from typing import TYPE_CHECKING, Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.environment import GMiniWoBEnv, masks_of

if TYPE_CHECKING:
    from procgen_bench.envs.web.browser_simulation import BrowserSimulation

#: Observations that are no arrays alone.
IN_WORDS = ("text", "pixels")


class GMiniWoBVectorEnv(NativeVectorEnv):
    """GMiniWoB-v0 with N tasks; with the dom in one compiled step, with a browser a page for each, acting at once.

    See :class:`GMiniWoBEnv` and :class:`NativeVectorEnv`.

    Raises:
        InvalidOptionError: Observations in text or pixels, or actions that are calls, are asked for.
    """

    single_env_type: type[GMiniWoBEnv] = GMiniWoBEnv
    simulation: "DomSimulation | BrowserSimulation"

    def __init__(self, *args, **options):
        if options.get("observation") in IN_WORDS or options.get("actions") == "calls":
            raise InvalidOptionError("texts, pictures, calls: of single environments; make_vec's mode 'sync' has rows")
        super().__init__(*args, **options)

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        infos = super()._infos(rows)
        for name, masks in masks_of(self.simulation).items():
            infos[name], infos[f"_{name}"] = masks.copy(), rows.copy()
        for row in np.flatnonzero(rows & (self.simulation.reasons != None)).tolist():  # noqa: E711 (entry by entry)
            self._add_info(infos, {"reason": self.simulation.reasons[row]}, row)
        return infos
