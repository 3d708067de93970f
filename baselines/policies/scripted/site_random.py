"""SiteRandomPolicy: random actions on what a page of GMiniWoB-v0 offers to act upon."""

import numpy as np

from procgen_bench.baselines.policies.scripted.site_view import check_environment
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS

#: What a person types into or clicks on.
_TAGS = [TAG_NUMBERS[tag] for tag in ("a", "button", "input", "select")]


class SiteRandomPolicy(Policy):
    """A link, button or input of those that are shown, and a field of those of the instruction, each equally likely.

    The uniform policy mostly acts on elements and fields that are not there.

    Args:
        environment_id: ``"GMiniWoB-v0"``.
    """

    def __init__(self, environment_id: str):
        check_environment("site-random", environment_id)
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Seed the draws."""
        self._rng = np.random.default_rng(seed)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """One draw per row: int64 (N, 2)."""
        usable = np.isin(observations["tags"], _TAGS) & np.any(observations["boxes"], axis=2)
        fields = np.any(observations["field_labels"], axis=2)
        return np.stack([self._draw(usable), self._draw(fields)], axis=1)

    def _draw(self, allowed: np.ndarray) -> np.ndarray:
        """In every row one of the places that are true."""
        return np.array([self._rng.choice(np.flatnonzero(row)) for row in allowed])
