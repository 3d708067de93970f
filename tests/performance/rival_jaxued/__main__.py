"""Our training loop beside JaxUED's, on the same maze with networks and settings alike, in processor seconds.

    .venv/bin/python -m tests.performance.rival_jaxued --checkout JAXUED --out FOLDER

``JAXUED`` is a checkout of its repository, whose ``examples`` hold its learners; they run in the environment that
``make .venv-jaxued/installed`` makes. Both sides have one thread and train by turns, a few updates each, so that what
else the machine does meets both. What ``FOLDER`` holds is not measured again. docs/comparison.md tells what came of it.
"""

import argparse
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from tests.performance.rival_jaxued.report import TEACHERS, draw, table

#: Levels that PLR and ACCEL keep. Papers keep 4,000, which takes half a million steps to fill; speeds hardly differ.
KEPT_LEVELS = 256
#: Of ``recurrent-ppo``; others have their defaults. They are those of JaxUED's examples, and so is the network.
OURS = {
    "num_envs": 32,
    "rollout_steps": 256,
    "epochs": 5,
    "minibatches": 1,
    "learning_rate": 1e-4,
    "discount": 0.995,
    "gae_lambda": 0.98,
    "entropy_weight": 1e-3,
    "network": "view",
    "layers": 0,
    "memory": 256,
    "memory_kind": "lstm",
    "head_width": 32,
    "solvable": False,
}
TEACHER_OPTIONS = f"score=max_monte_carlo,buffer_size={KEPT_LEVELS},replay_probability=0.8"
#: Of JaxUED's examples; others have their defaults.
THEIRS = {"n_walls": 60}
THEIR_REPLAY = {"level_buffer_capacity": KEPT_LEVELS, "replay_prob": 0.8, "score_function": "MaxMC"}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


class Side:
    """A process that trains for a turn at every line it reads, and answers with the time spent."""

    def __init__(self, program: list[str], order: dict[str, Any], log: Path):
        self._log = log.open("w")
        self._process = subprocess.Popen(
            [*program, json.dumps(order)],
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()  # ends its standard input, and so its loop
        self._log.close()

    def train(self) -> dict[str, Any]:
        """One turn; returns what all turns so far took, see :func:`.report.costs`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        sys.exit(f"a side ended before its time; {self._log.name} tells why")


def measure(teacher: str, arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """What each side says at the beginning and at the end of its turns under a teacher, by the side's name."""
    order = {"teacher": teacher, "seed": arguments.seed, "updates": arguments.updates}
    replays = teacher != "uniform"
    ours = order | {"settings": OURS, "teacher_options": TEACHER_OPTIONS if replays else ""}
    theirs = order | {"settings": THEIRS | (THEIR_REPLAY if replays else {}), "checkout": str(arguments.checkout)}
    programs = {
        "ours": ([sys.executable, "-m", "tests.performance.rival_jaxued.ours"], ours),
        "theirs": ([str(arguments.python), str(Path(__file__).with_name("theirs.py"))], theirs),
    }
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(Side(*program, arguments.out / f"{teacher}-{name}.log"))
            for name, program in programs.items()
        }
        begun = {}
        for name, side in sides.items():
            begun[name] = side.train()
            while not begun[name]["ready"]:
                begun[name] = side.train()
        for _ in range(arguments.turns):
            ended = {name: side.train() for name, side in sides.items()}
    return {name: [begun[name], ended[name]] for name in sides}


def main() -> None:
    """Measure what is missing, then print the table and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, default=Path(".venv-jaxued/bin/python"), help="the other side's Python")
    parser.add_argument("--checkout", type=Path, required=True, help="of JaxUED's repository")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--turns", type=int, default=8, help="of each side under each teacher")
    parser.add_argument("--updates", type=int, default=4, help="of a turn")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    measured = {}
    for teacher in TEACHERS:
        path = arguments.out / f"{teacher}.json"
        if not path.exists():
            path.write_text(json.dumps(measure(teacher, arguments)))
        measured[teacher] = json.loads(path.read_text())
    print(table(measured))
    draw(measured, arguments.out / "comparison.png")


if __name__ == "__main__":
    main()
