"""A traces.npz whose arrays are not what the benchmark demands."""

import io
import struct

import numpy as np

from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


def npy_with_header(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + content


def with_member(name: str, member: str, content, refusal: str):
    """Replace one .npy file inside the traces; ``content`` may be a function that makes it."""

    def forge(forged):
        made = content() if callable(content) else content
        forged.zip({**forged.members(), member: made}.items())

    ATTACKS.add(name, forge, refusal)


def with_array(name: str, array: str, change, refusal: str):
    ATTACKS.add(name, lambda forged: forged.array(array, change), refusal)


def objects() -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([{"a": 1}] * 10, object), allow_pickle=True)
    return file.getvalue()


def npy(header: str):
    return npy_with_header(f"{{{header}}}".ljust(117))


with_member("objects_for_numbers", "tasks.npy", objects, "tasks's dtype is 'object', expected int32")
with_member(
    "header_is_code", "tasks.npy", npy_with_header("__import__('os').abort()"), "tasks's header is .* expected a"
)
with_member("header_unfinished", "tasks.npy", b"\x93NUMPY\x01\x00\xff\xff{", "tasks's header is .* expected a NumPy")
with_member("header_of_garbage", "tasks.npy", b"\xff" * 300, "tasks's header is .* expected a NumPy header")
with_member("header_empty", "tasks.npy", b"", "tasks's header is .* expected a NumPy header")
with_member("header_nested", "tasks.npy", npy_with_header("(" * 300 + ")" * 300), "tasks's (header|size).* expected")
with_member(
    "header_of_version_3", "tasks.npy", b"\x93NUMPY\x03\x00" + bytes(300), "tasks's header is 'not version 1.0'"
)
with_member(
    "shape_huge",
    "tasks.npy",
    npy("'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999,), "),
    r"tasks's shape is \(99999999999999,\), expected \(100,\)",
)
with_member(
    "shape_negative",
    "tasks.npy",
    npy("'descr': '<i4', 'fortran_order': False, 'shape': (-100,), "),
    r"tasks's shape is \(-100,\), expected \(100,\)",
)
with_member(
    "shape_without_content",
    "tasks.npy",
    npy("'descr': '<i4', 'fortran_order': False, 'shape': (100,), "),
    "tasks's content in bytes is 0, expected 400",
)
with_member(
    "dtype_made_of_fields",
    "tasks.npy",
    npy("'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (100,), "),
    "tasks's dtype is .* expected int32",
)


def header(name: str, text: str, refusal: str = "tasks's header is .* expected a NumPy header"):
    with_member(f"header_{name}", "tasks.npy", npy_with_header(text, bytes(400)), refusal)


# What Python's tokenizer, its parser and NumPy's reading of a dtype stumble over, each in its own way.
header("with_an_open_text", "{'descr': '''<i4")
header("with_an_open_bracket", "{'descr': ('<i4', [((")
header("with_a_closed_bracket", "{'descr': '<i4'}]")
header("with_a_stray_backslash", "{'descr': '<i4', \\x}")
header("with_a_bad_escape", "{'descr': '<i4\\d', 'fortran_order': False, 'shape': (100,)}")
header("with_a_null", "{'descr': '<i4\0'}")
header("indented", "    {'descr':\n  '<i4'\n      }")
header("of_python_2", "{'descr': '<i4', 'fortran_order': False, 'shape': (100L,)}")
header("of_deep_sums", "1" + "+1" * 240)
header("of_deep_signs", "-" * 480 + "1")
header("with_other_keys", "{'descr': '<i4', 3: 4}")
header("with_a_list_for_a_key", "{[]: 1}")
header("with_a_shape_of_text", "{'descr': '<i4', 'fortran_order': False, 'shape': ('100',)}")
header("with_a_shape_of_all_digits", "{'descr': '<i4', 'fortran_order': False, 'shape': (" + "9" * 430 + ",)}", "shape")
header("with_an_order_of_none", "{'descr': '<i4', 'fortran_order': None, 'shape': (100,)}")
for number, dtype in enumerate(
    ("()", "('<i4',)", "('<i4', 2**62)", "[()]", "[3]", "'<i4,<i4)'", "'|V99999999999'", "None")
):
    header(f"with_strange_dtype_{number}", f"{{'descr': {dtype}, 'fortran_order': False, 'shape': (100,)}}")
header(
    "with_a_dtype_of_pairs",
    "{'descr': ('<i4', (2,)), 'fortran_order': False, 'shape': (50,)}",
    "tasks's dtype is .*, expected int32",
)
header(
    "with_a_dtype_of_two_gigabytes",
    "{'descr': '|S2147483647', 'fortran_order': False, 'shape': (100,)}",
    "tasks's dtype is .*, expected int32",
)
header(
    "with_objects_in_a_field",
    "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (100,)}",
    "tasks's dtype is .*, expected int32",
)

with_array(
    "actions_as_floats", "actions", lambda a: a.astype(np.float64), "actions's dtype is 'float64', expected int64"
)
with_array("actions_as_bytes", "actions", lambda a: a.astype(np.int8), "actions's dtype is 'int8', expected int64")
with_array("actions_big_endian", "actions", lambda a: a.astype(">i8"), "actions's dtype is '>i8', expected int64")
with_array("actions_as_bools", "actions", lambda a: a.astype(bool), "actions's dtype is 'bool', expected int64")
with_array("actions_as_text", "actions", lambda a: a.astype("U1"), "actions's dtype is '<U1', expected int64")
with_array("actions_in_two_dimensions", "actions", lambda a: a[:, None], r"actions's shape is \(\d+, 1\), expected")
with_array("actions_too_few", "actions", lambda a: a[:-1], r"actions's shape is \(\d+,\), expected")
with_array("actions_too_many", "actions", lambda a: np.append(a, 0), r"actions's shape is \(\d+,\), expected")
with_array("seeds_signed", "seeds", lambda s: s.astype(np.int64), "seeds's dtype is 'int64', expected uint64")
with_array("lengths_complex", "lengths", lambda n: n.astype(complex), "lengths's (dtype is 'complex128'|size in bytes)")
with_array("scores_in_single_precision", "scores", lambda s: s.astype(np.float32), "scores's dtype is 'float32'")


def set_item(array_name: str, name: str, index: int, value, refusal: str):
    def change(array):
        array[index] = value

    with_array(name, array_name, change, refusal)


set_item("lengths", "length_negative", 3, -1, r"lengths\[3\] is -1, expected 0 to 50 actions")
set_item("lengths", "length_beyond_the_limit", 3, 51, r"lengths\[3\] is 51, expected 0 to 50 actions")
set_item("lengths", "lengths_overflow", slice(None), 2**31 - 1, r"lengths\[0\] is 2147483647, expected 0 to 50 actions")
set_item("lengths", "lengths_of_another_sum", 3, 0, r"actions's (shape|size)")
set_item("actions", "action_too_great", 5, 4, r"action 5 of run 0, episode 0 is 4, expected a member of Discrete\(4\)")
set_item("actions", "action_negative", 5, -1, r"action 5 of run 0, episode 0 is -1, expected a member of Discrete\(4\)")
set_item("actions", "last_action_too_great", -1, 2**62, r"action \d+ of run 1, episode 49 is 46.* expected a member of")
set_item(
    "tasks", "task_outside_the_suite", 60, 1, r"tasks\[60\] \(run 1, episode 10\) is 1, expected 0: the suite's tasks"
)
set_item("tasks", "task_negative", 0, -1, r"tasks\[0\] \(run 0, episode 0\) is -1, expected 0")
set_item("runs", "run_of_another", 10, 1, r"runs\[10\] \(run 0, episode 10\) is 1, expected 0: every run's episodes")
set_item("seeds", "seed_chosen", 70, 12345, r"seeds\[70\] \(run 1, episode 20\) is 12345, expected \d+: the seed bound")
