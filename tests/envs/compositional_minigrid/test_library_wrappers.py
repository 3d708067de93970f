"""Which of Minigrid's wrappers work, as the environment's docstring says."""

import re

import gymnasium
import pytest

from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv

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
