"""Rows played by the Minigrid library, one environment of the library each (needs the ``minigrid`` extra)."""

import numpy as np

from procgen_bench.envs.compositional_minigrid.library_room import LibraryRoom
from procgen_bench.envs.compositional_minigrid.simulation import RoomSimulation
from procgen_bench.outcomes import begin, count_steps


class LibrarySimulation(RoomSimulation):
    """N rooms of the library.

    Attributes:
        rooms: The library's environments, one a row.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        super().__init__(num_rows, max_episode_steps)
        self.rooms = [LibraryRoom() for _ in range(num_rows)]

    def _begin(self, rows: np.ndarray) -> None:
        begin(self.outcomes, rows)
        for row in np.flatnonzero(rows):
            task = self.task(row)
            observation, _ = self.rooms[row].reset(options={"task": task})
            self.observations["asked"][row] = task.subtasks
            self._observe(row, observation)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        count_steps(self.outcomes, active, self.max_episode_steps)
        for row in np.flatnonzero(active):
            observation, self.rewards[row], self.terminations[row], _, info = self.rooms[row].step(int(actions[row]))
            self.successes[row] = info["success"]
            self._observe(row, observation)

    def _observe(self, row: int, observation: dict) -> None:
        room = self.rooms[row]
        self.observations["image"][row] = observation["image"]
        self.observations["position"][row] = room.agent_pos
        self.observations["direction"][row] = np.arange(4) == observation["direction"]
        self.observations["done"][row] = room.done

    def save_state(self) -> dict[str, np.ndarray]:
        """A copy of the whole state; that of rooms that have not begun yet is zeros."""
        begun = [room.agent_pos is not None for room in self.rooms]
        size = 3 * self.rooms[0].width * self.rooms[0].height + 11
        snapshots = [room.snapshot() if ready else np.zeros(size, np.uint8) for room, ready in zip(self.rooms, begun)]
        return super().save_state() | {"rooms": np.stack(snapshots), "begun": np.array(begun)}

    def restore_state(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state that :meth:`save_state` returned on a simulation of the same size."""
        super().restore_state(state)
        for row in np.flatnonzero(state["begun"]):
            self.rooms[row].restore(self.task(row), state["rooms"][row], int(self.elapsed[row]))


def draw_frame(simulation: LibrarySimulation, row: int) -> np.ndarray:
    """The library's picture of ``row``: uint8 (256, 256, 3), what the agent sees lighter."""
    room = simulation.rooms[row]
    return room.get_frame(room.highlight, room.tile_size)


def draw_text(simulation: LibrarySimulation, row: int) -> str:
    """The library's text of ``row``'s map, then what is carried and the mission."""
    room = simulation.rooms[row]
    carried = "nothing" if room.carrying is None else f"{room.carrying.color} {room.carrying.type}"
    return f"{room.pprint_grid()}\ncarrying: {carried}\nmission: {room.mission}"
