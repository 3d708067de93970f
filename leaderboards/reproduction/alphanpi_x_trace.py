"""Figure 1 of AlphaNPI-X (Pierrot et al., 2020): what a program calls, beside a film of the episode."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import (
    AtomicPolicy,
    FailingAtomicPolicy,
    play_calls,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.execution import Execution
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import ENDED, Interpreter, TraceLine
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Search
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.fetch_blocks.rendering import draw_frame
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import check_composed
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import Program, ProgramLibrary
from procgen_bench.tasks.programs.hand import is_let_go

#: Steps between two frames of the film.
FRAME_STEPS = 5
#: What a trace calls the end of a program.
STOP = "Stop"


@dataclass(frozen=True)
class FilmSettings:
    """What is played.

    Attributes:
        program: Name of a program that calls others.
        simulations: Of a decision.
        failing: Share of atomic calls that come to nothing.
        seed: Draws the start, and which calls fail.
    """

    program: str = "Clean_And_Stack"
    simulations: int = 5
    failing: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class FilmedLine:
    """A line of the trace.

    Attributes:
        depth: Programs that are under way above it.
        name: The program that is called, or ``"Stop"``.
        is_atomic: Whether it is an atomic program.
        done: Whether its post-condition held when it ended, or when the episode did; ``None`` of Stop.
        call: Number of the atomic call, from 1 on; ``None`` of others.
        is_planned: Whether the plan from the start had the same lines up to here; where it had not, it was planned
            again.
    """

    depth: int
    name: str
    is_atomic: bool
    done: bool | None
    call: int | None
    is_planned: bool


@dataclass(frozen=True)
class Film:
    """One episode, planned again after every call.

    Attributes:
        settings: What was played.
        lines: The trace.
        stands: Whether the program's post-condition held at the end, and still did when the hand had let go and gone.
        frames: Of each call the frames uint8 (480, 480, 3) after every ``FRAME_STEPS`` steps, the start's alone first.
    """

    settings: FilmSettings
    lines: list[FilmedLine]
    stands: bool
    frames: list[list[np.ndarray]]

    def numbers(self) -> dict:
        """What is drawn, in JSON's types."""
        return asdict(self.settings) | {"stands": self.stands, "lines": [asdict(line) for line in self.lines]}


def film(parts: PlannerParts, settings: FilmSettings) -> Film:
    """Play a program to Stop, or to twice the most atomic calls that it needs, and film it.

    Raises:
        InvalidTaskError: The program is atomic.
        UnknownNameError: The library has no such program.
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """
    library = parts.rules.library
    program, programs = library[settings.program], [*library.values()]
    check_composed(program)
    simulation = FetchBlocksSimulation(library.num_blocks)
    rng = np.random.default_rng(seed_from_parts("figure 1", settings.seed))
    simulation.begin(draw_program_task(rng, program, 1.0).start)
    search = parts.search_settings(settings.simulations)
    first = Search(parts.rules, parts.network, parts.model, search, 1)
    number, state = np.array([program.number]), simulation.state[np.newaxis].copy()
    planned = [program.name, *(parts.rules.names[action] for action in first.run(number, state)[0].trace.tolist())]
    atomic = parts.atomic
    if settings.failing:
        atomic = FailingAtomicPolicy(atomic, settings.failing, settings.seed)
    filmed = _FilmedPolicy(atomic, simulation)
    interpreter = Interpreter(parts.rules, parts.network, parts.model, "replan", search)
    interpreter.begin(0, program.number)
    execution, done = Execution(library, program), _Done(library)
    while not execution.over:
        call = int(interpreter.next_calls(np.array([0]), simulation.state[np.newaxis])[0])
        done.note(interpreter.trace(0), simulation.state)
        if call == ENDED:
            execution.end(simulation, stopped=True)
        else:
            goal = play_calls([simulation], filmed, [programs[call]], [0])[0]
            done.of_lines[-1] = bool(programs[call].postcondition(simulation.state, goal))
            kept = bool(done.of_lines[-1])
            execution.note(simulation, kept, kept and bool(is_let_go(simulation.state, programs[call].blocks[0])))
    done.end(simulation.state)
    executed = execution.executed(interpreter.trace(0))
    return Film(settings, _lines(executed.trace, done.of_lines, planned), executed.stands[-1], filmed.frames)


class _Done:
    """Which post-conditions of a trace's lines held when their programs ended: ``None`` while they are under way."""

    def __init__(self, library: ProgramLibrary):
        self._library = library
        self._trace: Sequence[TraceLine] = []
        self.of_lines: list[bool | None] = []

    def note(self, trace: Sequence[TraceLine], state: np.ndarray) -> None:
        """The trace has grown in a state; its programs that have stopped are tested there."""
        for place, line in enumerate(trace[len(self.of_lines) :], len(self.of_lines)):
            self.of_lines.append(None)
            if line.name == STOP:
                caller = max(i for i, one in enumerate(trace[:place]) if one.depth < line.depth and not one.is_atomic)
                self._test(trace[caller], caller, state)
        self._trace = trace

    def end(self, state: np.ndarray) -> None:
        """The episode has ended; programs that are still under way are tested."""
        for place, line in enumerate(self._trace):
            if self.of_lines[place] is None and line.name != STOP:
                self._test(line, place, state)

    def _test(self, line: TraceLine, place: int, state: np.ndarray) -> None:
        self.of_lines[place] = bool(self._library[line.name].postcondition(state))


def _lines(trace: Sequence[TraceLine], done: Sequence[bool | None], planned: Sequence[str]) -> list[FilmedLine]:
    lines, calls = [], 0
    names = [line.name for line in trace]
    for place, line in enumerate(trace):
        calls += line.is_atomic
        as_planned = names[: place + 1] == [*planned[: place + 1]]
        number = calls if line.is_atomic else None
        lines.append(FilmedLine(line.depth, line.name, line.is_atomic, done[place], number, as_planned))
    return lines


class _FilmedPolicy(AtomicPolicy):
    """An atomic policy in one simulation, which is filmed before its first call and in each."""

    def __init__(self, inner: AtomicPolicy, simulation: FetchBlocksSimulation):
        self._inner, self._simulation = inner, simulation
        self._goal, self._steps = np.empty((0, 3)), 0
        self.frames = [[draw_frame(simulation, self._goal)]]

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`.AtomicPolicy`."""
        self._inner.begin(row, program, goal)
        self._goal, self._steps = goal.reshape(-1, 3), 0
        self.frames.append([])

    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`.AtomicPolicy`."""
        if self._steps % FRAME_STEPS == FRAME_STEPS - 1:
            self.frames[-1].append(draw_frame(self._simulation, self._goal))
        self._steps += 1
        return self._inner.act(rows, states)
