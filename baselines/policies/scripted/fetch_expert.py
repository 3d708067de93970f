"""FetchExpertPolicy: the scripted expert of the Fetch arm, which plays FetchProgram-v0 and FetchBlocks-v0."""

import numpy as np

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, check_place
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.tasks.programs import PROGRAMS

_PROGRAM_ID, _BLOCKS_ID = "FetchProgram-v0", "FetchBlocks-v0"
_PROGRAMS = tuple(PROGRAMS.values())


class FetchExpertPolicy(Policy):
    """Carries block after block along waypoints, by plans of atomic programs. It sees what every policy sees.

    In FetchBlocks-v0 it brings the first block to its desired place, and holds it there where that is in the air.

    Args:
        environment_id: ``"FetchProgram-v0"`` or ``"FetchBlocks-v0"``.

    Raises:
        UnsolvedTaskError: In :meth:`act`, where a goal's place for the block is not over the table.
    """

    def __init__(self, environment_id: str):
        if environment_id not in (_PROGRAM_ID, _BLOCKS_ID):
            known = f"{_PROGRAM_ID!r} and {_BLOCKS_ID!r}"
            raise InvalidPolicyError(f"the fetch expert plays {known} only, not {environment_id!r}")
        self._begun = _program_player if environment_id == _PROGRAM_ID else _block_player
        self._players: dict[int, Expert | Carrying] = {}

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The next action of every row's expert: float32 (N, 4)."""
        assert isinstance(observations, dict)  # as these environments show
        rows = [{key: part[row] for key, part in observations.items()} for row in range(len(episode_starts))]
        for row in np.flatnonzero(episode_starts).tolist():
            self._players[row] = self._begun(rows[row])
        actions = [self._players[row].act(observed["observation"]) for row, observed in enumerate(rows)]
        return np.array(actions, np.float32)


def _program_player(observed: dict[str, np.ndarray]) -> Expert:
    program = _PROGRAMS[int(observed["program"].argmax())]
    return Expert(program, observed["goal"] if program.is_atomic else None)


def _block_player(observed: dict[str, np.ndarray]) -> Carrying:
    place = observed["desired_goal"][:3]
    check_place(place)
    return Carrying(0, place)
