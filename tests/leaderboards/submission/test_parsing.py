import dataclasses
import json
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import Metadata, parse_metadata
from procgen_bench.leaderboards.submission.traces import TraceLimits, Traces, parse_traces

FUZZ = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = list(Metadata.model_fields)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def metadata_bytes(random_folder):
    return (random_folder / "submission.json").read_bytes()


@pytest.fixture(scope="module")
def traces_bytes(random_folder):
    return (random_folder / "traces.npz").read_bytes()


def accepted(parse, *arguments):
    """What ``parse`` returns, or ``None`` for a refusal in one line; any other error fails the test."""
    try:
        return parse(*arguments)
    except InvalidSubmissionError as refusal:
        assert str(refusal).isprintable()
        return None


def mutated(content: bytes, changes: list[tuple[float, int]]) -> bytes:
    changed = bytearray(content)
    for place, byte in changes:
        changed[int(place * (len(changed) - 1))] = byte
    return bytes(changed)


#: Of two runs of target A, and of one of three ants.
GRID = TraceLimits(2, 50, 50, 5_000, np.dtype(np.int64), ())
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=4)


@FUZZ
@given(changes=CHANGES)
def test_changed_bytes_of_metadata_are_refused_or_valid(metadata_bytes, changes):
    accepted(parse_metadata, mutated(metadata_bytes, changes))


@FUZZ
@given(content=st.binary(max_size=200))
def test_any_bytes_are_no_metadata(content):
    assert accepted(parse_metadata, content) is None


@FUZZ
@given(name=st.sampled_from(NAMES), value=VALUES)
def test_any_value_of_any_field_is_refused_or_kept_as_it_is(metadata_bytes, name, value):
    content = {**json.loads(metadata_bytes), name: value}
    metadata = accepted(parse_metadata, json.dumps(content).encode())
    if metadata is not None:
        assert json.loads(metadata.to_json()) == content


@FUZZ
@given(text=st.text(max_size=80))
def test_method_names_become_plain_folder_names(metadata_bytes, text):
    metadata = accepted(parse_metadata, json.dumps({**json.loads(metadata_bytes), "method": text}).encode())
    if metadata is not None:
        assert metadata.entry_name and set(metadata.entry_name) <= set(string.ascii_lowercase + string.digits + "-")


@FUZZ
@given(changes=CHANGES)
def test_changed_bytes_of_traces_are_refused_or_valid(traces_bytes, changes):
    traces = accepted(parse_traces, mutated(traces_bytes, changes), GRID)
    if traces is not None:
        assert len(traces.runs) == 100 and len(traces.actions) == traces.lengths.sum()


@FUZZ
@given(cut=st.floats(0, 1), content=st.binary(max_size=100))
def test_cut_and_extended_traces_are_refused(traces_bytes, cut, content):
    kept = traces_bytes[: int(cut * (len(traces_bytes) - 1))]
    assume(kept + content != traces_bytes)  # what was cut off may be put back
    assert accepted(parse_traces, kept + content, GRID) is None


@settings(max_examples=50)
@given(data=st.data())
def test_traces_survive_their_file(data):
    """Any shape and dtype of action, any number of episodes."""
    lengths = np.array(data.draw(st.lists(st.integers(0, 120), min_size=1, max_size=6)), np.int32)
    dtype = np.dtype(data.draw(st.sampled_from(["<i8", "<f4", "|i1"])))
    shape = tuple(data.draw(st.lists(st.integers(1, 3), max_size=2)))
    episodes = len(lengths)
    rng = np.random.default_rng(0)
    traces = Traces(
        runs=np.zeros(episodes, np.int32),
        tasks=np.arange(episodes, dtype=np.int32),
        seeds=rng.integers(0, 2**63, episodes, dtype=np.uint64),
        lengths=lengths,
        scores=rng.normal(size=episodes),
        actions=rng.integers(0, 9, (lengths.sum(), *shape)).astype(dtype),
    )
    raw = traces.to_npz()
    limits = TraceLimits(1, episodes, 120, len(traces.actions), dtype, shape)
    assert accepted(parse_traces, raw, dataclasses.replace(limits, episodes_per_run=episodes + 1)) is None
    assert len(raw) <= limits.max_bytes
    read = parse_traces(raw, limits)
    for name, array in vars(traces).items():
        assert getattr(read, name).dtype == array.dtype
        np.testing.assert_array_equal(getattr(read, name), array)


def test_reading_leaves_the_folder_as_it_was(honest, tree_hash):
    before = tree_hash(honest.folder)
    read_submission(honest.folder)
    assert tree_hash(honest.folder) == before
