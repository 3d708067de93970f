"""What is known of benchmarks before anybody learns, as rows of tables: floors, the explorer, sets of tasks."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.leaderboards.tracks.explorer import MOST_STEPS, explores
from procgen_bench.leaderboards.tracks.floors import NUM_SEQUENCES
from procgen_bench.leaderboards.tracks.measured import EXPLORER_FILE, FLOORS_FILE, TASK_SETS_FILE, read_measured

#: Share of the best possible score above which a floor is marked: a learner's score says little there.
MARKED = 0.2
#: Headings of the floors, by their names.
FLOORS = {
    "noop": "Doing nothing",
    "constant": "Best constant action",
    "in_turn": "Each action in turn",
    "open_loop": f"Best of {NUM_SEQUENCES} open loops",
    "random": "Random",
}
#: Share of the scored tasks above which it is marked that training meets them up to symmetries, or their first sight.
LEAKING = 0.01
SETS_HEAD = (
    "Id",
    "Tasks of the space",
    "Told apart by",
    "Episodes of a budget, at least",
    "Different among training draws",
    "Scored met by these",
    "Fresh met by these",
    "Scored met up to symmetries",
    "Scored whose first observation is met",
)
EXPLORER_HEAD = ("Id", "Steps of the tabular explorer to the first solution", "Score of its way", "States it has seen")
_UNKNOWN = "not measured"
#: Benchmarks that are not measured, each with its reason, which pages state; one that is measured is taken off.
NOT_MEASURED = dict.fromkeys(
    ("xland/test", "xland/mini", "xland/hand-authored"),
    "the 33 passes over its episodes of 900 steps take many minutes of a processor",
)
Rows = list[tuple[str, ...]]


def floor_cells(benchmark: Benchmark) -> tuple[str, ...]:
    """A benchmark's floors under :data:`FLOORS`; those above :data:`MARKED` of the best possible score are bold."""
    found = known_floors(benchmark)
    return tuple(floor_cell(found[name], benchmark.maximum) if name in found else _UNKNOWN for name in FLOORS)


def explorer_rows(benchmarks: Iterable[Benchmark]) -> Rows:
    """What the tabular explorer needs, under :data:`EXPLORER_HEAD`: a row for each of these that it is a floor of."""
    measured = read_measured(EXPLORER_FILE)
    return [_explorer_row(one.id, measured.get(one.id)) for one in benchmarks if explores(one)]


def _explorer_row(benchmark_id: str, found: dict[str, Any] | None) -> tuple[str, ...]:
    if found is None:
        return f"`{benchmark_id}`", *[_UNKNOWN] * 3
    if found["first"] is None:
        return f"`{benchmark_id}`", f"more than {MOST_STEPS:,}", "", f"{found['states']:,}"
    return (
        f"`{benchmark_id}`",
        f"{found['first']:,} to {found['last']:,}",
        f"{found['score']:g}",
        f"{found['states']:,}",
    )


def why_not_measured(benchmarks: Iterable[Benchmark]) -> str:
    """Which of these benchmarks are not measured, and why, in a sentence each; empty: all are."""
    return " ".join(
        f"Not measured is `{one.id}`: {NOT_MEASURED[one.id]}." for one in benchmarks if one.id in NOT_MEASURED
    )


def tasks_played(benchmark: Benchmark) -> str:
    """On how many of the scored tasks the floors were measured."""
    found = read_measured(FLOORS_FILE).get(benchmark.id)
    return _UNKNOWN if found is None else f"{found['tasks']:,}"


def floor_cell(score: float, maximum: float) -> str:
    """A score, bold where it is above :data:`MARKED` of the best possible one."""
    return f"**{score:.3g}**" if score > MARKED * maximum else f"{score:.3g}"


def known_floors(benchmark: Benchmark, rows: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
    """A benchmark's floors under those names of :data:`FLOORS` of which something is known.

    Args:
        benchmark: The benchmark.
        rows: What rows of floors score, by their names: on the whole suite, where physics is measured on some tasks.
    """
    found = read_measured(FLOORS_FILE).get(benchmark.id, {}) | dict(rows)
    return {name: found[name] for name in FLOORS if name in found}


def scale_start(benchmark: Benchmark, floors: Mapping[str, float]) -> float:
    """The score that normalised scores count from: the best of the floors.

    Where none is known, or the best one is the best possible score, that is the worst possible score.
    """
    best = max(floors.values(), default=benchmark.minimum)
    return best if best < benchmark.maximum else benchmark.minimum


def gain(benchmark: Benchmark, floors: Mapping[str, float], score: float) -> float:
    """A score from :func:`scale_start` (0) to the best possible score (100).

    Below 0 are players that are worse than the best one that sees nothing.
    """
    start = scale_start(benchmark, floors)
    return 100 * (score - start) / (benchmark.maximum - start)


def set_rows(benchmarks: Iterable[Benchmark]) -> Rows:
    """Under :data:`SETS_HEAD`: how the tasks of benchmarks with fresh tasks are shared out."""
    measured = read_measured(TASK_SETS_FILE)
    return [_set_row(one, measured.get(one.id)) for one in benchmarks if one.fresh == "tasks"]


def _set_row(benchmark: Benchmark, found: dict[str, Any] | None) -> tuple[str, ...]:
    space = environment_type(benchmark.environment_id).task_space
    count = space.task_count
    tasks = _UNKNOWN if count is None else count.of_tasks()
    if count is not None and count.marks != count.tasks:
        tasks += f"; {count.of_marks()} kinds"
    episodes = f"{benchmark.interaction_budget // benchmark.max_episode_steps:,}"
    met: tuple[str, ...] = (_UNKNOWN,) * 5
    if found is not None:
        kinds = found["plain"], found["curriculum"]
        met = (
            " and ".join(f"{one['different']:,} of {one['draws']:,}" for one in kinds),
            *(" and ".join(_met_cell(one, kind, found[kind]) for one in kinds) for kind in ("scored", "fresh")),
            *(
                " and ".join(_share_cell(one[f"scored_{how}"] / found["scored"]) for one in kinds)
                for how in ("alike", "at_first")
            ),
        )
    return f"`{benchmark.id}`", tasks, space.told_apart_by, episodes, *met


def _met_cell(met: dict[str, int], kind: str, count: int) -> str:
    """How many of so many tasks are met, bold where some are; and how many of these wholly, where that says more."""
    some, wholly = met[kind], met[f"{kind}_whole"]
    if not some:
        return f"0 of {count:,}"
    return f"**{some:,} of {count:,}**" + (f" in part, {wholly:,} wholly" if wholly < some else "")


def _share_cell(share: float) -> str:
    """A share in per cent, bold where it is above :data:`LEAKING`."""
    text = f"{100 * share:.3g} %"
    return f"**{text}**" if share > LEAKING else text
