"""Inputs, outputs and metadata of a model against an environment's spaces."""

import pytest

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.sandbox.signature import (
    Description,
    check_signature,
    read_columns,
    read_description,
    read_texts,
)
from procgen_bench.core.errors import InvalidPolicyError

OBSERVED, ACTION = [Column("seen", "float32", (4,))], Column("action", "int64", ())
SEEN, NOISE = Column("seen", "float32", (4,)), Column("noise", "float32", (4_096,))
STATE = Column("state_in_x", "float32", (3, 2))


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ([SEEN], {"action": "int64"}),
        ([NOISE, SEEN], {"action": "int64"}),
        ([STATE, SEEN], {"state_out_x": "float32", "action": "int64"}),
    ],
)
def test_what_the_form_says_is_taken(inputs, outputs):
    check_signature(inputs, outputs, OBSERVED, ACTION)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "inputs are none, expected 'seen'"),
        ([Column("looked", "float32", (4,))], "inputs are 'looked', expected 'seen'"),
        ([SEEN, Column("task", "float32", (1,))], "inputs are 'seen', 'task', expected 'seen'"),
        ([Column("seen", "float64", (4,))], r"input 'seen' is float64 \(N, 4\), expected float32 \(N, 4\)"),
        ([Column("seen", "float32", (4, 1))], r"input 'seen' is float32 \(N, 4, 1\), expected float32 \(N, 4\)"),
        ([SEEN, Column("noise", "float32", (4_097,))], r"noise is float32 \(N, 4097\), expected float32 \(N, K\)"),
        ([SEEN, Column("noise", "float32", (0,))], r"noise is float32 \(N, 0\)"),
        ([SEEN, Column("noise", "float32", (2, 2))], r"noise is float32 \(N, 2, 2\)"),
        ([SEEN, Column("noise", "float64", (2,))], r"noise is float64 \(N, 2\)"),
        ([SEEN, Column("state_in_x", "int64", (2,))], r"'state_in_x' is int64 \(N, 2\), expected float32"),
        ([SEEN, STATE], r"outputs are 'action' \(int64\), expected 'action' \(int64\), 'state_out_x' \(float32\)"),
    ],
)
def test_other_inputs_are_refused(inputs, message):
    with pytest.raises(InvalidPolicyError, match=message):
        check_signature(inputs, {"action": "int64"}, OBSERVED, ACTION)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({}, "outputs are none, expected 'action'"),
        ({"action": "float32"}, r"outputs are 'action' \(float32\), expected 'action' \(int64\)"),
        ({"logits": "float32"}, "outputs are 'logits'"),
        ({"action": "int64", "value": "float32"}, "outputs are 'action' .*, 'value'"),
    ],
)
def test_other_outputs_are_refused(outputs, message):
    with pytest.raises(InvalidPolicyError, match=message):
        check_signature([SEEN], outputs, OBSERVED, ACTION)


def test_metadata_are_read():
    assert read_description({"something": "else"}) == Description()
    said = {"method": "mine", "environment": "Mine-v0", "training_steps": "12", "environment_options": '{"side": 3}'}
    assert read_description(said) == Description("mine", "Mine-v0", 12, {"side": 3})


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"environment_options": "[" * 9_000}, r"environment_options are '\[+\.\.\.', expected a JSON object"),
        ({"environment_options": "3"}, "environment_options are '3', expected a JSON object"),
        ({"method": "a\nb"}, "method is 'a b', expected 1 to 100 characters"),
        ({"method": ""}, "method is '', expected 1 to 100 characters"),
        ({"environment": "x" * 101}, "environment is 'x+', expected 1 to 100 characters"),
        ({"training_steps": "-1"}, "training_steps is '-1', expected a number of steps"),
        ({"training_steps": "9" * 16}, "training_steps is '9+', expected a number of steps"),
    ],
)
def test_other_metadata_are_refused(metadata, message):
    with pytest.raises(InvalidPolicyError, match=message) as caught:
        read_description(metadata)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "described",
    [
        None,
        3,
        {},
        [None],
        [["seen", "float32"]],
        [["seen", "float32", 4]],
        [["seen", "float32", [True]]],
        [["seen", "float32", [-4]]],
        [["seen", 3, [4]]],
        [["seen", "float32", [4], "more"]],
    ],
)
def test_inputs_that_a_child_makes_up_are_refused(described):
    with pytest.raises(InvalidPolicyError, match="expected names and shapes"):
        read_columns(described)


@pytest.mark.parametrize("described", [None, [], {"action": 3}, {"action": None}])
def test_texts_that_a_child_makes_up_are_refused(described):
    with pytest.raises(InvalidPolicyError, match=r"outputs are .*, expected texts by name"):
        read_texts(described, "outputs")
