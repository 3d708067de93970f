import copy
from functools import partial

import gymnasium
import pytest

from procgen_bench import ENVIRONMENT_IDS
from procgen_bench.envs.ant_maze import simulation
from tests.envs.conformance import planted_faults
from tests.envs.golden.traces import FOLDER, check_golden_traces
from tests.installed import INSTALLED_IDS


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_behaviour_of_a_released_id_is_unchanged(environment_id):
    check_golden_traces(environment_id, partial(gymnasium.make, environment_id))


def test_every_file_belongs_to_an_id():
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(ENVIRONMENT_IDS)


@pytest.mark.parametrize("fault", [planted_faults.EndsEarly, planted_faults.Jitter])
def test_changed_behaviour_asks_for_a_new_version(fault):
    with pytest.raises(AssertionError, match="raise the version in its id"):
        check_golden_traces("GridWorld-v0", fault)


def test_another_gravity_asks_for_a_new_version(monkeypatch):
    """Physics is compared with a tolerance, which a thousandth of gravity exceeds."""
    heavier = copy.copy(simulation.maze_model())
    heavier.opt.gravity[2] *= 1.001
    monkeypatch.setattr(simulation, "maze_model", lambda: heavier)
    with pytest.raises(AssertionError, match="raise the version in its id"):
        check_golden_traces("SparseAntMaze-v0", partial(gymnasium.make, "SparseAntMaze-v0"))
