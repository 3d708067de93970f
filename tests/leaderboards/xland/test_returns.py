"""Tables of returns in memory and in files, and what of them is refused."""

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.return_files import read_table, write_table
from procgen_bench.leaderboards.xland.returns import EvaluationTask, ReturnTable
from tests.leaderboards.xland.makers import POLICIES, table_of, tables, tasks_of

TASKS = tasks_of(("g", "h"), co_players=("noop", "swift"))
CELL = "return of 'random' on game 'h', world 'w', co-player 'noop'"


def returns_with(value):
    returns = np.ones((3, 4))
    returns[1, 2] = value
    return returns


def same(table, other):
    return (table.policies, table.tasks) == (other.policies, other.tasks) and (
        table.returns.tobytes() == other.returns.tobytes()
    )


@settings(max_examples=30, deadline=None)
@given(tables())
def test_files_hold_tables_bit_for_bit(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("tables")
    for suffix in ("json", "npz"):
        path = folder / f"table.{suffix}"
        write_table(table, path)
        assert same(read_table(path), table)
        content = path.read_bytes()
        write_table(read_table(path), path)
        assert path.read_bytes() == content
    assert sorted(file.name for file in folder.iterdir()) == ["table.json", "table.npz"]  # nothing unfinished


def test_a_table_is_not_to_be_changed():
    source = np.ones((3, 4))
    table = ReturnTable(POLICIES, TASKS, source)
    source[0, 0] = 5
    assert table.returns[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        table.returns[0, 0] = 5


def test_parts_and_sums_of_tables():
    table = ReturnTable(POLICIES, TASKS, np.arange(12.0).reshape(3, 4))
    assert table.games == ("g", "h") and table.tasks_by_game["h"].tolist() == [2, 3]
    assert table.of_policy("random").tolist() == [4, 5, 6, 7]
    part = table.of_policies(["swift", "noop"]).of_tasks([TASKS[3], TASKS[0]])
    assert part.returns.tolist() == [[11, 8], [3, 0]]
    agent = ReturnTable(("agent",), TASKS[::-1], [[3.0, 2.0, 1.0, 0.0]])
    assert table.joined(agent).of_policy("agent").tolist() == [0, 1, 2, 3]
    cells = {(policy, task): 2.0 for policy in POLICIES for task in TASKS}
    assert (ReturnTable.of_cells(POLICIES, TASKS, cells).returns == 2).all()


def without(cells, *left_out):
    return {cell: value for cell, value in cells.items() if cell not in left_out}


ALL_CELLS = {(policy, task): 1.0 for policy in POLICIES for task in TASKS}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ReturnTable(POLICIES, TASKS, returns_with(np.nan)), f"{CELL} is nan, expected a finite number"),
        (lambda: ReturnTable(POLICIES, TASKS, returns_with(-0.5)), f"{CELL} is -0.5, expected a finite number, at"),
        (lambda: ReturnTable(POLICIES, TASKS, returns_with(np.inf)), f"{CELL} is inf"),
        (lambda: ReturnTable(POLICIES, TASKS, np.ones((3, 5))), "shape of the returns is (3, 5), expected (3, 4)"),
        (lambda: ReturnTable(POLICIES, TASKS, [[1.0], [1.0, 2.0]]), "returns is [[1.0], [1.0, 2.0]], expected numbers"),
        (lambda: ReturnTable((), TASKS, np.ones((0, 4))), "number of policies is 0, expected at least 1"),
        (lambda: ReturnTable(POLICIES, (), np.ones((3, 0))), "number of tasks is 0, expected at least 1"),
        (lambda: ReturnTable(("a", "a", "b"), TASKS, np.ones((3, 4))), "policies is 'a (twice)', expected every"),
        (lambda: ReturnTable(POLICIES, (*TASKS[:3], TASKS[0]), np.ones((3, 4))), "tasks is \"game 'g', world 'w'"),
        (lambda: ReturnTable(("", "a", "b"), TASKS, np.ones((3, 4))), "name of a policy is ''"),
        (lambda: ReturnTable(("a\n", "a", "b"), TASKS, np.ones((3, 4))), "name of a policy is 'a\\n', expected 1 to"),
        (lambda: table_of([[1]], policies=("a",), co_players=("",)), "co-player of a task is ''"),
        (
            lambda: ReturnTable.of_cells(POLICIES, TASKS, without(ALL_CELLS, ("random", TASKS[2]))),
            f"{CELL} is None, expected a number in every cell",
        ),
        (lambda: ReturnTable.of_cells(POLICIES, TASKS, {}), "(as are 11 others) is None"),
        (
            lambda: table_of([[1]], policies=("a",), co_players=("x",)).joined(
                table_of([[1]], policies=("b",), co_players=("y",))
            ),
            "a task of only one of the tables is \"game 'g', world 'w', co-player 'x'\"",
        ),
    ],
)
def test_bad_tables_are_refused(make, message):
    with pytest.raises(InvalidReturnsError) as caught:
        make()
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda table: table.of_policy("human"), "unknown policy 'human'; known: noop, random, swift"),
        (lambda table: table.of_policies(["noop", "human"]), "unknown policy 'human'"),
        (lambda table: table.of_tasks([EvaluationTask("g", "w", "human")]), "co-player 'human'\"; known: game 'g'"),
        (
            lambda table: ReturnTable.of_cells(POLICIES, TASKS, {("human", TASKS[0]): 1.0}),
            "unknown policy 'human'; known: noop",
        ),
        (
            lambda table: ReturnTable.of_cells(POLICIES, TASKS, {("noop", EvaluationTask("x", "w", "noop")): 1.0}),
            "unknown task \"game 'x'",
        ),
    ],
)
def test_unknown_names_are_refused(ask, message):
    with pytest.raises(UnknownNameError) as caught:
        ask(ReturnTable(POLICIES, TASKS, np.ones((3, 4))))
    assert message in str(caught.value)


def tampered(content, **changes):
    return json.dumps({**content, **changes})


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (lambda c: "{", "table.json: text at line 1, column 2"),
        (lambda c: tampered(c, format_version=2), "table.json: format_version is 2, expected 1"),
        (lambda c: tampered(c, extra=1), "table.json: unknown field extra is 1"),
        (lambda c: json.dumps(without(c, "returns")), "table.json: content is 'returns (missing)'"),
        (lambda c: tampered(c, returns=c["returns"][:2]), "number of rows of returns is 2, expected 3, one for every"),
        (lambda c: tampered(c, returns=[[1.0] * 4, [1.0, 1.0, None, 1.0], [1.0] * 4]), f"{CELL} is None"),
        (lambda c: tampered(c, returns=[[1.0] * 4, [1.0] * 2, [1.0] * 4]), f"{CELL} (as are 1 others) is None"),
        (lambda c: tampered(c, returns=[[1.0] * 4, [1.0] * 5, [1.0] * 4]), "number of returns of 'random' is 5"),
        (lambda c: tampered(c, returns=returns_with(-3.0).tolist()), f"{CELL} is -3.0"),
        (lambda c: tampered(c, returns=returns_with(np.nan).tolist()), "table.json: number is 'NaN', expected a fin"),
        (lambda c: tampered(c, returns=[["1"] * 4] * 3), "table.json: returns[0][0] is '1', expected a valid number"),
        (lambda c: tampered(c, policies=[]), "number of policies is 0"),
        (lambda c: tampered(c, tasks=[{"game": "g", "world": "w"}]), "table.json: content is 'tasks[0].co_player"),
        (lambda c: tampered(c)[:-1] + ', "policies": []}', "table.json: key is 'policies', expected every key only on"),
    ],
)
def test_bad_json_is_refused(tmp_path, tamper, message):
    path = tmp_path / "table.json"
    write_table(ReturnTable(POLICIES, TASKS, np.ones((3, 4))), path)
    path.write_text(tamper(json.loads(path.read_text())))
    with pytest.raises(InvalidReturnsError) as caught:
        read_table(path)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def npz(**changes):
    arrays = {
        "format_version": np.int64(1),
        "policies": np.array(POLICIES),
        "tasks": np.array(TASKS),
        "returns": np.ones((3, 4)),
    }
    file = io.BytesIO()
    np.savez(file, **{name: array for name, array in {**arrays, **changes}.items() if array is not None})
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no zip file", "table.npz: content is "),
        (npz()[:-40], "table.npz: content is "),
        (npz(returns=None), "expected an npz file with format_version, policies, tasks and returns"),
        (npz(format_version=np.int64(9)), "table.npz: format_version is 9, expected 1"),
        (npz(returns=np.ones((3, 4), np.int32)), "table.npz: returns is 'int32 (3, 4)', expected floats in 2 dim"),
        (npz(policies=np.array([b"a", b"b", b"c"])), "table.npz: policies is '|S1 (3,)', expected text in 1 dim"),
        (npz(policies=np.array([None] * 3, object)), "table.npz: content is 'Object arrays cannot be loaded"),
        (npz(tasks=np.array(TASKS)[:, :2]), "table.npz: shape of tasks is (4, 2), expected tasks x 3: game, world"),
        (npz(returns=returns_with(np.nan)), f"{CELL} is nan"),
    ],
)
def test_bad_npz_is_refused(tmp_path, content, message):
    (tmp_path / "table.npz").write_bytes(content)
    with pytest.raises(InvalidReturnsError) as caught:
        read_table(tmp_path / "table.npz")
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_other_files_are_refused(tmp_path):
    table = ReturnTable(POLICIES, TASKS, np.ones((3, 4)))
    with pytest.raises(InvalidReturnsError, match=r"suffix of the file is 'table.csv', expected .json or .npz"):
        write_table(table, tmp_path / "table.csv")
    with pytest.raises(InvalidReturnsError, match="No such file"):
        read_table(tmp_path / "table.json")
