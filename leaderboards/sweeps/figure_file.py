"""The plan of a paper's figure: ``baselines/papers/PAPER/figures/figure-N.toml`` (or ``table-N.toml``).

A figure of training runs has panels of curves:

title = "Mazes: Sibling Rivalry and its rivals"
measures = ["success"]            # and other fields of PaperFigure

[[panels]]
name = "point-maze"               # and other fields of Panel; those of all panels may stand at the top
benchmark = "point-maze/test"
curves = ["PPO + SR", { label = "PPO (naive)", method = "ppo-naive", options = { entropy_weight = 0.0 } }]
options = { precision = "bfloat16" }
steps = 10_000_000
seeds = 5
claim = "SR solves the maze in 5 of 5 runs."

[runs]                            # that curves name; those of several figures are in runs.toml beside them
"PPO + SR" = { method = "sibling-rivalry" }

Folders of runs are named by their options in order: a curve's ``first``, then those at the top of runs.toml, the
panel's, and the curve's ``options``. A figure that is no training runs names its ``measure`` or ``code`` instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from procgen_bench.baselines import papers
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.sweeps.sweep_file import naming, read_toml

#: Folders of papers, where they are not their names.
_FOLDERS = {"xland": "open_ended"}
_RUN_OPTIONS = ("panel", "method", "seeds", "steps", "jobs", "ray", "train")
Options = Mapping[str, Any]


class Samples(NamedTuple):
    """How many things a figure samples: by default, at least, and what they are."""

    default: int
    least: int
    unit: str


@dataclass(frozen=True)
class Curve:
    """One method's line.

    Attributes:
        label: What the legend calls it; unique within the panel.
        method: Name of the method.
        options: The method's options that differ from its defaults, by field name.
        players: Learners that share the run's steps: it has as many times the panel's.
        optional: Whether it is run only where it is asked for by its label; what was run is drawn in any case.
    """

    label: str
    method: str
    options: Options = field(default_factory=dict)
    players: int = 1
    optional: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves on one benchmark.

    Attributes:
        name: Short name, unique within the figure.
        benchmark: Id of the benchmark that is trained for and evaluated on.
        curves: The lines.
        steps: Environment steps of every run, or of each of its players.
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
    measures: Sequence[str] = ()
    within: str = ""
    against: str = "environment steps"
    optional: bool = False


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper, or a table.

    Attributes:
        number: Its number in the paper.
        title: What it compares.
        panels: Its panels; none: it is no training runs.
        kind: Whether it is a figure or a table.
        measures: Columns of the training curves that are drawn, a row of panels each.
        columns: Panels beside each other.
        shows: What is drawn: the training curves, what the teachers proposed, or which primitives of sites that has.
        beside: Columns of the training curves that a second picture shows: ``NAME-curves.png``; panels in which no run
            has any are not in it.
        side: Inches of a level's picture.
        percent_by_site: Of a table of success by site: the paper's percentages by method.
        table: Number of the table, where the runs are those of a figure.
        claim: What the paper says of it; panels have their own.
        measure: ``MODULE:FUNCTION`` that makes its numbers, see :mod:`~.reproduction.measured`.
        code: ``MODULE:FUNCTION`` that makes all of it, from the figure and an :class:`Asked`, to a :class:`Made`.
        takes: Options of the command that go with it.
        samples: What is sampled.
        policies: Who plays by default, as :func:`~procgen_bench.baselines.policies.loading.load_policy` takes it: one
            policy, or several, then at least two; of training runs what those begin from that begin from a policy.
        settings: Further settings, with their defaults.
    """

    number: int
    title: str
    panels: tuple[Panel, ...] = ()
    kind: Literal["figure", "table"] = "figure"
    measures: Sequence[str] = ("success",)
    columns: int = 3
    shows: Literal["curves", "levels", "primitives"] = "curves"
    beside: Sequence[str] = ()
    side: float = 1.15
    percent_by_site: Mapping[str, Sequence[int]] = field(default_factory=dict)
    table: int | None = None
    claim: str = ""
    measure: str = ""
    code: str = ""
    takes: Sequence[str] = ()
    samples: Samples | None = None
    policies: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What its files are called."""
        return (
            f"{self.kind}-{self.number}-runs" if self.kind == "table" and self.panels else f"{self.kind}-{self.number}"
        )

    @property
    def heading(self) -> str:
        """Its number and title."""
        return f"{self.kind.capitalize()} {self.number}. {self.title}"

    @property
    def labels(self) -> list[str]:
        """What its curves are called, each once: a label's place is its colour in every panel."""
        return list(dict.fromkeys(curve.label for panel in self.panels for curve in panel.curves))

    @property
    def command_options(self) -> list[str]:
        """Parameters of the command that go with it."""
        of_runs, of_samples = _RUN_OPTIONS if self.panels else (), ("samples", "seed") if self.samples else ()
        of_sites = () if self.table is None else ("by_value",)
        return [*dict.fromkeys((*of_runs, *of_sites, *of_samples, *(["policy"] if self.policies else []), *self.takes))]

    def with_settings(self, given: Sequence[str]) -> dict[str, Any]:
        """Its settings, with those that are given like ``failing=0.2``; of lists all that are given.

        Raises:
            InvalidOptionError: There is none of this name, or the value is of another type.
        """
        settings, lists = dict(self.settings), dict[str, list]()
        for text in given:
            name, _, value = text.partition("=")
            if name not in settings:
                raise InvalidOptionError(f"setting {text!r}, expected NAME=VALUE, NAME one of {list(settings)}")
            default = self.settings[name]
            is_list = isinstance(default, list)
            kind = type(next(iter(default), "")) if is_list else type(default)
            try:
                read = kind(value)
            except ValueError:
                raise InvalidOptionError(f"{name} is {value!r}, expected a value of type {kind.__name__}") from None
            settings[name] = [*lists.setdefault(name, []), read] if is_list else read
            if is_list:
                lists[name].append(read)
        return settings

    def begun_from(self, policy: str) -> Self:
        """The figure whose runs that begin from a policy begin from this one, a folder or ``trained``."""
        panels = [
            replace(panel, curves=tuple(_begun_from(curve, policy) for curve in panel.curves)) for panel in self.panels
        ]
        return replace(self, panels=tuple(panels))


class Asked(NamedTuple):
    """What the command asks of a figure that its own code makes.

    Attributes:
        folder: Where its files go.
        samples, seed: As given; ``None``: by default.
        policies: Who plays, as given.
        settings: The figure's, with what was given.
    """

    folder: Path
    samples: int | None
    seed: int | None
    policies: Sequence[str]
    settings: Mapping[str, Any]


class Made(NamedTuple):
    """A figure that was made: a table, a text for each heading in every row, and what each file shows."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    files: Mapping[str, Path]


def figure_numbers(paper: str, kind: str = "figure") -> list[int]:
    """Numbers of a paper's plans."""
    names = [path.stem.partition("-") for path in _folder(paper).glob(f"{kind}-*.toml")]
    return sorted(int(number) for _, _, number in names)


def read_figure(paper: str, number: int, kind: Literal["figure", "table"] = "figure") -> PaperFigure:
    """A paper's figure, or table.

    Raises:
        InvalidOptionError: There is none of this number.
        SweepFileError: Its plan cannot be read.
    """
    known = figure_numbers(paper, kind)
    if number not in known:
        raise InvalidOptionError(f"{paper} has no {kind} {number} here, expected one of {known}")
    folder = _folder(paper)
    path, shared = folder / f"{kind}-{number}.toml", folder / "runs.toml"
    content = read_toml(path)
    if "runs_of" in content:
        of = read_figure(paper, int(content["runs_of"].removeprefix("figure-")))
        return replace(of, percent_by_site=content["percent_by_site"], table=number)
    with naming(str(path)):
        return figure_of(content, read_toml(shared) if shared.exists() else {}, number, kind)


def figure_of(
    content: dict[str, Any], shared: Mapping[str, Any], number: int, kind: Literal["figure", "table"] = "figure"
) -> PaperFigure:
    """The figure that a plan describes, with the runs that all of its paper's plans share."""
    of_panels = {name: content.pop(name) for name in _OF_PANELS if name in content} | {"claim": content.get("claim")}
    runs, first = {**shared.get("runs", {}), **content.pop("runs", {})}, shared.get("options", {})
    panels = tuple(_panel({**of_panels, **panel}, runs, first) for panel in content.pop("panels", ()))
    if "samples" in content:
        content["samples"] = Samples(**content["samples"])
    return PaperFigure(
        number, panels=panels, kind=kind, table=number if kind == "table" and panels else None, **content
    )


#: Keys of panels that may stand at the top.
_OF_PANELS = ("curves", "steps", "seeds", "published")


def _panel(table: dict[str, Any], runs: Mapping[str, Any], shared: Options) -> Panel:
    labels = table.pop("curves") + table.pop("more_curves", [])
    optional, own = table.pop("optional_curves", []), table.pop("options", {})
    curves = []
    for curve in labels:
        given = dict(curve) if isinstance(curve, dict) else {"label": curve} | runs[curve]
        options = {**given.pop("first", {}), **shared, **own, **given.pop("options", {})}
        given["optional"] = given.get("optional", False) or given["label"] in optional
        curves.append(Curve(**given, options=options))
    return Panel(**table, curves=tuple(curves))


def _folder(paper: str) -> Path:
    return Path(papers.__path__[0], _FOLDERS.get(paper, paper.replace("-", "_")), "figures")


def _begun_from(curve: Curve, policy: str) -> Curve:
    begins = "begin_from" in curve.options
    return replace(curve, options={**curve.options, "begin_from": policy}) if begins else curve
