"""The checkout as its tests look at it: the rooms' folders and what setup.cfg says of them."""

import configparser
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]

SETUP = configparser.ConfigParser()
SETUP.read(CHECKOUT / "setup.cfg")


def lines(section: str, option: str) -> list[str]:
    """The values of a setup.cfg option that lists one per line."""
    return SETUP[section][option].split("\n")[1:]


#: Import name -> folder of the ground floor and of the four rooms.
ROOM_FOLDERS = {
    name: CHECKOUT / folder for name, folder in (entry.split(" = ") for entry in lines("options", "package_dir"))
}


def modules() -> dict[str, Path]:
    """Every module of the package: full name -> file."""
    found = {}
    for name, folder in ROOM_FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join([name, *(part for part in parts if part != "__init__")])] = path
    return found
