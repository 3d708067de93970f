"""The file of a sweep: which runs it asks for, and what is refused in one line."""

from dataclasses import dataclass

import pytest

from procgen_bench.baselines.method_table import METHODS, Method
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.sweeps.sweep_file import SweepFileError, read_sweep
from tests.envs.conformance.trajectory import CHECKOUT

NEEDED = 'methods = ["ppo", "sibling-rivalry"]\nbenchmarks = ["point-maze/corridor-2"]\n'


@dataclass(frozen=True)
class TeacherlessConfiguration:
    """Of a method of another package, which has no teacher."""


@pytest.fixture
def read(tmp_path, monkeypatch):
    teacherless = Method(
        "teacherless", "Learns by itself.", "", f"{__name__}:TeacherlessConfiguration", loop=f"{__name__}:loop"
    )
    monkeypatch.setitem(METHODS.data, "teacherless", teacherless)

    def read_text(text):
        (tmp_path / "sweep.toml").write_text(text)
        return read_sweep(tmp_path / "sweep.toml")

    return read_text


def test_every_method_has_every_teacher_benchmark_and_seed(read, tmp_path):
    sweep = read(
        'methods = ["ppo", "a2c"]\nbenchmarks = ["grid-world/graded", "bit-grid/test"]\n'
        'teachers = ["uniform", "plr"]\nseeds = [3, 1]\nsteps = 1_000'
    )
    cells = sweep.cells(tmp_path)
    assert [cell.name for cell in cells[:4]] == [
        f"{method} {teacher} grid-world/graded seed 3" for method in ("ppo", "a2c") for teacher in ("uniform", "plr")
    ]
    assert [cell.seed for cell in cells] == [3] * 8 + [1] * 8
    assert {cell.steps for cell in cells} == {1_000}
    assert len({cell.folder for cell in cells}) == len(cells) == 16


def test_a_number_of_seeds_begins_at_zero(read, tmp_path):
    assert [read(NEEDED + text).seeds for text in ("", "seeds = 3", "seeds = [7]")] == [(0,), (0, 1, 2), (7,)]


def test_a_method_without_a_teacher_is_trained_once(read, tmp_path):
    needed = NEEDED.replace("sibling-rivalry", "teacherless")
    cells = read(needed + 'teachers = ["uniform", "plr"]').cells(tmp_path)
    assert [cell.name.partition(" point")[0] for cell in cells] == ["ppo uniform", "ppo plr", "teacherless"]
    assert {cell.steps for cell in cells} == {get_benchmark("point-maze/corridor-2").interaction_budget}
    assert [cell.options for cell in read(NEEDED).cells(tmp_path)] == [{}, {}]


def test_options_are_of_all_methods_that_have_them_or_of_one(read, tmp_path):
    cells = read(
        NEEDED + 'teachers = ["plr"]\n[options]\nevaluate_every = 50\nnum_envs = 8\n'
        "[options.ppo]\nlearning_rate = 1\nevaluate_every = 60\n"
        '[teacher_options.plr]\nbuffer_size = 10\nscore = "value_loss"'
    ).cells(tmp_path)
    assert [cell.options for cell in cells] == [
        {
            "teacher": "plr",
            "teacher_options": "buffer_size=10,score=value_loss",
            "evaluate_every": 60,
            "num_envs": 8,
            "learning_rate": 1.0,
        },
        {"teacher": "plr", "teacher_options": "buffer_size=10,score=value_loss", "evaluate_every": 50},
    ]


def test_other_settings_are_other_folders(read, tmp_path):
    texts = ["", "steps = 70", "[options]\nevaluate_every = 50", "[options.ppo]\nwidth = 16\nlayers = 1\nepochs = 1"]
    texts.append(texts[-1].replace("16", "17") + "\nminibatches = 2\nrollout_steps = 8\nnum_envs = 16\nmemory = 32")
    texts.append(texts[-1].replace("17", "18"))
    folders = [cell.folder for text in texts for cell in read(NEEDED + text).cells(tmp_path)]
    assert len(set(folders[::2])) == len(texts)
    assert len(set(folders[1::2])) == 3, "sibling-rivalry's are the same where ppo's options differ"
    assert all(len(folder.parent.parent.name) < 100 for folder in folders)
    ordered = "\n".join(["[options.ppo]", *sorted(texts[-1].splitlines()[1:])])
    assert read(NEEDED + ordered).cells(tmp_path)[0].folder == folders[-2], "the order of a file decides nothing"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("methods = [", "cannot be read as TOML: "),
        ('methods = ["ppo"]', "the file is 'without benchmarks', expected a list, e.g. benchmarks = ["),
        (NEEDED + "seed = 1", "key is 'seed', expected one of ['methods', 'benchmarks', 'teachers', 'seeds'"),
        (NEEDED.replace("ppo", "pppo"), "methods: unknown method 'pppo'; did you mean 'ppo'"),
        (NEEDED.replace("ppo", "random"), "methods is 'random', expected methods that are trained"),
        (NEEDED.replace('"ppo", "sibling-rivalry"', '"ppo", "ppo"'), "expected a list of different names"),
        (NEEDED.replace('["ppo", "sibling-rivalry"]', '"ppo"'), "methods is 'ppo', expected a list of different"),
        (NEEDED.replace("corridor-2", "corridor-3"), "benchmarks: unknown benchmark 'point-maze/corridor-3'; did you"),
        (NEEDED.replace("point-maze/corridor-2", "table-push/graded"), "method sibling-rivalry does not support Tab"),
        (NEEDED + 'teachers = ["prl"]', "teachers: unknown teacher 'prl'; did you mean 'plr'"),
        (
            NEEDED.replace('"ppo", "sibling-rivalry"', '"teacherless"') + 'teachers = ["plr"]',
            "teachers is ['plr'], expected none: teacherless has no teacher",
        ),
        (NEEDED + "steps = 0", "steps is 0, expected an integer of at least 1"),
        (NEEDED + "seeds = 0", "seeds is 0, expected an integer of at least 1"),
        (NEEDED + "seeds = [1, 1]", "seeds is [1, 1], expected their number, or a list of different integers"),
        (NEEDED + "[options]\nnum_env = 3", "options is 'num_env', expected one of ["),
        (NEEDED + "[options.dqn]\nbatch_size = 3", "options is 'dqn', expected options, or a table of one of the"),
        (NEEDED + "[options.ppo]\nnum_env = 3", "options.ppo is 'num_env', expected one of ["),
        (NEEDED + "[options.ppo]\nnum_envs = 3.5", "options.ppo.num_envs is 3.5, expected a valid integer"),
        (NEEDED + "[options.ppo]\nnum_envs = true", "options.ppo.num_envs is True, expected a valid integer"),
        (NEEDED + "[options]\nlearning_rate = '5e-4'", "options.ppo.learning_rate is '5e-4', expected a valid number"),
        (NEEDED + "[options]\nlearning_rate = nan", "options.ppo.learning_rate is nan, expected a finite number"),
        (NEEDED + "[options.ppo]\noptimiser = 'sgd'", "options.ppo.optimiser is 'sgd', expected 'adam' or 'rmsprop'"),
        (NEEDED + "[options]\nteacher = 'plr'", "options.ppo is 'teacher', expected its own key at the top, teachers"),
        (NEEDED + "[teacher_options.plr]\na = 1", "teacher_options is 'plr', expected tables of the sweep's teachers"),
        (
            NEEDED + 'teachers = ["plr"]\n[teacher_options.plr]\nbuffer_size = "many"',
            "teacher_options: teacher 'plr': buffer_size is 'many', expected a value of type int",
        ),
    ],
)
def test_bad_files_are_refused_with_what_is_wrong_and_what_was_expected(read, text, message):
    with pytest.raises(SweepFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert "sweep.toml" in str(refused.value)


def test_the_example_can_be_read(tmp_path):
    cells = read_sweep(CHECKOUT / "examples" / "curricula.toml").cells(tmp_path)
    assert len(cells) == 40 and cells[2].options["teacher_options"] == "buffer_size=2000"


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SweepFileError, match=r"none\.toml cannot be read as TOML"):
        read_sweep(tmp_path / "none.toml")
