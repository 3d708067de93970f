"""Experts, solvers and lockstep at both ends of the ranges in setup.cfg, in environments of their own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.architecture.checkout import CHECKOUT, SETUP, lines
from tests.architecture.installing import run

#: Packages whose versions decide how an environment behaves.
DECIDING = ("numpy", "numba", "gymnasium", "mujoco", "gymnasium-robotics", "pybullet", "minigrid", "pettingzoo")
#: What the tests below import besides.
TESTED_WITH = ("pytest", "hypothesis")
COMPILED = (
    "tests/envs/grid_world/test_dynamics.py",
    "tests/envs/bit_grid/test_dynamics.py",
    "tests/envs/point_maze/test_dynamics.py",
    "tests/envs/voxel_build/test_dynamics.py",
)
WALKERS = (
    "tests/envs/ant_maze/test_physics.py",
    "tests/envs/ant_maze/test_environment.py",
    "tests/envs/xland/test_simulation.py",
    "tests/envs/xland/test_motion.py",
    "tests/envs/xland/test_raycaster_agreement.py",
    "tests/envs/xland/test_saving.py",
    "tests/envs/xland/test_players_vector_env.py",
    "tests/envs/xland/scripted/test_player.py",
)
ARMS = (
    "tests/envs/fetch_blocks/test_physics.py",
    "tests/envs/fetch_blocks/test_saving.py",
    "tests/envs/fetch_blocks/scripted/test_playing.py",
    "tests/envs/table_push/test_pushing.py",
    "tests/envs/table_push/test_solving.py",
    "tests/envs/compositional_minigrid/test_lockstep.py",
    "tests/envs/ued_maze/test_lockstep.py",
)


@dataclass(frozen=True)
class Ends:
    """An environment: the extras that are installed, whether in their oldest versions, and the tests that run in it."""

    extras: tuple[str, ...]
    oldest: bool
    tests: tuple[str, ...]

    @property
    def pins(self) -> list[str]:
        """The oldest versions that setup.cfg allows, if those are asked for."""
        if not self.oldest:
            return []
        declared = [*lines("options", "install_requires")]
        for extra in self.extras:
            declared += lines("options.extras_require", extra)
        return [oldest_of(line) for line in dict.fromkeys(declared) if re.split(r"[><=\[]", line)[0] in DECIDING]


#: gymnasium-robotics 1.4.0 registers some of its environments twice, and Gymnasium warns of it. Pytest takes a filter's
#: message literally, without colons: this is how Gymnasium's warnings begin, with a colour's code.
ROBOTICS_WARNING = "ignore:\x1b[33mWARN:UserWarning"
ALL_FAMILIES = ("fetch", "minigrid", "multiagent", *(("pybullet",) if sys.version_info < (3, 12) else ()))
#: Fetch does not go as far as the other families: gymnasium-robotics holds it back.
ENDS = {
    "oldest": Ends(ALL_FAMILIES, True, (*COMPILED, *WALKERS, *ARMS)),
    "newest": Ends(ALL_FAMILIES, False, (*COMPILED, *WALKERS, *ARMS)),
    "newest MuJoCo": Ends(("mujoco", "multiagent"), False, WALKERS),
}


def oldest_of(requirement: str) -> str:
    """``name==version``, of the least version that a requirement allows."""
    name, least = re.fullmatch(r"([\w-]+)>=([\d.]+)(?:,<[\d.]+)?", requirement).groups()
    return f"{name}=={least}"


def test_every_deciding_package_has_an_oldest_version():
    pinned = {pin.partition("==")[0] for pin in ENDS["oldest"].pins}
    assert pinned == set(DECIDING) - (set() if "pybullet" in ALL_FAMILIES else {"pybullet"})
    assert set(ENDS["newest MuJoCo"].extras) < set(SETUP["options.extras_require"])


def test_the_installations_page_names_the_oldest_versions():
    written = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", (CHECKOUT / "docs/install.md").read_text(), re.MULTILINE))
    for pin in ENDS["oldest"].pins:
        name, least = pin.split("==")
        assert written[name].startswith(least), f"docs/install.md has {name} {written[name]}, setup.cfg {least}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDS)
def test_environments_play_the_same_at_both_ends(name, wheel, tmp_path):
    ends, environment = ENDS[name], tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    wanted = f"{wheel}[{','.join((*ends.extras, 'solvers'))}]"
    run(*pip, "install", "--quiet", "--no-compile", wanted, *ends.pins, *TESTED_WITH, cwd=tmp_path)
    listed = dict(line.split("==") for line in run(*pip, "freeze", cwd=tmp_path).split() if line.count("==") == 1)
    print(f"{name}:", ", ".join(f"{package} {listed[package]}" for package in DECIDING if package in listed))
    found = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", ROBOTICS_WARNING, *ends.tests],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "NUMBA_CACHE_DIR": str(tmp_path / "compiled")},
        capture_output=True,
        text=True,
    )
    print(found.stdout[-300:])
    assert found.returncode == 0, found.stdout[-5000:]
