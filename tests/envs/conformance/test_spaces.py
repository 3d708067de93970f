"""Every space of every environment, by default and in every other way to observe and to act."""

from functools import partial

import gymnasium
import pytest

from tests.envs.conformance.makers import FURTHER_OPTIONS, HEAVY
from tests.envs.conformance.space_checks import SPACE_CHECKS
from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import LIKE_ANOTHER

#: Other observations and actions than the default ones.
OBSERVED = [
    *FURTHER_OPTIONS,
    ("BitGrid-v0", {"side": 5}),
    ("SparsePointMaze-v0", {"kind": "track"}),
    ("FetchBlocks-v0", {"num_blocks": 2, "control": "joint"}),
    ("GMiniWoB-v0", {"observation": "masked", "backend": "browser"}),
    ("GMiniWoB-v0", {"observation": "text"}),
    ("GMiniWoB-v0", {"observation": "text", "actions": "fields"}),
    ("GMiniWoB-v0", {"observation": "arrays", "actions": "calls"}),
    ("GMiniWoB-v0", {"observation": "pixels", "backend": "browser", "picture_height": 120, "marks": True}),
]
#: Drawing worlds takes a second; these are ready.
TASKS = {"XLand-v0": "hand_authored", "XLandSmall-v0": "small"}
MAKERS = [
    pytest.param(
        partial(gymnasium.make, name, **({"tasks": TASKS[name]} if name in TASKS else {}), **options),
        id=" ".join([name, *map(str, options.values())]),
        marks=[pytest.mark.slow] if name in LIKE_ANOTHER or options == HEAVY or "backend" in options else [],
    )
    for name, options in [*((name, {}) for name in INSTALLED_IDS), *OBSERVED]
    if name in INSTALLED_IDS
]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("check", SPACE_CHECKS, ids=lambda check: check.__name__)
def test_spaces(check, maker):
    check(maker)
