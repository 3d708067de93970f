import json
import subprocess
import sys

import gymnasium
import pytest

import procgen_bench
from procgen_bench.core.registrations import REGISTRATIONS, register_all
from procgen_bench.tasks import bit_grid, compositional_minigrid, grid_world, voxel_build
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
    ],
)
def test_horizon_is_the_registered_limit(environment_id, family):
    # The ground floor may not import the tasks' HORIZON, so the number stands in two places.
    assert gymnasium.spec(environment_id).max_episode_steps == family.HORIZON


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
