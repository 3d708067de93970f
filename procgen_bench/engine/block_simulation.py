"""BlockSimulation: a native simulation whose observations are the parts of one block of memory."""

from abc import abstractmethod

import numpy as np

from procgen_bench.core.task import TaskT
from procgen_bench.engine.simulation import NativeSimulation


class BlockSimulation(NativeSimulation[TaskT]):
    """N games, each observed as one block of numbers, which the compiled rules write and one call copies.

    A family names the block's parts in ``by_name``.

    Attributes:
        observation_rows: (N, ...), every row's observation as one block.
        observations: The same memory as a dict of the parts.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        block_shape: Shape of one row's block.
        block_type: Type of its numbers.
    """

    observations: dict[str, np.ndarray]

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        block_shape: tuple[int, ...],
        block_type: type[np.generic] = np.float32,
    ):
        super().__init__(num_rows, max_episode_steps)
        self.observation_rows = np.zeros((num_rows, *block_shape), block_type)
        self.observations = self.by_name(self.observation_rows)

    def __setstate__(self, state: dict):
        # A copy's views must look at the copy's own rows.
        self.__dict__.update(state)
        self.observations = self.by_name(self.observation_rows)

    @staticmethod
    @abstractmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """The parts of ``rows`` (shaped as ``observation_rows``) as views (N, ...), by name."""

    def copy_observations(self) -> dict[str, np.ndarray]:
        """A copy of ``observations``, of the same shapes and dtypes, made as one block."""
        return self.by_name(self.observation_rows.copy())
