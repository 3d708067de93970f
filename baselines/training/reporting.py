"""Where a run's learning curve goes besides its ``curve.csv``: TensorBoard, and Weights & Biases by ``--wandb``."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

from procgen_bench.core.atomic import naming_path, write_text
from procgen_bench.core.extras import import_extra


class Reporter(Protocol):
    """Is given every new row of a curve."""

    def tell(self, folder: Path, settings: dict[str, Any], row: dict[str, float]) -> None:
        """An evaluation after ``row["step"]`` environment steps of the run of these settings in this folder."""

    def close(self, failed: bool) -> None:
        """Nothing more comes; ``failed``: because of an error, Ctrl-C among them."""


_REPORTERS: ContextVar[tuple[Reporter, ...]] = ContextVar("reporters", default=())


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """The curves of runs that are trained inside are sent to ``reporter``, too, which is closed at the end."""
    token, failed = _REPORTERS.set((*_REPORTERS.get(), reporter)), True
    try:
        yield
        failed = False
    finally:
        _REPORTERS.reset(token)
        reporter.close(failed)


def report(folder: Path, settings: dict[str, Any], row: dict[str, float]) -> None:
    """Send a new row of a run's curve to every reporter."""
    for reporter in _REPORTERS.get():
        reporter.tell(folder, settings, row)


class TensorBoard:
    """Scalars ``training/NAME`` by environment steps.

    Args:
        folder: Where TensorBoard's files lie.
    """

    def __init__(self, folder: Path):
        from torch.utils.tensorboard import SummaryWriter

        self._folder = folder
        with naming_path(folder):
            self._writer = SummaryWriter(str(folder))

    def tell(self, folder: Path, settings: dict[str, Any], row: dict[str, float]) -> None:
        """One scalar for each column."""
        with naming_path(self._folder):
            for name, value in row.items():
                self._writer.add_scalar(f"training/{name}", value, int(row["step"]))

    def close(self, failed: bool) -> None:
        """Write what is left."""
        with naming_path(self._folder):
            self._writer.close()


class WeightsAndBiases:
    """A project of Weights & Biases (extra ``wandb``), where every run has its settings and its curve.

    A run that is resumed goes on in the project, too: its id there is kept in the run's folder, ``wandb/id``.

    Args:
        project: Its name.

    Raises:
        MissingExtraError: The package is not installed.
    """

    def __init__(self, project: str):
        self._wandb, self._project = import_extra("wandb"), project
        self._begun: dict[Path, Any] = {}

    def tell(self, folder: Path, settings: dict[str, Any], row: dict[str, float]) -> None:
        """One row of the run's history, at its number of environment steps."""
        if folder not in self._begun:
            self._begun[folder] = self._begin(folder, settings)
        self._begun[folder].log(row, step=int(row["step"]))

    def close(self, failed: bool) -> None:
        """End what was begun, as failed or as finished."""
        for begun in self._begun.values():
            begun.finish(exit_code=int(failed))

    def _begin(self, folder: Path, settings: dict[str, Any]) -> Any:
        kept = folder / "wandb" / "id"
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            write_text(kept, secrets.token_hex(4))
        return self._wandb.init(
            project=self._project,
            name=f"{settings['method']} {settings['benchmark']} seed {settings['seed']}",
            id=kept.read_text("utf-8"),
            resume="allow",
            config=settings,
            dir=str(folder),
        )
