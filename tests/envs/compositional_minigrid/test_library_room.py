"""What the backend ``"minigrid"`` offers of the library, and what happens without it.

Which of Minigrid's wrappers work, as the environment's docstring says.
"""

import re
import subprocess
import sys
from itertools import product

import gymnasium
import numpy as np
import pytest
from minigrid.core.world_object import Ball, Box, Key
from minigrid.wrappers import (
    FullyObsWrapper,
    ImgObsWrapper,
    OneHotPartialObsWrapper,
    RGBImgObsWrapper,
    RGBImgPartialObsWrapper,
    SymbolicObsWrapper,
)

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv
from procgen_bench.envs.compositional_minigrid.library_room import LibraryRoom, OpenableBox, mission
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTaskSpace

ID = "CompositionalMiniGrid-v0"
SPACE = CompositionalMiniGridTaskSpace()
TASK = SPACE.suite("test")["key+door+ball+box+drop-0"]


@pytest.fixture
def env():
    env = gymnasium.make(ID, backend="minigrid", render_mode="rgb_array")
    env.reset(seed=0, options={"task": TASK})
    return env


@pytest.mark.parametrize(
    ("wrapper", "shape"),
    [
        (FullyObsWrapper, (8, 8, 3)),
        (OneHotPartialObsWrapper, (7, 7, 20)),
        (RGBImgObsWrapper, (64, 64, 3)),
        (RGBImgPartialObsWrapper, (56, 56, 3)),
        (SymbolicObsWrapper, (8, 8, 3)),
        (ImgObsWrapper, (7, 7, 3)),
    ],
)
def test_the_librarys_wrappers_work_on_its_room(env, wrapper, shape):
    wrapped = wrapper(env.unwrapped.library_room)
    observation, _ = wrapped.reset()
    images, earned = [observation if wrapper is ImgObsWrapper else observation["image"]], 0.0
    for action in SPACE.solve(TASK).tolist():
        observation, reward, terminated, _, info = wrapped.step(action)
        images.append(observation if wrapper is ImgObsWrapper else observation["image"])
        earned += reward
    assert terminated and info["success"] and earned == pytest.approx(1)
    assert {image.shape for image in images} == {shape}
    assert wrapped.observation_space.contains(observation)
    assert len({image.tobytes() for image in images}) > len(images) // 2


@pytest.mark.parametrize("backend", ["numba", "minigrid"])
def test_the_wrapper_that_keeps_the_image_works_on_the_environment_itself(backend):
    plain, wrapped = gymnasium.make(ID, backend=backend), ImgObsWrapper(gymnasium.make(ID, backend=backend))
    observation, _ = plain.reset(seed=3)
    image, _ = wrapped.reset(seed=3)
    assert np.array_equal(image, observation["image"]) and wrapped.observation_space.contains(image)


def test_the_room_sees_what_the_environment_observes(env):
    room = env.unwrapped.library_room
    assert room.observation_space.contains(room.gen_obs())
    full = room.grid.encode()
    assert full[tuple(TASK.places[4])].tolist() == [8, 1, 0]
    assert room.mission == "pick up key, open door, pick up ball, open box, drop ball in box, reach goal"
    assert env.render().shape == (256, 256, 3)


def test_missions_tell_designs_apart():
    missions = {mission(np.array(design)) for design in product((0, 1), repeat=5)}
    assert len(missions) == 32
    assert mission(np.zeros(5, np.int8)) == "reach goal"
    space = LibraryRoom().observation_space["mission"]
    assert all(space.contains(text) for text in missions)


def test_the_box_opens_for_good_and_stays():
    box = OpenableBox("red")
    assert box.encode() == Box("red").encode() and not box.can_contain() and not box.can_pickup()
    assert box.toggle(None, (1, 1)) and not box.toggle(None, (1, 1))
    assert box.encode()[2] == OpenableBox.OPEN and box.can_contain()
    box.contains = Ball("blue")
    assert box.encode()[2] == OpenableBox.FULL and not box.can_contain()


def test_the_boxes_look_different_and_a_closed_one_like_the_librarys():
    def picture(box: Box) -> bytes:
        tile = np.zeros((96, 96, 3), np.uint8)
        box.render(tile)
        return tile.tobytes()

    closed, opened, full = OpenableBox("red"), OpenableBox("red"), OpenableBox("red")
    opened.is_open = full.is_open = True
    full.contains = Ball("red")
    assert picture(closed) == picture(Box("red"))
    assert len({picture(closed), picture(opened), picture(full)}) == 3


def test_a_key_is_not_dropped_into_the_box(env):
    room = env.unwrapped.library_room
    x, y = room.front_pos
    room.carrying = Key("red")
    box = OpenableBox("red")
    box.is_open = True
    room.grid.set(x, y, box)
    room.step(room.actions.drop)
    assert isinstance(room.carrying, Key) and box.contains is None


def test_a_room_without_a_task_asks_for_one():
    with pytest.raises(ResetNeededError, match="has no task yet"):
        LibraryRoom().reset()


def test_only_the_librarys_backend_has_a_room():
    env = gymnasium.make(ID)
    with pytest.raises(InvalidOptionError, match="backend is 'numba', expected 'minigrid'"):
        env.unwrapped.library_room  # noqa: B018 - reading it raises


def test_without_the_library_only_its_backend_is_missing():
    program = (
        "import sys\n"
        "sys.modules['minigrid'] = None\n"
        "import gymnasium, procgen_bench\n"
        "from procgen_bench.core.errors import MissingExtraError\n"
        "env = gymnasium.make('CompositionalMiniGrid-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0); env.step(2); print(env.render().shape)\n"
        "try:\n    gymnasium.make('CompositionalMiniGrid-v0', backend='minigrid')\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    shape, message = output.splitlines()
    assert shape == "(288, 256, 3)"
    assert message == "minigrid is not installed; install it with: pip install 'procgen-bench[minigrid]'"


wrappers = pytest.importorskip("minigrid.wrappers")

ARGUMENTS = {
    "ReseedWrapper": {"seeds": (0,)},
    "ViewSizeWrapper": {"agent_view_size": 5},
    "NoDeath": {"no_death_types": ("lava",)},
}


def works(name: str) -> bool:
    """Whether an episode can be played in the wrapper, whose observations are in its space."""
    kind = getattr(wrappers, name)
    try:
        env = kind(gymnasium.make("CompositionalMiniGrid-v0", render_mode="rgb_array"), **ARGUMENTS.get(name, {}))
        env.unwrapped.reset(seed=0)  # ReseedWrapper warns of a seed that it is given
        observation, _ = env.reset()
        for action in range(4):
            assert env.observation_space.contains(observation)
            observation, *_ = env.step(action)
    except (AttributeError, KeyError):  # of what it has not
        return False
    return True


def test_those_that_the_docstring_names_work_and_no_others():
    names = [
        name
        for name, kind in vars(wrappers).items()
        if isinstance(kind, type) and issubclass(kind, gymnasium.Wrapper) and kind.__module__ == wrappers.__name__
    ]
    (sentence,) = re.findall(
        r"Of the library's wrappers, (.*?) work around", CompositionalMiniGridEnv.__doc__, re.DOTALL
    )
    assert len(names) > 10
    assert {name for name in names if works(name)} == set(re.findall(r"``(\w+)``", sentence))
