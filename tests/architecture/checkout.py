"""The checkout as its tests look at it: the packages' folders and what setup.cfg says of them."""

import configparser
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]

SETUP = configparser.ConfigParser()
SETUP.read(CHECKOUT / "setup.cfg")

#: The one package. Four of those in it lie at the top of the checkout, and are in it by links.
PACKAGE = CHECKOUT / "procgen_bench"
LINKED_PACKAGES = ("tasks", "envs", "baselines", "leaderboards")


def lines(section: str, option: str) -> list[str]:
    """The values of a setup.cfg option that lists one per line."""
    return SETUP[section][option].split("\n")[1:]


def files(pattern: str) -> list[Path]:
    """The package's files of this pattern, those of linked packages as they are reached through the package."""
    folders = [PACKAGE / name for name in ("core", "engine", "testing", "apps", "text", "cli", *LINKED_PACKAGES)]
    return sorted([*PACKAGE.glob(pattern), *(path for folder in folders for path in folder.rglob(pattern))])


@cache
def modules() -> dict[str, Path]:
    """Every module of the package: full name -> file."""
    found = {}
    for path in files("*.py"):
        parts = path.relative_to(CHECKOUT).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found
