import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import procgen_bench
from procgen_bench.core import provenance
from procgen_bench.core.provenance import hardware, package_versions
from procgen_bench.core.registrations import REGISTRATIONS, register_all
from procgen_bench.tasks import bit_grid, compositional_minigrid, grid_world, ued_maze, voxel_build
from tests.installed import INSTALLED_IDS

LIST_MODULES = """
import json, sys
import procgen_bench
print(json.dumps(sorted(sys.modules)))
"""


def test_import_loads_no_room_and_nothing_heavy(tmp_path):
    process = subprocess.run(
        [sys.executable, "-c", LIST_MODULES], stdout=subprocess.PIPE, cwd=tmp_path, check=True, text=True
    )
    loaded = json.loads(process.stdout)
    heavy = {"numba", "torch", "pygame", "scipy", "networkx", "stable_baselines3", "typer", "rich", "imageio", "PIL"}
    assert not heavy.intersection(loaded)
    rooms = ("envs", "tasks", "baselines", "leaderboards", "cli")
    assert not [name for name in loaded if name.startswith(tuple(f"procgen_bench.{room}" for room in rooms))]


def test_every_id_is_registered_with_its_limit():
    assert [registration.id for registration in REGISTRATIONS] == list(procgen_bench.ENVIRONMENT_IDS)
    assert len(set(procgen_bench.ENVIRONMENT_IDS)) == len(REGISTRATIONS)
    for registration in REGISTRATIONS:
        spec = gymnasium.spec(registration.id)
        assert spec.max_episode_steps == registration.max_episode_steps
        assert spec.entry_point == registration.entry_point
        assert spec.vector_entry_point == registration.vector_entry_point


@pytest.mark.parametrize(
    ("environment_id", "family"),
    [
        ("GridWorld-v0", grid_world),
        ("BitGrid-v0", bit_grid),
        ("VoxelBuild-v0", voxel_build),
        ("VoxelBuildSmall-v0", voxel_build),
        ("CompositionalMiniGrid-v0", compositional_minigrid),
        ("CompositionalMiniGridSparse-v0", compositional_minigrid),
        ("UEDMaze-v0", ued_maze),
    ],
)
def test_horizon_is_the_registered_limit(environment_id, family):
    # The ground floor may not import the tasks' HORIZON, so the number stands in two places.
    assert gymnasium.spec(environment_id).max_episode_steps == family.HORIZON


def test_the_large_grid_world_has_a_horizon_of_its_own():
    assert gymnasium.spec("GridWorldLarge-v0").max_episode_steps == grid_world.LARGE_HORIZON == 200


def test_registering_again_has_no_effect(recwarn):
    before = dict(gymnasium.registry)
    register_all()
    gymnasium.register_envs(procgen_bench)
    assert dict(gymnasium.registry) == before
    assert not recwarn


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_environment_has_its_page(environment_id):
    page = gymnasium.make(environment_id).unwrapped.__doc__
    for heading in (
        "Description",
        "Action Space",
        "Observation Space",
        "Starting State",
        "Rewards",
        "Episode End",
        "Information",
        "Arguments",
        "Version History",
    ):
        assert f"## {heading}\n" in page, f"{environment_id}'s docstring lacks the section {heading}"


PROCESSOR = """processor\t: 0
model name\t: Some Processor 9
flags\t\t: fpu sse2 avx avx2 {flags}

processor\t: 1
model name\t: Another
flags\t\t: fpu fma avx512f
"""


@pytest.fixture
def described(monkeypatch, tmp_path):
    def as_(text: str) -> None:
        (tmp_path / "cpuinfo").write_text(text)
        monkeypatch.setattr(provenance, "_PROCESSOR_FILE", tmp_path / "cpuinfo")
        monkeypatch.setattr(os, "cpu_count", lambda: 2)

    return as_


def test_hardware_names_the_features_that_decide_last_bits(described):
    described(PROCESSOR.format(flags="fma3 avx512fp16"))
    assert hardware() == "Some Processor 9, 2 cores, avx2"
    described(PROCESSOR.format(flags="avx512f fma"))
    assert hardware() == "Some Processor 9, 2 cores, fma avx2 avx512f"


def test_hardware_of_a_processor_that_tells_less(described):
    described("processor : 0\nBogoMIPS : 50.00\n")
    assert hardware() == f"{platform.processor() or platform.machine()}, 2 cores"


def test_versions_name_the_c_library_that_runs(monkeypatch):
    monkeypatch.setattr(os, "confstr", lambda name: {"CS_GNU_LIBC_VERSION": "glibc 9.87"}[name])
    assert package_versions()["libc"] == "glibc 9.87"


def test_versions_of_another_c_library(monkeypatch):
    def unknown(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "confstr", unknown)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("musl", "1.2.4"))
    assert package_versions()["libc"] == "musl 1.2.4"
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert "libc" not in package_versions()


def test_commit_is_that_of_the_checkout_and_none_outside_of_one(tmp_path, monkeypatch):
    checkout = Path(provenance.__file__).resolve().parents[2]
    if (checkout / ".git").exists():
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True)
        assert provenance.commit().removesuffix("+changes") == head.stdout.strip()
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "site-packages" / "package" / "core" / "module.py"))
    assert provenance.commit() is None
