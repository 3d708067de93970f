"""An environment's docstring is its page: it names what the environment really observes, takes, tells and allows."""

import inspect

import gymnasium
import pytest
from gymnasium import spaces

from tests.envs.conformance.makers import DEFAULT_MAKERS

#: Of every page, in this order.
SECTIONS = (
    *("Description", "Action Space", "Observation Space", "Starting State", "Rewards", "Episode End", "Information"),
    *("Arguments", "Version History"),
)
#: Steps in which infos may come to hold something more.
STEPS = 5

env_of = pytest.mark.parametrize("make", DEFAULT_MAKERS)


def sections_of(env: gymnasium.Env) -> dict[str, str]:
    """The page by the titles of its sections."""
    _, *parts = (inspect.getdoc(type(env.unwrapped)) or "").split("## ")
    return dict(part.split("\n", 1) for part in parts)


def whole_page(env: gymnasium.Env) -> str:
    """The page, and that of the environment of which it is a variation."""
    bases = (base for base in type(env.unwrapped).__mro__ if "## Description" in (base.__doc__ or ""))
    return "\n".join(inspect.getdoc(base) or "" for base in bases)


def in_words(space: spaces.Space) -> str:
    """An action space as pages write it."""
    if isinstance(space, spaces.MultiDiscrete):
        return f"MultiDiscrete({space.nvec.tolist()})"
    return str(space).replace(".0", "")


def names(text: str, name: str) -> bool:
    """Whether a page sets ``name`` as code."""
    return f"`{name}`" in text


@env_of
def test_page_has_all_sections(make):
    with make() as env:
        assert tuple(title for title in sections_of(env) if title in SECTIONS) == SECTIONS


@env_of
def test_page_names_spaces(make):
    with make() as env:
        page, whole = sections_of(env), whole_page(env)
        assert in_words(env.action_space) in page["Action Space"]
        for name, space in env.observation_space.items():
            assert names(page["Observation Space"], name), name
            assert str(space.shape) in whole, name
            assert str(space.dtype) in whole, name


@env_of
def test_page_gives_the_ranges_of_its_table(make):
    """Where a table gives a key's least and greatest number, as ``0..2``, these are the space's."""
    with make() as env:
        for name, space in env.observation_space.items():
            rows = [line for line in sections_of(env)["Observation Space"].splitlines() if f"| `{name}`" in line]
            for cell in (cell for row in rows for cell in row.split("|") if ".." in cell):
                low, high = map(float, cell.split(".."))
                assert (low, high) == pytest.approx((space.low.min(), space.high.max())), name


@env_of
def test_page_names_everything_in_infos(make):
    with make() as env:
        env.action_space.seed(0)
        information = sections_of(env)["Information"]
        _, info = env.reset(seed=0)
        told = set(info)
        for _ in range(STEPS):
            _, _, terminated, truncated, info = env.step(env.action_space.sample())
            told |= set(info)
            if terminated or truncated:
                break
        assert [name for name in sorted(told) if not names(information, name)] == []


@env_of
def test_page_names_options_of_reset_and_the_time_limit(make):
    with make() as env:
        whole = whole_page(env)
        assert [name for name in sorted(env.unwrapped.reset_options) if f'"{name}"' not in whole] == []
        assert str(env.spec.max_episode_steps) in sections_of(env)["Episode End"]
