"""Which score finds levels worth training on: rank correlations of levels' scores with their true regret in training.

A student trains on plain levels. At every evaluation its copy plays a fixed sample of levels, which the run neither
learns from nor is charged for. Some episodes score every level as a teacher would; others say what the student earns
there, which the solver's return is held against: the true regret.

``python -m procgen_bench.leaderboards.reproduction.score_correlation measure METHOD BENCHMARK --out FOLDER`` trains and
measures; ``... draw FOLDER... --picture FILE`` draws what several of them measured, and prints it as a table.
"""

import argparse
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from procgen_bench.baselines.curricula.best_returns import BestReturns
from procgen_bench.baselines.curricula.ladder import check_solver
from procgen_bench.baselines.curricula.level_scores import SCORES, criticism_of, level_score, negative_advantages
from procgen_bench.baselines.curricula.transition_model import TransitionModel
from procgen_bench.baselines.method_table import Method, get_method
from procgen_bench.baselines.training.contracts import CRITICISM, EpisodeSteps, FinishedEpisodes, Proposal
from procgen_bench.baselines.training.curriculum_env import closed_on_error
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.method import Context
from procgen_bench.baselines.training.player import PlayerSnapshot
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.run import make_players, make_rows, prepare_torch
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.reproduction.score_correlation_drawing import draw, table

RESULTS = "correlations.json"
#: Episodes that score a level, and as many others that say what the student earns on it.
EPISODES = 4
#: Groups of levels by the length of their solutions, of equal sizes.
_GROUPS = 4


class LevelProbe(Teacher):
    """Proposes the same levels again and again, in their order, without a gradient.

    Args:
        levels: Whose benchmark it is.
        tasks: The levels (n,); episode k is on the level k mod n.
    """

    required_columns = CRITICISM | {"gradient_norm", "steps"}

    def __init__(self, levels: LevelSource, tasks: Sequence[Task]):
        super().__init__(levels, np.random.default_rng(0), None)
        self.tasks, self.step_score = tasks, negative_advantages

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """The next levels."""
        first = self.next_numbers(len(rows))
        return [
            Proposal(number, self.tasks[number % len(self.tasks)], train=False)
            for number in range(first, first + len(rows))
        ]

    def restart(self) -> None:
        """Propose the first level next, as the first episode."""
        self._numbered = 0


class Prober:
    """Plays levels as a student would that trains in rows, whatever it has learned.

    Args:
        method: The student's.
        context: As it is trained; its rows are not used.
        tasks: The levels (n,).
    """

    def __init__(self, method: Method, context: Context, tasks: Sequence[Task]):
        needs = method.load("rows_options")(context.benchmark.environment_id, context.configuration)
        self.teacher = LevelProbe(LevelSource(context.benchmark, context.configuration.solvable), tasks)
        # Its first episodes are whole ones, too.
        options = {**needs.options, "staggered": False}
        needs = dataclasses.replace(needs, make_teacher=lambda levels, rng: self.teacher, options=options)
        self.rows = make_rows(context.benchmark, context.configuration, context.seed + 1, context.steps, needs)
        (self._player,) = make_players(method, dataclasses.replace(context, rows=self.rows))
        length = needs.rollout_steps or context.benchmark.max_episode_steps
        collector_type: Any = needs.collector_type or Collector
        self._collector = collector_type(self.rows, self._player.learner, length)

    def play(self, snapshot: PlayerSnapshot, episodes: int) -> FinishedEpisodes:
        """So many episodes of every level: (n * episodes,), all levels once, then once more, and so on."""
        self._player.load(snapshot)
        self.teacher.restart()
        self._collector.restart()
        wanted, parts, found = len(self.teacher.tasks) * episodes, [], 0
        while found < wanted:
            played = self._collector.finished_episodes(self._collector.collect())
            parts.append(played.of(played.level < wanted))
            found += len(parts[-1])
        joined = FinishedEpisodes.joined(parts)
        return joined.of(np.argsort(joined.level))


class LevelHistory:
    """Scores levels by what came of them, and remembers what scores ask of the past.

    Args:
        best: float64 (n,), what the solver earns on every level.
        errors: How badly each of some episodes was foreseen: :meth:`.TransitionModel.errors`.
    """

    def __init__(self, best: np.ndarray, errors: Callable[[Sequence[EpisodeSteps]], np.ndarray]):
        self.best, self._errors = best, errors
        self._greatest = np.full(len(best), -np.inf)
        self._before = np.full(len(best), np.nan)

    def scores(self, played: FinishedEpisodes) -> dict[str, np.ndarray]:
        """Every score float64 (n,), by :data:`EPISODES` episodes of every level, sorted as :meth:`Prober.play` does.

        Progress is the distance to the mean return of the time before, NaN the first time. TRACED is without credit for
        what a level teaches for others: all are played at once, so that all would have the same.
        """
        count = len(self.best)
        returns, success = played.return_.reshape(-1, count), played.success.reshape(-1, count).mean(axis=0)
        one = played.of(np.arange(count))
        self._greatest = np.maximum(self._greatest, returns.max(axis=0))
        scores: dict[str, np.ndarray] = {}
        for name in SCORES:
            found = self.best - one.return_ if name == "regret" else criticism_of(name, one)
            if name == "traced" and played.steps is not None:
                found = found + self._errors(played.steps)[:count]
            pairs = zip(self._greatest.tolist(), found.tolist(), strict=True)
            scores[name] = np.array([level_score(name, greatest, value) for greatest, value in pairs])
        mean = returns.mean(axis=0)
        scores["learnability"] = success * (1 - success)
        scores["progress"] = np.abs(mean - self._before)
        scores["mean_regret"] = self.best - mean
        self._before = mean
        return scores


def rank_correlations(
    scores: Mapping[str, np.ndarray], regret: np.ndarray, groups: Mapping[str, np.ndarray]
) -> dict[str, dict[str, float | None]]:
    """Spearman's rank correlation of every score (n,) with the regret (n,), by group of levels.

    Args:
        scores: By name float64 (n,).
        regret: float64 (n,).
        groups: By name bool (n,), which levels they hold.

    Returns:
        By score and group; ``None`` where all of a group have the same score or the same regret, or none is known.
    """
    return {
        name: {group: _spearman(own[chosen], regret[chosen]) for group, chosen in groups.items()}
        for name, own in scores.items()
    }


def _spearman(scores: np.ndarray, regret: np.ndarray) -> float | None:
    if np.isnan(scores).any() or np.ptp(scores) == 0 or np.ptp(regret) == 0:
        return None
    return float(spearmanr(scores, regret).statistic)


def groups_by_length(lengths: np.ndarray) -> dict[str, np.ndarray]:
    """All levels, and about equally many by the length of their solutions: by name bool (n,).

    Args:
        lengths: int64 (n,), steps.
    """
    bounds = np.quantile(lengths, np.arange(1, _GROUPS) / _GROUPS, method="inverted_cdf")
    group = np.searchsorted(bounds, lengths, side="left")
    named = {"all": np.ones(len(lengths), np.bool_)}
    for number in np.unique(group).tolist():
        own = lengths[group == number]
        named[f"{own.min()} to {own.max()} steps"] = group == number
    return named


def measure(method: Method, benchmark: Benchmark, seed: int, steps: int, every: int, levels: int, out: Path) -> Path:
    """Train, measure at every evaluation and at the end, and write the results.

    Args:
        method: Who learns, with a critic.
        benchmark: For what.
        seed: Seed of the run; the levels are the same for all seeds.
        steps: Environment steps of the run.
        every: Steps from one evaluation to the next.
        levels: How many are played.
        out: Folder of the run and of the results, which does not exist yet.

    Returns:
        The file of the results.

    Raises:
        InvalidOptionError: ``out`` exists, or a level has several seats.
        NoSolverError: The environment's tasks have no solver.
        ScoreError: The method has no critic.
    """
    if out.exists():
        raise InvalidOptionError(f"{out} exists already, expected a new folder: a run is measured while it is trained")
    configuration = method.configured(benchmark.environment_id, {"evaluate_every": every}).resolved(
        benchmark.environment_id
    )
    prepare_torch(configuration)
    needs = method.load("rows_options")(benchmark.environment_id, configuration)
    rows = make_rows(benchmark, configuration, seed, steps, needs)
    with closed_on_error(rows):
        if rows.env.rows_per_task > 1:
            raise InvalidOptionError(
                f"a level of {benchmark.environment_id} has {rows.env.rows_per_task} seats, expected an environment of "
                "one seat, as UEDMaze-v0"
            )
    source = LevelSource(benchmark, configuration.solvable)
    check_solver(source, "score_correlation")
    tasks = list(source.draw_plain(np.random.default_rng(seed_from_parts("score correlation", levels)), levels))
    best = BestReturns(source, {}).of(tasks)
    tasks = [task for task, earned in zip(tasks, best, strict=True) if not np.isnan(earned)]
    solutions = [source.task_space.solve(task) for task in tasks]
    groups = groups_by_length(np.array([0 if own is None else len(own) for own in solutions]))
    context = Context(benchmark, configuration, seed, steps, rows)
    prober = Prober(method, context, tasks)
    points: list[dict[str, Any]] = []
    shown, done = prober.rows.observation_space, prober.rows.env.single_action_space
    model = TransitionModel(shown, done, np.random.default_rng(seed_from_parts("score correlation", seed)))
    history = LevelHistory(best[~np.isnan(best)], model.errors)
    run = RunFolder(out / "run", method.name, benchmark, configuration, seed, steps)
    with Trainer(run, make_players(method, context), rows, needs.rollout_steps) as trainer:
        for step in [*range(0, steps, every), steps]:
            trainer.advance(step)
            reached = trainer.steps
            if points and reached == points[-1]["step"]:
                continue  # the rollout that is left is too short
            played = prober.play(trainer.student.snapshot(), 2 * EPISODES)
            scoring = np.arange(len(played)) < len(tasks) * EPISODES
            scores, truth = history.scores(played.of(scoring)), played.of(~scoring)
            regret = regrets_of_means(history.best, truth)
            point = {"step": reached, "success": float(truth.success.mean()), "regret": float(regret.mean())}
            points.append(point | {"correlations": rank_correlations(scores, regret, groups)})
            print(json.dumps(point), flush=True)
    prober.rows.close()
    result = {"method": method.name, "benchmark": benchmark.id, "seed": seed, "steps": steps, "levels": levels}
    write_text(out / RESULTS, json.dumps(result | {"points": points}, indent=1) + "\n")
    return out / RESULTS


def regrets_of_means(best: np.ndarray, played: FinishedEpisodes) -> np.ndarray:
    """The true regret float64 (n,): what the solver earns (n,) less the mean return of the level's episodes."""
    return best - played.return_.reshape(-1, len(best)).mean(axis=0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="Train a student, and measure.")
    measuring.add_argument("method", metavar="METHOD", help="Who learns, e.g. recurrent-ppo.")
    measuring.add_argument("benchmark", metavar="BENCHMARK", help="For what, e.g. ued-maze/random.")
    measuring.add_argument("--seed", type=int, default=0, help="Seed of the run (default 0).")
    measuring.add_argument("--steps", type=int, default=3_000_000, help="Environment steps (default 3,000,000).")
    measuring.add_argument("--every", type=int, default=500_000, help="Steps between evaluations (default 500,000).")
    measuring.add_argument("--levels", type=int, default=1_000, help="Levels that are scored (default 1,000).")
    measuring.add_argument("--out", type=Path, required=True, help="New folder of the run and its results.")
    drawing = commands.add_parser("draw", help="Draw what was measured, and print a table.")
    drawing.add_argument("folders", metavar="FOLDER", type=Path, nargs="+", help="Folders of measured runs.")
    drawing.add_argument("--picture", type=Path, required=True, help="The picture, .png or .svg.")
    chosen = parser.parse_args(arguments)
    if chosen.command == "draw":
        results = [json.loads((folder / RESULTS).read_text(encoding="utf-8")) for folder in chosen.folders]
        try:
            print(table(results))
        except InvalidOptionError as error:
            parser.error(str(error))
        draw(results, chosen.picture)
        return
    if min(chosen.steps, chosen.every, chosen.levels) < 1:
        parser.error(f"--steps is {chosen.steps}, --every {chosen.every}, --levels {chosen.levels}, expected 1 or more")
    try:
        benchmark = get_benchmark(chosen.benchmark)
        method = get_method(chosen.method).within(benchmark.environment_id)
        print(measure(method, benchmark, chosen.seed, chosen.steps, chosen.every, chosen.levels, chosen.out))
    except ProcgenBenchError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
