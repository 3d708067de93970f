"""AlphaNPI-X's figure 1: what a trace says of its calls, and the picture and the film that are drawn of it."""

import json

import numpy as np
import pytest
from PIL import Image

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import TraceLine
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.leaderboards.reproduction import alphanpi_x_trace
from procgen_bench.leaderboards.reproduction.alphanpi_x_drawing import draw_film
from procgen_bench.leaderboards.reproduction.alphanpi_x_trace import FRAME_STEPS, FilmSettings, film
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import ATOMIC_STEPS
from procgen_bench.tasks.programs.states import block_positions
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, fresh_network

PARTS = PlannerParts(call_rules(LIBRARY, "library"), fresh_network(), None, ScriptedAtomicPolicy())
PROGRAM = "Move_All_To_Zone_ORANGE"


@pytest.fixture(autouse=True)
def blank_frames(monkeypatch):
    """In the place of MuJoCo's, which need OpenGL."""
    monkeypatch.setattr(alphanpi_x_trace, "draw_frame", lambda *_: np.full((480, 480, 3), 200, np.uint8))


def test_a_trace_says_what_was_done_and_every_call_is_filmed_and_drawn(tmp_path):
    found = film(PARTS, FilmSettings(PROGRAM, simulations=60))
    assert [found.lines[0].name, found.lines[-1].name] == [PROGRAM, "Stop"]
    calls = [line for line in found.lines if line.is_atomic]
    assert [line.call for line in calls] == [*range(1, len(calls) + 1)]
    assert found.stands and found.lines[0].done and all(line.done for line in calls)
    assert [len(frames) for frames in found.frames] == [1, *[ATOMIC_STEPS // FRAME_STEPS] * len(calls)]
    assert found.lines[0].is_planned and found.lines[1].is_planned
    picture, clip, numbers = draw_film(found, tmp_path / "new").values()
    assert np.asarray(Image.open(picture)).std() > 10
    with Image.open(clip) as moving:
        assert moving.size == (960, 480) and moving.n_frames >= len(calls), "equal frames are one"
    assert json.loads(numbers.read_text())["lines"][1]["name"] == found.lines[1].name


def test_calls_that_fail_are_marked_and_what_follows_is_planned_again():
    found = film(PARTS, FilmSettings(PROGRAM, simulations=60, failing=1.0))
    calls = [line for line in found.lines if line.is_atomic]
    assert not found.stands and not found.lines[0].done and not any(line.done for line in calls)
    assert found.lines[1].is_planned and not calls[-1].is_planned


def test_programs_are_tested_where_they_stop_or_the_episode_ends():
    moved = TraceLine(1, "Move_All_To_Zone_ORANGE", False)
    trace = [TraceLine(0, "Clean_Table", False), moved, TraceLine(2, "Move_To_Zone_0_ORANGE", True)]
    rng = np.random.default_rng(0)
    far, near = (draw_program_task(rng, LIBRARY[PROGRAM], 1.0).state for _ in range(2))
    block_positions(near)[:] = [[1.25, 0.55, 0.425], [1.35, 0.6, 0.425]]
    done = alphanpi_x_trace._Done(LIBRARY)
    done.note(trace, far)
    done.of_lines[2] = True
    done.note([*trace, TraceLine(2, "Stop", False)], near)
    assert done.of_lines == [None, True, True, None]
    done.end(far)
    assert done.of_lines == [False, True, True, None]


def test_atomic_programs_are_refused():
    with pytest.raises(InvalidTaskError, match="program is 'Stack_0_1', expected one that calls others"):
        film(PARTS, FilmSettings("Stack_0_1"))
