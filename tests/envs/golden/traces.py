"""Golden traces: hashes of trajectories that a released environment id must keep giving.

``python -m tests.envs.golden.traces ID...`` writes the files of these ids anew. Do so for a new id only: a change of an
id's behaviour is a new version of the id.
"""

import json
import sys
from pathlib import Path

import gymnasium

from procgen_bench.atomic import write_text
from tests.envs.conformance.single_checks import Factory, tasks_to_try
from tests.envs.conformance.trajectory import digest, play

FOLDER = Path(__file__).parent
SEEDS, STEPS = range(5), 200


def traces(factory: Factory) -> dict[str, str]:
    """By seed and task: the digest of a trajectory of random actions."""
    env = factory()
    return {
        f"seed {seed}, task {name}": digest(play(env, seed, STEPS, task))
        for name, task in tasks_to_try(env).items()
        for seed in SEEDS
    }


def golden_path(environment_id: str) -> Path:
    """The file that holds an id's golden traces."""
    return FOLDER / f"{environment_id}.json"


def check_golden_traces(environment_id: str, factory: Factory) -> None:
    """The environment still gives the trajectories that it gave when its id was released."""
    golden = json.loads(golden_path(environment_id).read_text())
    found = traces(factory)
    changed = [name for name in sorted(golden | found) if found.get(name) != golden.get(name)]
    assert not changed, (
        f"{environment_id} behaves differently ({len(changed)} of {len(golden)} golden traces, first: {changed[0]}); "
        "raise the version in its id, or undo the change of behaviour"
    )


if __name__ == "__main__":
    for requested in sys.argv[1:]:
        content = json.dumps(traces(lambda name=requested: gymnasium.make(name)), indent=2)
        write_text(golden_path(requested), content + "\n")
        print(golden_path(requested))
