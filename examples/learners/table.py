"""Run every recipe in every environment for some hundred steps, and write what ran as docs/learners.md's table.

python examples/learners/table.py --python .venv-learners/bin/python --rllib .venv-learners-rllib/bin/python \
    --cleanrl ~/cleanrl/cleanrl/ppo.py

A cell is tried with the environment's default observations first, then with ``flat=True``.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from procgen_bench import ENVIRONMENT_IDS

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "learners.md"
STEPS, MOST_SECONDS = 300, 600
#: Of environments whose default observations hold pictures, the options without.
WITHOUT_PICTURES = {"XLand-v0": {"observation": "state"}}
#: Cells run side by side; their threads would wait for each other.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
#: Environments whose spaces are another one's, or of its kinds -> that one, whose row says what runs.
OF_ANOTHER_ROW = {
    "CompositionalMiniGridSparse-v0": "CompositionalMiniGrid-v0",
    "GMiniWoBLiteral-v0": "GMiniWoB-v0",
    "GridWorldLarge-v0": "GridWorld-v0",
    "UEDMaze-v0": "CompositionalMiniGrid-v0",
    "VoxelBuildSmall-v0": "BitGrid-v0",
}
IDS = tuple(name for name in ENVIRONMENT_IDS if name not in OF_ANOTHER_ROW)
PLAYERS_OF_ONE_WORLD = ("XLand-v0", "XLandSmall-v0")


class Library(NamedTuple):
    """A column of the table.

    Attributes:
        heading: What the table calls the library.
        package: The package whose version is shown.
        module: What can be imported where the library is installed.
        recipe: The recipe's file.
    """

    heading: str
    package: str | None
    module: str
    recipe: str


LIBRARIES = (
    Library("stable-baselines3", "stable-baselines3", "stable_baselines3", "stable_baselines3_ppo.py"),
    Library("sb3-contrib", "sb3-contrib", "sb3_contrib", "sb3_contrib_recurrent_ppo.py"),
    Library("TorchRL", "torchrl", "torchrl", "torchrl_ppo.py"),
    # Every Ray has RLlib's code, but only the extra "rllib" brings dm-tree, which it imports.
    Library("RLlib", "ray", "tree", "rllib_ppo.py"),
    Library("skrl", "skrl", "skrl", "skrl_ppo.py"),
    Library("SuperSuit", "supersuit", "supersuit", "supersuit_frames.py"),
    Library("Syllabus", "syllabus-rl", "syllabus", "syllabus_curriculum.py"),
    Library("CleanRL", None, "tyro", "cleanrl_ppo.py"),
)
#: What a refusal says -> the table's phrase for it. Anything else is an error, and ends the table.
REFUSALS = {
    r"only discrete action space is supported": "Discrete actions alone",
    r"flat is True, but \w+ is a picture": "supports a single Box only",
}


class Table:
    """Runs cells.

    Args:
        python: The interpreter that has all libraries but RLlib.
        rllib: The interpreter that has RLlib.
        cleanrl: CleanRL's ppo.py.
    """

    def __init__(self, python: str, rllib: str, cleanrl: str):
        self._python, self._rllib, self._cleanrl = python, rllib, cleanrl

    def interpreter(self, library: Library) -> str:
        """The interpreter that has a library."""
        return self._rllib if library.heading == "RLlib" else self._python

    def cell(self, library: Library, environment_id: str) -> str:
        """What came of a library's recipe in an environment."""
        errors = []
        for result, options in (("ran", {}), ("`flat`", WITHOUT_PICTURES.get(environment_id, {}) | {"flat": True})):
            if library.heading == "SuperSuit" and environment_id in PLAYERS_OF_ONE_WORLD:
                library, options = library._replace(recipe="supersuit_xland.py"), {}
            error = self._error(library, environment_id, options)
            if error is None:
                return result
            errors.append(error)
        for pattern, phrase in REFUSALS.items():
            if re.search(pattern, errors[-1]):
                return f"no: {phrase}"
        return f"FAILED: {errors[0][-600:]} THEN {errors[-1][-600:]}"

    def _error(self, library: Library, environment_id: str, options: dict) -> str | None:
        command = [self.interpreter(library), str(HERE / library.recipe), environment_id, "--steps", str(STEPS)]
        command += ["--options", json.dumps(options)]
        if library.heading == "CleanRL":
            command += ["--file", self._cleanrl]
        with tempfile.TemporaryDirectory() as folder:  # where some keep their logs
            run = {"cwd": folder, "env": os.environ | ONE_THREAD, "timeout": MOST_SECONDS}
            try:
                ran = subprocess.run(command, capture_output=True, text=True, **run)
            except subprocess.TimeoutExpired:
                return f"no end within {MOST_SECONDS} s"
        return None if ran.returncode == 0 and "trained for" in ran.stdout else ran.stdout + ran.stderr

    def version(self, library: Library) -> str:
        """A library's name with its version."""
        if library.package is None:
            return library.heading
        ask = f"import importlib.metadata as m; print(m.version({library.package!r}))"
        answer = subprocess.run([self.interpreter(library), "-c", ask], capture_output=True, text=True, check=True)
        return f"{library.heading} {answer.stdout.strip()}"


def main() -> None:
    """Run all cells, or some of them, and write the page's table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter that has all libraries but RLlib")
    parser.add_argument("--rllib", required=True, help="interpreter that has RLlib")
    parser.add_argument("--cleanrl", required=True, help="path of CleanRL's ppo.py")
    parser.add_argument("--workers", type=int, default=2, help="cells that run at once")
    parser.add_argument("--kept", type=Path, help="a JSON file of cells: those that it has are not run again")
    arguments = parser.parse_args()
    table = Table(arguments.python, arguments.rllib, arguments.cleanrl)
    kept = json.loads(arguments.kept.read_text("utf-8")) if arguments.kept and arguments.kept.exists() else {}
    cells = [(library, name) for name in IDS for library in LIBRARIES]
    missing = [cell for cell in cells if f"{cell[0].heading} {cell[1]}" not in kept]
    with ThreadPoolExecutor(arguments.workers) as pool:
        running = {pool.submit(table.cell, *cell): cell for cell in missing}
        for cell in tqdm(as_completed(running), total=len(running), unit=" cells"):
            library, name = running[cell]
            kept[f"{library.heading} {name}"] = cell.result()
            if arguments.kept:
                arguments.kept.write_text(json.dumps(kept, indent=1), "utf-8")
    failed = {cell: result for cell, result in kept.items() if result.startswith("FAILED")}
    if failed:
        raise SystemExit("\n\n".join(f"{cell}: {result}" for cell, result in failed.items()))
    rows = ["| | " + " | ".join(table.version(library) for library in LIBRARIES) + " |", "| --- " * 9 + "|"]
    for name in IDS:
        rows.append(f"| {name} | " + " | ".join(kept[f"{library.heading} {name}"] for library in LIBRARIES) + " |")
    before, _, after = PAGE.read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, _, after = after.partition("<!-- end of the table -->\n")
    middle = "<!-- table -->\n" + "\n".join(rows) + "\n<!-- end of the table -->\n"
    PAGE.write_text(before + middle + after, encoding="utf-8")


if __name__ == "__main__":
    main()
