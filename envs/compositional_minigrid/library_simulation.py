"""Rows played by the Minigrid library, one environment of the library each (needs the ``minigrid`` extra)."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.compositional_minigrid.library_room import SNAPSHOT_SIZE, LibraryRoom
from procgen_bench.envs.compositional_minigrid.simulation import RoomSimulation


class LibrarySimulation(RoomSimulation):
    """N rooms of the library.

    Attributes:
        rooms: The library's environments, one a row.
        snapshots: uint8 (N, 203), the rooms as they were when last saved or restored; zeros before they begin.
    """

    state_names = (*RoomSimulation.state_names, "snapshots")

    def __init__(self, num_rows: int, max_episode_steps: int | None, goal_alone: bool = False):
        super().__init__(num_rows, max_episode_steps, goal_alone)
        self.rooms = [LibraryRoom(goal_alone=goal_alone) for _ in range(num_rows)]
        self.snapshots = np.zeros((num_rows, SNAPSHOT_SIZE), np.uint8)

    def _begin(self, rows: np.ndarray) -> None:
        begin(self.outcomes, rows)
        for row in np.flatnonzero(rows).tolist():
            task = self.task(row)
            observation, _ = self.rooms[row].reset(options={"task": task})
            self.observations["asked"][row] = task.subtasks
            self._observe(row, observation)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        count_steps(self.outcomes, active, self.max_episode_steps)
        for row in np.flatnonzero(active).tolist():
            observation, self.rewards[row], self.terminations[row], _, info = self.rooms[row].step(int(actions[row]))
            self.successes[row] = info["success"]
            self._observe(row, observation)

    def _observe(self, row: int, observation: dict) -> None:
        room = self.rooms[row]
        self.observations["image"][row] = observation["image"]
        self.observations["position"][row] = room.agent_pos
        self.observations["direction"][row] = np.arange(4) == observation["direction"]
        self.observations["finished"][row] = room.done

    def row_arrays(self) -> dict[str, np.ndarray]:
        """The arrays (N, ...), of any dtype, that with the tasks decide the future, the rooms as they are now among
        them."""
        for row, room in enumerate(self.rooms):
            if room.agent_pos is not None:
                self.snapshots[row] = room.snapshot()
        return super().row_arrays()

    def resumed(self, rows: Sequence[int]) -> None:
        """These rows' rooms continue from their snapshots, if they have begun."""
        for row in rows:
            if self.snapshots[row].any():
                self.rooms[row].restore(self.task(row), self.snapshots[row], int(self.elapsed[row]))


def draw_frame(simulation: LibrarySimulation, row: int) -> np.ndarray:
    """The library's picture of ``row``: uint8 (256, 256, 3), what the agent sees lighter."""
    room = simulation.rooms[row]
    return room.get_frame(room.highlight, room.tile_size)


def draw_text(simulation: LibrarySimulation, row: int) -> str:
    """The library's text of ``row``'s map, then what is carried and the mission."""
    room = simulation.rooms[row]
    carried = "nothing" if room.carrying is None else f"{room.carrying.color} {room.carrying.type}"
    return f"{room.pprint_grid()}\ncarrying: {carried}\nmission: {room.mission}"
