"""Tables that other packages add to: a package is put on the path as pip would install it.

Users' own code: imported where they name it.
"""

import os
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS, Method, get_method
from procgen_bench.baselines.policies.loading import load_policy, policy_hash
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core import plugins
from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import UnknownNameError, UnwritablePathError
from procgen_bench.core.own_code import TRUSTED_MODULES, OwnCodeError, import_code, known_code, trust
from procgen_bench.core.paths import check_file, check_folder, nearest_folder
from procgen_bench.core.plugins import PluginError, PluginTable
from procgen_bench.core.registrations import make_task_space

MODULE = """
    import dataclasses
    import numpy as np
    import gymnasium
    from procgen_bench.baselines.method_table import Method
    from procgen_bench.baselines.training.contracts import Proposal
    from procgen_bench.baselines.training.teacher_table import TeacherEntry
    from procgen_bench.baselines.curricula.uniform import UniformTeacher
    from procgen_bench.core.benchmarks import get_benchmark
    from procgen_bench.core.policy import Policy

    class Left(Policy):
        def __init__(self, environment_id):
            self.environment_id = environment_id

        def act(self, observations, episode_starts):
            return np.zeros(len(episode_starts), np.int64)

    class Stubborn(UniformTeacher):
        def propose(self, rows, step):
            return [Proposal(self.configuration.level, self.levels.draw(self.rng, 1)[0]) for _ in rows]

    @dataclasses.dataclass(frozen=True)
    class StubbornConfiguration:
        level: int = 7

    stubborn = TeacherEntry("stubborn", "One number.", "people:Stubborn", "people:StubbornConfiguration")
    left = Method("left", "Always the first action.", "people:Left")
    harder = dataclasses.replace(get_benchmark("grid-world/graded"), id="people/harder", episodes_per_task=2)
    number = 3
"""


@pytest.fixture
def people(tmp_path, monkeypatch):
    """people(group, name, value): a package called people declares an entry point."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "people.py").write_text(textwrap.dedent(MODULE))
    folder = tmp_path / "people-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: people\nVersion: 1.0\n")
    declared: dict[str, list[str]] = {}

    def declare(group: str, name: str, value: str):
        declared.setdefault(group, []).append(f"{name} = {value}")
        text = "\n".join(f"[{group}]\n" + "\n".join(lines) for group, lines in declared.items())
        (folder / "entry_points.txt").write_text(text + "\n")
        plugins._plugins.cache_clear()

    yield declare
    plugins._plugins.cache_clear()
    sys.modules.pop("people", None)


def test_method_of_another_package(people):
    people("procgen_bench.methods", "left", "people:left")
    assert "left" in METHODS and "left" in list(METHODS) and isinstance(METHODS["left"], Method)
    assert get_method("left").description == "Always the first action."
    policy = load_policy("left", "GridWorld-v0")
    assert policy.environment_id == "GridWorld-v0"
    assert policy_hash("left", "GridWorld-v0") != policy_hash("left", "BitGrid-v0")


def test_benchmark_of_another_package(people):
    people("procgen_bench.benchmarks", "people/harder", "people:harder")
    benchmark = get_benchmark("people/harder")
    assert isinstance(benchmark, Benchmark) and benchmark.num_episodes == 400
    assert benchmark in BENCHMARKS.values()


def test_teacher_of_another_package(people):
    people("procgen_bench.teachers", "stubborn", "people:stubborn")
    levels = LevelSource(get_benchmark("grid-world/graded"), solvable=True)
    teacher = get_teacher("stubborn").make("level=5", levels, np.random.default_rng(0))
    assert [proposal.level for proposal in teacher.propose(np.arange(3), 0)] == [5, 5, 5]
    with pytest.raises(UnknownNameError, match=r"unknown teacher 'stubborm'.*uniform"):
        get_teacher("stubborm")


def test_own_names_cannot_be_taken(people):
    own = METHODS["random"]
    people("procgen_bench.methods", "random", "people:left")
    assert METHODS["random"] is own and list(METHODS).count("random") == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "people:right",
            r"'left' \(people:right\), which the package people declares .* cannot be loaded .* uninstall it",
        ),
        ("nobody:left", "cannot be loaded .ModuleNotFoundError"),
        ("people:number", "is a int, expected a Method"),
    ],
)
def test_what_cannot_be_used_is_named(people, value, message):
    people("procgen_bench.methods", "left", value)
    assert "left" in METHODS  # it is there
    with pytest.raises(PluginError, match=message):
        METHODS["left"]
    assert METHODS["random"].name == "random"


def test_table_is_a_mapping():
    table = PluginTable("nothing", int, {"one": 1})
    assert dict(table) == {"one": 1} and len(table) == 1 and "two" not in table and table.get("two", 7) == 7
    with pytest.raises(KeyError):
        table["two"]


def test_environment_of_another_package_has_its_task_space(monkeypatch):
    monkeypatch.syspath_prepend("examples")
    space = make_task_space("corridor:Corridor-v0")
    assert type(space).__name__ == "CorridorTaskSpace"
    with pytest.raises(UnknownNameError, match="unknown environment 'corridor:Corridor-v9'"):
        make_task_space("corridor:Corridor-v9")


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    (tmp_path / "their_code.py").write_text("class Outer:\n    class Inner:\n        pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "their_code", None)  # as it was, not there, is restored afterwards
    del sys.modules["their_code"]
    monkeypatch.setenv(TRUSTED_MODULES, "")  # restored; what deletes an absent one restores nothing
    return "their_code:Outer.Inner"


def test_it_is_found_where_the_process_was_started(theirs):
    assert import_code(theirs).__qualname__ == "Outer.Inner"


def test_what_a_file_names_must_have_been_asked_for(theirs):
    with pytest.raises(OwnCodeError, match="--import their_code"):
        known_code(theirs)
    assert "their_code" not in sys.modules
    trust(["their_code"])
    assert known_code(theirs).__qualname__ == "Outer.Inner"


def test_processes_that_are_started_later_may_import_it(theirs, monkeypatch):
    trust(["their_code", "json"])
    trust(["their_code"])
    assert os.environ[TRUSTED_MODULES].split() == ["their_code", "json"]
    monkeypatch.delitem(sys.modules, "their_code")
    assert known_code(theirs).__qualname__ == "Outer.Inner"


@pytest.mark.parametrize("source", ["nothing", "a.b", ":Agent", "module:", "1:2", "their_code:Outer.Nobody"])
def test_what_cannot_be_had_is_refused(theirs, source):
    with pytest.raises(OwnCodeError, match=r"names no code|cannot be imported"):
        import_code(source)


def test_modules_that_cannot_be_imported_are_named(theirs):
    with pytest.raises(OwnCodeError, match="module 'no_such_module' cannot be imported"):
        trust(["no_such_module"])


@pytest.mark.parametrize("said", ["raise SystemExit(0)", "raise GeneratorExit"])
def test_a_module_that_ends_the_program_cannot_be_imported(theirs, tmp_path, said):
    (tmp_path / "their_code.py").write_text(f"first = 1\n{said}\n")
    for load in (lambda: import_code(theirs), lambda: trust(["their_code"])):
        with pytest.raises(OwnCodeError, match=r"may not end the program: .*their_code\.py, line 2"):
            load()


def test_error_of_their_module_names_its_line(theirs, tmp_path):
    (tmp_path / "their_code.py").write_text("first = 1\nsecond = first / 0\n")
    for load in (lambda: import_code(theirs), lambda: trust(["their_code"])):
        with pytest.raises(OwnCodeError, match=r"ZeroDivisionError: division by zero \(.*their_code\.py, line 2\)"):
            load()


def test_folders_that_are_there_or_can_be_made_are_accepted(tmp_path):
    for path in (tmp_path, tmp_path / "new", tmp_path / "new" / "newer"):
        check_folder(path)


def test_files_where_folders_are_wanted_are_named(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run" / "1"):
        with pytest.raises(UnwritablePathError, match=f"^{tmp_path / 'file'} is a file, expected a folder"):
            check_folder(path)


def test_what_no_file_can_be_written_as_is_named(tmp_path):
    check_file(tmp_path / "new.txt")
    write_text(tmp_path / "new.txt", "new")
    check_file(tmp_path / "new.txt")
    with pytest.raises(UnwritablePathError, match=f"^{tmp_path} is a folder, expected a file's name"):
        write_text(tmp_path, "new")
    missing = tmp_path / "missing" / "new.txt"
    with pytest.raises(UnwritablePathError, match=rf"^{missing.parent}, where new\.txt is to be written, is no folder"):
        write_text(missing, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["new.txt"]


#: Where root cannot write either.
UNWRITABLE = Path("/proc")


def test_folders_that_cannot_be_written_are_named(tmp_path, monkeypatch):
    message = r"^/proc cannot be written \(.+\); choose another folder$"
    for check, path in ((check_folder, "new/newer"), (check_folder, ""), (check_file, "new.txt")):
        with pytest.raises(UnwritablePathError, match=message):
            check(UNWRITABLE / path)
    monkeypatch.chdir(UNWRITABLE)
    with pytest.raises(UnwritablePathError, match=message):
        check_folder(Path("runs"))
    assert nearest_folder(Path("runs")) == Path(".")


def test_checking_leaves_nothing(tmp_path):
    before = os.stat(tmp_path).st_mtime_ns
    check_folder(tmp_path / "new")
    check_file(tmp_path / "new.txt")
    assert list(tmp_path.iterdir()) == [] and os.stat(tmp_path).st_mtime_ns == before
