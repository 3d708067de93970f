"""``probe``: the sites, and the values, that an agent fails."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from procgen_bench.cli.playing_agents import AgentOption, AtOnceOption, ModelOption, agent_name, check_agent, playing
from procgen_bench.core.command_line import complete_benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.papers.code.probe import ProbeReport
    from procgen_bench.core.benchmark import Benchmark
    from procgen_bench.core.task_space import TaskSpace

#: What is written into the folder.
_SUITE, _PAGE = "faults.json", "faults.html"


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(probe)


def probe(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK", help="`gminiwob`, or one of its benchmarks.", autocompletion=complete_benchmark
        ),
    ],
    policy: AgentOption,
    model: ModelOption = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help=f"Where {_SUITE} and {_PAGE} go.")] = Path(
        "probe"
    ),
    steps: Annotated[int, typer.Option(min=1, help="Steps of the agent after which no further site is designed.")] = (
        20_000
    ),
    most: Annotated[int, typer.Option(min=1, help="Faults after which the search ends.")] = 20,
    tries: Annotated[
        int,
        typer.Option(
            min=1, help="Episodes of a site, most of which must fail, for agents that do not always act alike."
        ),
    ] = 1,
    values: Annotated[int, typer.Option(min=1, help="Values of each field that are tried at most.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is drawn.")] = 0,
    at_once: AtOnceOption = 8,
) -> None:
    """Find the sites and values that an agent fails, the smallest first (extra `baselines`).

    The agent does not learn. Each field is tried with its values; then CoDE's generator designs sites, and is paid for
    the regret of the agent to the scripted solver. A site that is failed is made as small as it can be while it still
    is, and the values of its fields are tried; what is failed for a known fault pays nothing any more.

    `faults.json` holds the sites, for `gymnasium.make(..., tasks="faults.json")`, `serve --tasks` and `play --task`;
    `faults.html` shows them.

    **Examples**

    ```
    procgen-bench probe gminiwob --policy runs/pair-ppo/policy
    procgen-bench probe gminiwob --policy my_agents:Agent --steps 100000 -o faults
    procgen-bench probe gminiwob --policy http://127.0.0.1:8000/v1 --model tiny --steps 500 --values 4
    ```
    """
    import time

    from procgen_bench.baselines.papers.code.probe import Probe, ProbeSettings
    from procgen_bench.baselines.training.level_source import LevelSource
    from procgen_bench.core.paths import check_file, check_folder
    from procgen_bench.core.progress import Progress

    chosen = _benchmark(benchmark)
    check_agent(policy, model)
    check_folder(out)
    for name in (_SUITE, _PAGE) if out.exists() else ():
        check_file(out / name)
    settings = ProbeSettings(steps, most, tries, values)
    levels, started = LevelSource(chosen, solvable=True), time.perf_counter()
    with (
        playing(policy, model, chosen.environment_id, at_once) as play,
        Progress(total=steps, desc="probing", unit="step", delay=2, leave=False) as bar,
    ):

        def played(tasks: Sequence[Any], seeds: Sequence[int]) -> Sequence[Any]:
            ended = play(tasks, seeds)
            bar.update(sum(one.length for one in ended))
            return ended

        search = Probe(played, levels, settings, seed, lambda fault: bar.write(f"found: {fault}"))
        about = levels.task_space, agent_name(policy, model), chosen.id, started, out
        try:
            report = search.run()
        except BaseException:
            if search.report().faults:  # what was found until then is kept
                _write(search.report(), *about)
            raise
    _write(report, *about)


def _benchmark(name: str) -> "Benchmark":
    """A benchmark by its id, or a family's first."""
    from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark

    family = [id_ for id_ in BENCHMARKS if id_.partition("/")[0] == name]
    return get_benchmark(family[0] if family else name)


def _write(report: "ProbeReport", space: "TaskSpace", agent: str, benchmark_id: str, started: float, out: Path) -> None:
    """The page, and the sites of the faults; an earlier search's sites go where there are none."""
    import time

    from procgen_bench.core.task_files import write_tasks

    seconds = time.perf_counter() - started
    out.mkdir(parents=True, exist_ok=True)
    (out / _SUITE).unlink(missing_ok=True)
    if report.faults:
        tasks = [task for fault in report.faults for task in fault.tasks()]
        write_tasks(space, tasks, out / _SUITE)
        typer.echo(f"wrote {out / _SUITE}: {len(tasks)} sites")
    _write_page(report, agent, benchmark_id, seconds, out)
    typer.echo(
        f"{len(report.faults)} faults in {report.num_steps:,} steps, {report.num_episodes:,} episodes and "
        f"{seconds:,.0f} seconds; of the generator's {report.num_designed:,} sites {report.num_failed:,} were failed"
    )


def _write_page(report: "ProbeReport", agent: str, benchmark_id: str, seconds: float, out: Path) -> None:
    from procgen_bench.apps.fault_page import fault_page
    from procgen_bench.core.atomic import write_text

    write_text(out / _PAGE, fault_page(report, agent, benchmark_id, seconds, _SUITE))
    typer.echo(f"wrote {out / _PAGE}")
