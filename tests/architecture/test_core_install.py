"""What works without the packages that only extras bring; the rest names its extra in one line."""

import json
import sys

import pytest

from tests.architecture.checkout import CHECKOUT, lines
from tests.architecture.installing import run
from tests.architecture.test_wheel import CORE_IDS

#: Package -> its distribution.
MOVED = {"scipy": "scipy", "imageio": "imageio", "imageio_ffmpeg": "imageio-ffmpeg"}
WITHOUT = f"import sys\nsys.modules.update(dict.fromkeys({list(MOVED)}))\n"
PLAY_CORE = f"""
import json
import gymnasium, procgen_bench
import numpy as np
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.engine.recording import check_clip_path
from procgen_bench.leaderboards.xland.matrix_games import game_value

solved = []
for name in {CORE_IDS}:
    env = gymnasium.make(name, tasks="solvable", render_mode="rgb_array")
    env.reset(seed=0)
    if env.unwrapped.task_space.solve(env.unwrapped.task) is not None:
        solved.append(name)
    env.step(env.action_space.sample())
    env.render()

space = procgen_bench.make_task_space("BitGrid-v0")
goal = np.full((13, 13), -1, np.float32)
goal[0], goal[1, 0] = 1, 1
many = space.decode(space.encode(space.suite("test")["0"]) | {{"goal": goal}})

def refusal(call, *arguments):
    try:
        call(*arguments)
    except MissingExtraError as error:
        return str(error)

refused = [
    refusal(space.solve, many),
    refusal(game_value, np.array([[1.0, 0.0], [0.0, 2.0]])),
    refusal(check_clip_path, "film.mp4"),
    refusal(check_clip_path, "film.gif"),
]
print(json.dumps([solved, refused]))
"""


def test_core_environments_need_none_of_the_extras_packages(tmp_path):
    solved, refused = json.loads(run(sys.executable, "-c", WITHOUT + PLAY_CORE, cwd=CHECKOUT))
    assert solved == CORE_IDS
    assert refused == [
        "scipy is not installed; install it with: pip install 'procgen-bench[solvers]'",
        "scipy is not installed; install it with: pip install 'procgen-bench[solvers]'",
        "imageio_ffmpeg is not installed; install it with: pip install 'procgen-bench[film]'",
        None,
    ]


@pytest.mark.parametrize("distribution", MOVED.values())
def test_core_install_asks_for_none_of_them(distribution):
    assert not [line for line in lines("options", "install_requires") if line.startswith(distribution)]
