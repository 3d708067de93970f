"""AlphaNPI-X (Pierrot et al., 2020), stage 3: programs that call programs are learned by planning in imagination.

Recursive tree searches run programs on a model of the atomic programs; a recurrent network learns to imitate their
choices. Nothing is simulated: a step of the run is an imagined step, 50 for every call of an atomic program. Curves
show success in the model, as the paper's figure 5 does.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.alphanpi_x_settings import AlphaNPIXConfiguration
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import FailingAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules, described, refuse_other_library
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.curriculum import ProgramCurriculum
from procgen_bench.baselines.papers.alphanpi_x.programs.model_folder import DESCRIPTION, LearnedModel, read_model
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_learner import PlannerLearner, PlannerSettings
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import (
    ATOMIC,
    LEARNED,
    SYMBOLIC,
    PlannerParts,
    atomic_policy_of,
    described_atomic,
    refuse_other_parts,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.recorded_calls import record_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.search import (
    PAPER_WEIGHTS,
    SUB_SIMULATIONS,
    Search,
    Searched,
    SearchSettings,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.self_model import SelfModel
from procgen_bench.baselines.papers.alphanpi_x.programs.starts import DrawnStarts, ProgramStarts, RecordedStarts
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.training.allocator import freed_memory_is_kept
from procgen_bench.baselines.training.method import rng_of
from procgen_bench.baselines.training.reporting import TensorBoard, reporting_to
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings_table import show_settings
from procgen_bench.core.own_code import import_code, names_code
from procgen_bench.core.progress import Progress
from procgen_bench.core.worst_tenth import worst_tenth_columns
from procgen_bench.tasks.programs import ATOMIC_STEPS, InvalidLibraryError, ProgramLibrary, paper_library
from procgen_bench.tasks.programs.slack import narrow_ends

#: Where a run keeps the model that it has made, and how many of the recorded starts are kept with it.
MODEL_FOLDER, MOST_STARTS = "model", 2_000
#: Gradient steps of the learner for every search; the paper's are 2, of 16 trajectories.
_UPDATES_PER_EPISODE = 0.25
#: Imagined ends of each program that are tried with their blocks a little off.
_ENDS = 10


def loop(run: RunFolder) -> None:
    """Train to the iteration that reaches the run's imagined steps; a run that is there is resumed, bit for bit.

    Raises:
        InvalidModelError: The model cannot be read, or is for another number of blocks.
        InvalidPolicyError: There is no such atomic policy.
        OtherLibraryError: The run's checkpoint is of another library; what differs is said.
        OtherPartsError: It is of another atomic policy, of another view, say, or of another model.
        RunFolderError: The folder holds another run.
    """
    configuration = run.configuration
    rules = call_rules(library_of(configuration.library), configuration.calls)
    atomic = atomic_policy_of(configuration.atomic)
    with torch_seeded_from(rng_of("network", run.seed), torch.device("cpu")):
        network = CoreNetwork(rules.library.num_blocks, len(rules.library))
    model = None
    if configuration.model not in (SYMBOLIC, LEARNED):
        model = read_model(Path(configuration.model), rules.library)
    parts = PlannerParts(rules, network, model, atomic, configuration.discounted)
    planner = None if configuration.model == LEARNED else Planner(run, parts)  # refuses before anything is written
    run.open()
    if not run.finished:
        with reporting_to(TensorBoard(run.path / "tensorboard")), freed_memory_is_kept():
            planner = planner or Planner(run, replace(parts, learned_model=own_model(run, parts)))
            planner.train()


def own_model(run: RunFolder, parts: PlannerParts) -> LearnedModel:
    """The model of this run's atomic policy, in its folder ``model``; it is made where the folder holds none yet."""
    configuration, library = run.configuration, parts.rules.library
    folder = run.path / MODEL_FOLDER
    if (folder / DESCRIPTION).exists():
        return read_model(folder, library)
    rng, atomic = rng_of("recorded calls", run.seed), parts.atomic
    if configuration.failing:
        atomic = FailingAtomicPolicy(atomic, configuration.failing, run.seed)
    calls = record_calls(library, atomic, configuration.recorded_calls, rng)
    with torch_seeded_from(rng_of("model", run.seed), torch.device("cpu")):
        model = SelfModel(library)
    curve = model.fit(calls, configuration.model_loss, configuration.model_epochs, rng)
    starts = calls.before[~calls.continued][:MOST_STARTS]
    learned = LearnedModel(
        model, starts, configuration.model_loss, len(calls), curve[-1]["held_out_loss"], described_atomic(atomic)
    )
    run.write_curve(curve, folder)
    learned.write(folder)
    return learned


def exploring(configuration: AlphaNPIXConfiguration) -> SearchSettings:
    """Searches that are learned from."""
    weights = PAPER_WEIGHTS._replace(discount=configuration.discount, atomic=configuration.discounted == ATOMIC)
    return SearchSettings(configuration.simulations, weights=weights)


def exploiting(configuration: AlphaNPIXConfiguration) -> SearchSettings:
    """Searches that take the best: with as few simulations as those of programs that a program calls."""
    return replace(exploring(configuration), simulations=SUB_SIMULATIONS, explores=False)


def learner_settings(configuration: AlphaNPIXConfiguration) -> PlannerSettings:
    """What the learner is set by."""
    return PlannerSettings(configuration.learning_rate, configuration.batch_size, configuration.buffer_size)


def library_of(name: str) -> ProgramLibrary:
    """The library that an option names.

    Raises:
        InvalidLibraryError: It is neither a number of blocks from 2 to 6 nor a library of somebody's own.
    """
    if names_code(name):
        found = import_code(name, InvalidLibraryError)
        if isinstance(found, ProgramLibrary):
            return found
        raise InvalidLibraryError(f"{name} is a {type(found).__name__}, expected a ProgramLibrary")
    if not name.isdecimal():
        raise InvalidLibraryError(f"library is {name!r}, expected a number of blocks from 2 to 6, or MODULE:NAME")
    return paper_library(int(name))


class Planner:
    """One run: plays, learns, evaluates and keeps.

    Args:
        run: Where everything is kept.
        parts: What searches are made of; the network learns.
    """

    def __init__(self, run: RunFolder, parts: PlannerParts):
        configuration: AlphaNPIXConfiguration = run.configuration
        self.run, self.parts, self.rules, self._configuration = run, parts, parts.rules, configuration
        rules, network, learned = parts.rules, parts.network, parts.learned_model
        library = rules.library
        self.learner = PlannerLearner(network, learner_settings(configuration), rng_of("learner", run.seed))
        self.curriculum = ProgramCurriculum(configuration.curriculum, rules.composed, rng_of("curriculum", run.seed))
        self._starts: ProgramStarts = (
            DrawnStarts(library) if learned is None else RecordedStarts(library, learned.starts)
        )
        self._rng = rng_of("search", run.seed)
        self._search = Search(rules, network, parts.model, exploring(configuration), configuration.episodes)
        self._exploiting = Search(rules, network, parts.model, exploiting(configuration), 256)
        self.steps = self.episodes = 0
        self.curve: list[dict[str, float]] = []
        self._due_updates = 0.0
        self._measures: dict[str, list[float]] = {}
        self._started = time.perf_counter()
        self._seconds, self._checkpointed = 0.0, 0

    def train(self) -> None:
        """Go on from the run's checkpoint, if there is one, to its last step."""
        show_settings(self.run)
        self._resume()
        with (
            self._clock(),
            Progress(total=self.run.steps, initial=self.steps, unit="step", desc=self.run.configuration.method) as bar,
        ):
            while self.steps < self.run.steps:
                if self._evaluation_is_due():
                    self._evaluate(bar)
                    if self.steps - self._checkpointed >= self._configuration.checkpoint_every:
                        self.checkpoint()
                self._learn_from_searches()
                bar.update(self.steps - bar.n)
            if self._evaluated_at < self.steps:
                self._evaluate(bar)
            self.checkpoint()
        searched = [one for one in self.imagined(_ENDS) if one.succeeded]
        ends = {
            program: [one.states[-1] for one in searched if one.program == program.number]
            for program in self.rules.library.values()
        }
        found = {program: np.stack(states) for program, states in ends.items() if states}
        for line in narrow_ends(found, rng_of("narrow ends", self.run.seed)):
            print(f"warning: {line}", file=sys.stderr)
        self.run.finish()

    def checkpoint(self) -> None:
        """Keep all from which the run goes on exactly."""
        arrays, values = self.learner.state()
        kept = {
            "library": described(self.rules.library),
            "parts": self.parts.described(),
            "learner": values,
            "curriculum": self.curriculum.state(),
            "rng": self._rng.bit_generator.state,
            "steps": self.steps,
            "episodes": self.episodes,
            "due_updates": self._due_updates,
            "measures": self._measures,
            "curve": self.curve,
            "seconds": self._seconds + time.perf_counter() - self._started,
        }
        self.run.write_checkpoint({f"learner.{name}": array for name, array in arrays.items()}, kept)
        self._checkpointed = self.steps

    def imagined(self, episodes: int) -> list[Searched]:
        """Results of exploiting searches, so many of each program, one program after the other.

        They begin from the same starts each time.
        """
        programs = np.repeat(self.rules.composed, episodes)
        return self._exploiting.run(programs, self._starts.draw(rng_of("evaluation", self.run.seed), programs))

    @property
    def _evaluated_at(self) -> int:
        return int(self.curve[-1]["step"]) if self.curve else -1

    def _evaluation_is_due(self) -> bool:
        every = self._configuration.evaluate_every
        return self.steps // every > self._evaluated_at // every

    def _learn_from_searches(self) -> None:
        """One iteration: play, keep, update."""
        configuration, before = self._configuration, self._search.imagined_calls
        if self.curriculum.measures:
            searched = self.imagined(configuration.evaluation_episodes)
            self.curriculum.observe(self._by_program([one.succeeded for one in searched]))
        programs = self.curriculum.draw(configuration.episodes)
        searched = self._search.run(programs, self._starts.draw(self._rng, programs), self._rng)
        self.learner.keep(searched)
        self.episodes += len(searched)
        self.steps += ATOMIC_STEPS * max(1, self._search.imagined_calls - before)
        self._measure({"training_success": float(np.mean([one.succeeded for one in searched]))})
        self._due_updates += _UPDATES_PER_EPISODE * len(searched)
        while self._due_updates >= 1:
            self._measure(self.learner.update())
            self._due_updates -= 1

    def _measure(self, measures: dict[str, float]) -> None:
        for name, value in measures.items():
            self._measures.setdefault(name, []).append(value)

    def _by_program(self, scores: list[float]) -> np.ndarray:
        """Means of what was searched, program by program."""
        return np.array(scores, np.float64).reshape(len(self.rules.composed), -1).mean(axis=1)

    def _evaluate(self, bar: Progress) -> None:
        """Add a row to the curve, and write it and the policy's weights."""
        searched = self.imagined(self._configuration.evaluation_episodes)
        atomic = [np.count_nonzero(self.rules.levels[one.trace] == 0) for one in searched]
        names = [self.rules.names[number] for number in self.rules.composed.tolist()]
        successes = self._by_program([one.succeeded for one in searched])
        returns = self._by_program([one.value for one in searched])
        row: dict[str, float] = {
            "step": self.steps,
            "seconds": round(self._seconds + time.perf_counter() - self._started, 1),
            "return": float(np.mean([one.value for one in searched])),
            "success": float(np.mean([one.succeeded for one in searched])),
            "length": float(ATOMIC_STEPS * np.mean(atomic)),
            **worst_tenth_columns(**{"return": returns, "success": successes}),
            "episodes": self.episodes,
            **{f"success_{name}": float(value) for name, value in zip(names, successes)},
            **{name: float(np.mean(self._measures.get(name) or [np.nan])) for name in _MEASURES},
        }
        self._measures = {}
        self.curve.append(row)
        self.run.write_curve(self.curve)
        self._write_policy()
        bar.set_postfix(success=f"{row['success']:.3f}")

    def _write_policy(self) -> None:
        self.parts.folder(training_steps=self.steps, plays=self._configuration.plays).write(self.run.policy_path)

    def _resume(self) -> None:
        checkpoint = self.run.read_checkpoint()
        if checkpoint is None:
            return
        arrays, values = checkpoint
        what = f"the checkpoint in {self.run.path}"
        refuse_other_library(what, values["library"], self.rules.library)
        refuse_other_parts(what, values["parts"], self.parts.described())
        self.learner.restore(below(arrays, "learner"), values["learner"])
        self.curriculum.restore(values["curriculum"])
        self._rng.bit_generator.state = values["rng"]
        self.steps, self.episodes, self.curve = values["steps"], values["episodes"], values["curve"]
        self._due_updates, self._measures, self._seconds = values["due_updates"], values["measures"], values["seconds"]
        self._checkpointed = self.steps

    @contextmanager
    def _clock(self) -> Iterator[None]:
        self._started = time.perf_counter()
        yield


#: Columns of the curve that training itself measures.
_MEASURES = ("training_success", "policy_loss", "value_loss")
