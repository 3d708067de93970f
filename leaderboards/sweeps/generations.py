"""The generations of a plan, one after the other: the best of each is the next one's teacher, and plays beside it.

The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), section 5.3. What differs: the best member
is chosen among the runs' last policies, not among all of their checkpoints, and the tasks that evaluate stay the same.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from procgen_bench.core.atomic import write_text
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.plan_file import Plan
from procgen_bench.leaderboards.sweeps.population import train_population
from procgen_bench.leaderboards.sweeps.training import Failure, train_cells

#: The file, in the folder of a plan's runs, of the best member of each generation.
_FILE = "generations.json"


class GenerationFailedError(ProcgenBenchError):
    """Some of a generation's runs failed, so that its best is not known."""

    def __init__(self, number: int, failures: Sequence[Failure]):
        reasons = "; ".join(f"{one.cell.name}: {one.reason} (its output: {one.cell.log})" for one in failures)
        super().__init__(f"generation {number} lacks runs, the same command tries them again: {reasons}")


@dataclass(frozen=True)
class BestMember:
    """The best of a generation.

    Attributes:
        generation: Its number, from 1.
        seed: Of its run.
        policy: Its policy's folder.
        fitness: By name, what it was chosen by.
        others: The same of the other members.
    """

    generation: int
    seed: int
    policy: str
    fitness: dict[str, float]
    others: list[dict[str, float]]


def train_generations(plan: Plan, out: Path, workers: Workers, wandb: str | None = None) -> list[BestMember]:
    """Train every generation; runs that are over are kept, others continue.

    Args:
        plan: The plan.
        out: Folder of all runs, and of ``generations.json``.
        workers: Who trains.
        wandb: A project of Weights & Biases that all curves are sent to.

    Raises:
        GenerationFailedError: A run failed; later generations are not begun.
    """
    out = out.absolute()
    best: list[BestMember] = []
    for number, generation in enumerate(plan.generations):
        cells = plan.cells(number, [Path(one.policy) for one in best], out)
        if plan.evolution is not None:
            train_population(cells, generation.fitness[0], plan.evolution, workers, wandb)
        if failures := train_cells(cells, workers, wandb):
            raise GenerationFailedError(number + 1, failures)
        best.append(best_of(number + 1, cells, generation.fitness))
        write_text(out / _FILE, json.dumps([asdict(one) for one in best], indent=2) + "\n")
    return best


def best_policies(out: Path) -> list[str]:
    """The policies of the best members in the folder of a plan's runs, the earliest first; none where it is no such.

    Raises:
        InvalidOptionError: The file of the best members is damaged.
    """
    path = out / _FILE
    if not path.is_file():
        return []
    try:
        return [BestMember(**one).policy for one in json.loads(path.read_text("utf-8"))]
    except (ValueError, TypeError) as error:
        raise InvalidOptionError(
            f"{path} is damaged ({error}), expected what `procgen-bench generations` writes"
        ) from error


def best_of(number: int, cells: Sequence[Cell], fitness: Sequence[str]) -> BestMember:
    """The member with the greatest fitness at its last evaluation; the first of those that are equal."""
    last = [cell.read_curve()[-1] for cell in cells]
    scores = [{name: row[name] for name in fitness} for row in last]
    place = max(range(len(cells)), key=lambda member: tuple(scores[member].values()))
    others = [score for member, score in enumerate(scores) if member != place]
    cell = cells[place]
    return BestMember(number, cell.seed, str(cell.folder / "policy"), scores[place], others)
