"""What ``board audit``, and ``verify`` of a board's row, do and print."""

from pathlib import Path

import typer

from procgen_bench.engine.parallel import Workers


def audit_row(row: str, board: Path, workers: Workers) -> None:
    """Play a row's policies again by public values alone, and print what comes out."""
    from procgen_bench.leaderboards.board.auditing import audit, find_entry

    entry = find_entry(row, board)
    found = audit(entry, workers)
    typer.echo(
        f"{entry.metadata.benchmark}/{entry.name}: suite {found.suite:.6g}, fresh {found.fresh:.6g}, as {found.holder} "
        f"recorded on {entry.record.verified_on}"
    )
