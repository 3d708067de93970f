"""Tables that other packages add to: a package is put on the path as pip would install it."""

import sys
import textwrap

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS, Method, get_method
from procgen_bench.baselines.policies.loading import load_policy, policy_hash
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core import plugins
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import UnknownNameError
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
