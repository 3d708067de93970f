"""Every environment of the suite that is made here, by default and under further options."""

from functools import partial

import gymnasium
import pytest

from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import marks_of

#: Draws worlds for seconds, and is XLand-v0 with more of everything.
HEAVY = {"players": 3, "observation": "both", "privileged": True}
#: Options under which an environment is checked besides its default ones, and by which checks.
FURTHER_OPTIONS = [
    ("CompositionalMiniGrid-v0", {"backend": "minigrid"}),
    ("UEDMaze-v0", {"backend": "minigrid", "actions": "published"}),
    ("VoxelBuild-v0", {"observation": "pose"}),
    ("XLand-v0", {"players": 1, "observation": "state"}),
    ("XLand-v0", HEAVY),
]
MAKERS = [
    pytest.param(
        partial(gymnasium.make, name, **options),
        id=" ".join([name, *map(str, options.values())]),
        marks=pytest.mark.slow if options == HEAVY else marks_of(name),
    )
    for name, options in [*((name, {}) for name in INSTALLED_IDS), *FURTHER_OPTIONS]
]
DEFAULT_MAKERS, FURTHER_MAKERS = MAKERS[: len(INSTALLED_IDS)], MAKERS[len(INSTALLED_IDS) :]
