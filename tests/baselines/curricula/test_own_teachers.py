"""Users' own teachers, by ``--teacher module:Class``."""

import json
import re
import sys

import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.teacher_table import OwnTeacherError, TeacherOptionError, get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.own_code import EndedProgramError

THEIRS = """\
import sys
from dataclasses import dataclass

from procgen_bench.baselines.training.settings import COUNT, option
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.teacher import Teacher

@dataclass(frozen=True)
class Settings:
    every: int = option(1, "Episodes of a level.", COUNT)
    named: bool = False

class Repeating(Teacher):
    \"""The same level again and again.\"""

    configuration_type = Settings

    def propose(self, rows, step):
        while self._numbered * self.configuration.every <= step:
            self.level, self.number = self.levels.draw(self.rng, 1)[0], self.next_number()
        return [Proposal(self.number, self.level) for _ in rows]

class Plain(Teacher):
    def propose(self, rows, step):
        return [Proposal(self.next_number(), task) for task in self.levels.draw(self.rng, len(rows))]

class Leaving(Plain):
    def observe(self, finished):
        sys.exit(0)

class LeavingAtOnce(Plain):
    def __init__(self, *arguments):
        raise GeneratorExit

class Unfinished(Teacher):
    pass

@dataclass
class Needing:
    size: int

class WithoutDefaults(Plain):
    configuration_type = Needing

number = 3
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """A module beside which the command is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "their_teachers", None)  # as it was, not there, is restored afterwards
    del sys.modules["their_teachers"]
    (tmp_path / "their_teachers.py").write_text(THEIRS)
    return "their_teachers"


def test_options_are_the_fields_of_its_own_configuration(theirs):
    entry = get_teacher(f"{theirs}:Repeating")
    assert entry.description == "The same level again and again."
    assert vars(entry.configured("every=50,named=true")) == {"every": 50, "named": True}
    for options, message in (("size=3", "no option 'size'; its options: every, named"), ("every=0", "of at least 1")):
        with pytest.raises(TeacherOptionError, match=message):
            entry.configured(options)
    with pytest.raises(TeacherOptionError, match="no option 'every'; its options: none"):
        get_teacher(f"{theirs}:Plain").configured("every=3")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("their_teachers:Nobody", "cannot be imported: .*Nobody"),
        ("no_such_module:Teacher", "cannot be imported: No module named"),
        ("their_teachers:number", "is 3, expected a subclass of .*Teacher with propose"),
        ("their_teachers:Unfinished", "expected a subclass of .*Teacher with propose"),
        ("their_teachers:WithoutDefaults", "expected a dataclass all of whose fields have defaults"),
    ],
)
def test_what_is_no_teacher_is_refused(theirs, name, message):
    with pytest.raises(OwnTeacherError, match=message):
        get_teacher(name)


def trained_under(teacher: str) -> int:
    """The exit code of a run of ppo under a teacher."""
    from procgen_bench.cli import main

    options = {"num-envs": 4, "rollout-steps": 8, "minibatches": 1, "evaluation-tasks": 2, "steps": 64, "out": "run"}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with pytest.raises(SystemExit) as ended:
        main(["train", "ppo", "grid-world/graded", "--teacher", teacher, *words])
    return ended.value.code or 0


@pytest.mark.parametrize("name", ["Leaving", "LeavingAtOnce"])
def test_one_that_ends_the_program_has_failed(theirs, name, capsys):
    assert trained_under(f"{theirs}:{name}") == 2
    assert re.search(r"error: .*may not end the program: .*Exit.*their_teachers\.py, line \d+", capsys.readouterr().err)


def test_training_that_it_would_end_raises(theirs, tmp_path):
    """Also a program's own that trains."""
    ppo, benchmark = get_method("ppo"), get_benchmark("grid-world/graded")
    settings = {"num_envs": 4, "rollout_steps": 8, "evaluation_tasks": 2, "teacher": f"{theirs}:Leaving"}
    with pytest.raises(EndedProgramError, match=r"their_teachers\.py, line \d+"):
        ppo.train(benchmark, ppo.configured(benchmark.environment_id, settings), 0, 64, tmp_path / "run")


def test_a_run_learns_under_it(theirs, tmp_path):
    assert trained_under(f"{theirs}:Repeating") == 0
    settings = json.loads((tmp_path / "run" / "config.json").read_text())["settings"]
    assert settings["configuration"]["teacher"] == "their_teachers:Repeating"
    levels = (tmp_path / "run" / "levels.jsonl").read_text().splitlines()
    assert levels
