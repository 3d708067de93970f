"""Golden traces: hashes of trajectories that a released environment id must keep giving.

``python -m tests.envs.golden.traces ID...`` writes the files of these ids. Do so for a new id only: a change of an
id's behaviour is a new version of the id.

MuJoCo repeats bit for bit on one kind of machine only. Physics is therefore held by what is observed after its first
ten steps, to a ten-thousandth: far beyond another processor's rounding, far below another model's or rule's.
"""

import json
import sys
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np

from procgen_bench.core.atomic import write_text
from tests.envs.conformance.single_checks import Factory, tasks_to_try
from tests.envs.conformance.trajectory import digest, play

FOLDER = Path(__file__).parent
SEEDS, STEPS = range(5), 200
PHYSICS_STEPS, TOLERANCE = 10, 1e-4
#: Environments under physics: the options under which they are observed, and the seeds.
PHYSICS = {
    "FetchBlocks-v0": ({}, SEEDS[:3]),
    "FetchProgram-v0": ({}, SEEDS[:3]),
    "SparseAntMaze-v0": ({}, SEEDS),
    "TablePush-v0": ({}, SEEDS),
    "XLand-v0": ({"observation": "state", "privileged": True}, SEEDS[:2]),
    "XLandSmall-v0": ({"privileged": True}, SEEDS[:2]),
}

Trace = str | list[int | float]


def traces(environment_id: str, factory: Factory) -> dict[str, Trace]:
    """By seed and task: the digest of a trajectory of random actions, or the state of the physics soon after reset."""
    options, seeds = PHYSICS.get(environment_id, ({}, SEEDS))
    env, trace = factory(**options), _observed if environment_id in PHYSICS else _digest
    return {
        f"seed {seed}, task {name}": trace(env, seed, task)
        for name, task in tasks_to_try(env).items()
        for seed in seeds
    }


def _digest(env: gymnasium.Env, seed: int, task: object) -> str:
    moments = play(env, seed, STEPS, task)
    for moment in moments:  # it says again what others of the info's entries say, and came after the traces
        del moment.info["is_success"]
    return digest(moments)


def _observed(env: gymnasium.Env, seed: int, task: object) -> list[float]:
    observation = play(env, seed, PHYSICS_STEPS, task)[-1].observation
    values = [round(float(value), 6) for name in sorted(observation) for value in np.ravel(observation[name])]
    return [int(value) if value.is_integer() else value for value in values]


def _agree(found: Trace | None, golden: Trace | None) -> bool:
    if isinstance(found, list) and isinstance(golden, list) and len(found) == len(golden):
        return np.allclose(found, golden, rtol=TOLERANCE, atol=TOLERANCE)
    return found == golden


def golden_path(environment_id: str) -> Path:
    """The file that holds an id's golden traces."""
    return FOLDER / f"{environment_id}.json"


def check_golden_traces(environment_id: str, factory: Factory) -> None:
    """The environment still gives the trajectories that it gave when its id was released."""
    golden = json.loads(golden_path(environment_id).read_text())
    found = traces(environment_id, factory)
    changed = [name for name in sorted(golden | found) if not _agree(found.get(name), golden.get(name))]
    assert not changed, (
        f"{environment_id} behaves differently ({len(changed)} of {len(golden)} golden traces, first: {changed[0]}); "
        "raise the version in its id, or undo the change of behaviour"
    )


if __name__ == "__main__":
    for requested in sys.argv[1:]:
        found = traces(requested, partial(gymnasium.make, requested))
        lines = (f"  {json.dumps(name)}: {json.dumps(trace, separators=(',', ':'))}" for name, trace in found.items())
        write_text(golden_path(requested), "{\n" + ",\n".join(lines) + "\n}\n")
        print(golden_path(requested))
