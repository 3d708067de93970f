"""Our teachers beside JaxUED's on the same mazes: PLR and ACCEL, each on one thread, in processor seconds.

    python -m tests.performance.rival_jaxued --python VENV/bin/python --checkout JAXUED --out FOLDER

``VENV`` has ``jaxued==0.0.1 distrax optax orbax-checkpoint`` and what they ask for; ``JAXUED`` is a checkout of its
repository, whose ``examples`` hold its learners. Both sides run at the same time, each pinned to a processor of its
own; they change places from pair to pair. Runs that ``FOLDER`` holds are not run again. docs/comparison.md tells what
came of it.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from procgen_bench.tasks.grid_world import GridWorldTask
from procgen_bench.tasks.grid_world.task import SIDE
from tests.performance.rival_jaxued.mazes import BENCHMARK, OPEN
from tests.performance.rival_jaxued.report import draw, table

TEACHERS = ("uniform", "robust-plr", "accel")
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


@dataclass(frozen=True)
class Setting:
    """How both sides are set.

    Attributes:
        ours: Settings of ``recurrent-ppo``; others have their defaults.
        ours_updates: Between evaluations.
        teacher_options: Of our robust PLR, and of our ACCEL.
        theirs: Settings of JaxUED's examples; others have their defaults.
        theirs_updates: Between evaluations.
        replay: Of JaxUED's PLR and ACCEL besides.
        time_limit: Steps of their episodes. Ours have 50 moves; theirs turn, too.
    """

    ours: dict[str, float]
    ours_updates: int
    teacher_options: str
    theirs: dict[str, float]
    theirs_updates: int
    replay: dict[str, float]
    time_limit: int


SETTINGS = {
    "set alike": Setting(
        ours={
            "num_envs": 32,
            "rollout_steps": 256,
            "epochs": 4,
            "minibatches": 4,
            "learning_rate": 1e-3,
            "discount": 0.99,
            "gae_lambda": 0.95,
            "entropy_weight": 0.01,
            "width": 256,
            "layers": 1,
            "memory": 256,
            "solvable": False,
        },
        ours_updates=5,
        teacher_options="score=max_monte_carlo,buffer_size=1000,replay_probability=0.8",
        theirs={
            "num_train_envs": 32,
            "num_steps": 256,
            "epoch_ppo": 4,
            "num_minibatches": 4,
            "lr": 1e-3,
            "gamma": 0.99,
            "gae_lambda": 0.95,
            "entropy_coeff": 0.01,
        },
        theirs_updates=5,
        replay={"score_function": "MaxMC", "level_buffer_capacity": 1000, "replay_prob": 0.8},
        time_limit=100,
    ),
    "defaults": Setting({}, 5, "", {}, 5, {}, 250),
}


def order_of(side: str, setting: Setting, teacher: str, arguments: argparse.Namespace) -> dict:
    """The settings of one run."""
    order = {"teacher": teacher, "seed": arguments.seed, "seconds": arguments.seconds}
    replays = teacher != "uniform"
    if side == "ours":
        options = setting.teacher_options if replays else ""
        return order | {
            "settings": setting.ours,
            "teacher_options": options,
            "updates_between_evaluations": setting.ours_updates,
        }
    return order | {
        "settings": setting.theirs | (setting.replay if replays else {}),
        "updates_between_evaluations": setting.theirs_updates,
        "checkout": str(arguments.checkout.resolve()),
        "side": SIDE,
        "wall_share": 1 - OPEN,
        "time_limit": setting.time_limit,
        "layouts": [layout(maze) for maze in BENCHMARK.task_suite()],
    }


def layout(maze: GridWorldTask) -> str:
    """The maze as JaxUED writes it: the agent in the upper left looks to the right."""
    return ">" + maze.to_text()[1:]


def start(
    side: str, setting: str, teacher: str, processor: int, arguments: argparse.Namespace
) -> subprocess.Popen | None:
    """Start one run on one processor; ``None``: there it is already."""
    path = run_path(side, setting, teacher, arguments.out)
    if path.exists():
        return None
    order = order_of(side, SETTINGS[setting], teacher, arguments) | {"out": str(path.resolve())}
    order_path = path.with_suffix(".order")
    order_path.write_text(json.dumps(order))
    theirs = [str(arguments.python), str(Path(__file__).with_name("theirs.py"))]
    program = theirs if side == "theirs" else [sys.executable, "-m", "tests.performance.rival_jaxued.ours"]
    with path.with_suffix(".log").open("w") as log:
        return subprocess.Popen(
            ["taskset", "-c", str(processor), *program, str(order_path)],
            env=os.environ | ONE_THREAD,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Linux's autogroups give each side a share of its own
        )


def run_path(side: str, setting: str, teacher: str, folder: Path) -> Path:
    """Where a run's stamps are."""
    return folder / f"{setting.replace(' ', '-')}-{teacher}-{side}.json"


def main() -> None:
    """Run all pairs that are missing, then print the table and draw the curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, required=True, help="the other side's Python")
    parser.add_argument("--checkout", type=Path, required=True, help="of JaxUED's repository")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--seconds", type=float, default=75, help="processor seconds of every run")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    pairs = [(setting, teacher) for setting in SETTINGS for teacher in TEACHERS]
    for number, (setting, teacher) in enumerate(pairs):
        processors = sorted(os.sched_getaffinity(0))
        places = (processors[number % len(processors)], processors[(number + 1) % len(processors)])
        sides = zip(("ours", "theirs"), places)
        started = [start(side, setting, teacher, place, arguments) for side, place in sides]
        if any(run.wait() for run in started if run is not None):
            sys.exit(f"a run of {setting}, {teacher} failed; its .log in {arguments.out} tells why")
    runs = {
        (setting, teacher, side): json.loads(run_path(side, setting, teacher, arguments.out).read_text())
        for setting, teacher in pairs
        for side in ("ours", "theirs")
    }
    print(table(runs, arguments.seconds))
    draw(runs, arguments.out / "curves.png")


if __name__ == "__main__":
    main()
