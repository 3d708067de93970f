"""``score``: the record of a submission, or of a board's row."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.chosen_board import BoardOption, board_of
from procgen_bench.cli.parallel import RayOption, WorkersOption, workers_of

if TYPE_CHECKING:
    from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits

MaxSecondsOption = Annotated[
    float | None,
    typer.Option(min=1, help="Seconds of the processor that a policy may take for its play; by default 3,600."),
]


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(score)


def limits_of(max_seconds: float | None) -> "Limits":
    """What policies may take."""
    from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits

    return Limits() if max_seconds is None else Limits(total_seconds=max_seconds)


def score(
    row: Annotated[
        str, typer.Argument(metavar="ROW", help="BENCHMARK/ENTRY, an entry's folder, or a submission's folder.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the record; by default to the output.")
    ] = None,
    board: BoardOption = None,
    workers: WorkersOption = None,
    ray: RayOption = None,
    max_seconds: MaxSecondsOption = None,
) -> None:
    """Score a row: what its policies do under the board's newest epoch, as a record without anything derived.

    The same policies, benchmark and salt give the same record. Exit code 3: this machine is too slow.

    **Examples**

    ```
    procgen-bench score bit-grid/test/dqn-her -o record.json
    procgen-bench score submissions/dqn --board my-board -o record.json
    ```
    """
    from procgen_bench.core.atomic import write_bytes
    from procgen_bench.leaderboards.board.board import find_row, is_entry, stored_submission
    from procgen_bench.leaderboards.errors import NoSuchRowError
    from procgen_bench.leaderboards.scoring.epoch import read_epochs
    from procgen_bench.leaderboards.scoring.rows import score_submission
    from procgen_bench.leaderboards.submission.folder import read_submission

    folder = board_of(row, board)
    epochs = read_epochs(folder)
    if not epochs:
        raise NoSuchRowError(f"{folder} has no epoch, so nothing to score by; `procgen-bench board epoch` begins one")
    if Path(row).is_dir() and not is_entry(Path(row)):
        submission = read_submission(row)
    else:
        submission = stored_submission(find_row(row, folder)[0])
    limits, parallel = limits_of(max_seconds), workers_of(workers, ray)
    content = score_submission(submission, epochs[-1], limits, parallel, show_progress=True).to_json()
    if out is None:
        typer.echo(content, nl=False)
    else:
        write_bytes(out, content)
        typer.echo(f"wrote {out}")
