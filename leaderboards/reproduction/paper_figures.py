"""What a paper's figure is made of: panels of curves, each curve a method with its settings on a benchmark."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

#: A method's options by field name.
Options = Mapping[str, float | int | bool | str]


@dataclass(frozen=True)
class Curve:
    """One method's line.

    Attributes:
        label: What the legend calls it; unique within the panel.
        method: Name of the method.
        options: The method's options that differ from its defaults, by field name.
        optional: Whether it is run only where it is asked for by its label; what was run is drawn in any case.
    """

    label: str
    method: str
    options: Options = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves on one benchmark.

    Attributes:
        name: Short name, unique within the figure.
        benchmark: Id of the benchmark that is trained for and evaluated on.
        curves: The lines.
        steps: Environment steps of every run.
        seeds: Number of runs per curve; their seeds are 0, 1, ...
        claim: What the paper's figure shows, in a sentence.
        published: The paper's shares of success by what they are of, which are drawn as lines.
        measures: Columns that are drawn; none: the figure's.
        within: Folder in the run's whose curve is drawn, that of a model that the run has made; empty: the run's own.
        against: What its steps are.
        optional: Whether it is run only where it is asked for by its name; what was run is drawn in any case.
    """

    name: str
    benchmark: str
    curves: tuple[Curve, ...]
    steps: int
    seeds: int
    claim: str
    published: Mapping[str, float] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    within: str = ""
    against: str = "environment steps"
    optional: bool = False


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper.

    Attributes:
        number: Its number in the paper.
        title: What it compares.
        panels: Its panels.
        measures: Columns of the training curves that are drawn, a row of panels each.
        columns: Panels beside each other.
        shows: What is drawn: the training curves, what the teachers proposed, or which primitives of sites that has.
        beside: Columns of the training curves that a second picture shows: ``NAME-curves.png``; panels in which no run
            has any are not in it.
        side: Inches of a level's picture.
        table: Whether its number is that of a table of the paper's, which is made of the runs by itself.
    """

    number: int
    title: str
    panels: tuple[Panel, ...]
    measures: tuple[str, ...] = ("success",)
    columns: int = 3
    shows: Literal["curves", "levels", "primitives"] = "curves"
    beside: tuple[str, ...] = ()
    side: float = 1.15
    table: bool = False

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"table-{self.number}-runs" if self.table else f"figure-{self.number}"

    @property
    def heading(self) -> str:
        """Its number and title."""
        return f"{'Table' if self.table else 'Figure'} {self.number}. {self.title}"

    @property
    def labels(self) -> list[str]:
        """What its curves are called, each once: a label's place is its colour in every panel."""
        return list(dict.fromkeys(curve.label for panel in self.panels for curve in panel.curves))

    def begun_from(self, policy: str) -> Self:
        """The figure whose runs that begin from a policy begin from this one, a folder or ``trained``."""
        panels = [
            replace(panel, curves=tuple(_begun_from(curve, policy) for curve in panel.curves)) for panel in self.panels
        ]
        return replace(self, panels=tuple(panels))


def _begun_from(curve: Curve, policy: str) -> Curve:
    begins = "begin_from" in curve.options
    return replace(curve, options={**curve.options, "begin_from": policy}) if begins else curve
