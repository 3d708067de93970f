"""What holds of every task: it is a value that nothing changes, it checks itself, and text tells it."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from procgen_bench import Task
from procgen_bench.core.errors import InvalidTaskError, ProcgenBenchError
from tests.tasks.conformance.cases import Case


class Stranger(Task):
    """A task of no family."""


def parts(task: Task) -> Iterator[Task]:
    """The task, and the tasks that its fields are."""
    yield task
    for field in fields(task):
        if isinstance(getattr(task, field.name), Task):
            yield from parts(getattr(task, field.name))


def check_tasks_cannot_change(case: Case, count: int = 3) -> None:
    """Fields cannot be set and arrays not be written, neither the task's nor its copies'."""
    for task in case.tasks(count):
        for twin in (task, pickle.loads(pickle.dumps(task)), copy.deepcopy(task)):
            assert twin == task and hash(twin) == hash(task) and twin.fingerprint() == task.fingerprint()
            for part in parts(twin):
                for field in fields(part):
                    with pytest.raises(FrozenInstanceError):
                        setattr(part, field.name, getattr(part, field.name))
                    value = getattr(part, field.name)
                    assert not isinstance(value, np.ndarray) or not value.flags.writeable, f"{field.name} is writable"


def check_every_field_tells_tasks_apart(case: Case) -> None:
    """A field with another task's value makes another task."""
    one, *others = case.tasks(6)
    for name in {field.name for field in fields(one)} - case.usual_fields:
        fingerprints = {replace(one, **{name: getattr(other, name)}).fingerprint() for other in others}
        assert case.environment_id in ONE_VALUE.get(name, ()) or len(fingerprints) > 1, f"{name} is ignored"


#: Fields that hardly differ between the tasks of a family.
ONE_VALUE = {"obstacles": ("TablePush-v0",), "co_players": ("XLand-v0", "XLandSmall-v0")}


def check_broken_fields_are_refused(case: Case) -> None:
    """A field of another type or shape makes a task that is refused."""
    task = case.decoded(1)[0]
    for field in fields(task):
        for value in _broken(getattr(task, field.name)):
            with pytest.raises(ProcgenBenchError) as caught:
                case.space.resolve(replace(task, **{field.name: value}))
            assert "\n" not in str(caught.value)


def _broken(value: object) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from (value.astype(np.complex64), value[np.newaxis], value.tolist())
        if value.size:
            yield value.ravel()[:-1]
    elif isinstance(value, Task):
        for field in fields(value):
            for broken in _broken(getattr(value, field.name)):
                yield replace(value, **{field.name: broken})
    elif not isinstance(value, tuple):
        yield from (None, [value])


def check_resolving(case: Case) -> None:
    """A task, its parameters and nothing else is a task."""
    params = case.space.sample(np.random.default_rng(4))
    task = case.space.decode(params)
    assert case.space.resolve(task) is task
    assert case.space.resolve(params) == task
    assert case.space.resolve_many([task, params]) == (task, task)
    for nothing in (7, None, [task], Stranger(), b"task"):
        with pytest.raises(InvalidTaskError, match=f"a {case.space.task_type.__name__}"):
            case.space.resolve(nothing)
    assert case.space.with_parts(task, {}) is task


def check_tasks_of_other_options_are_refused(case: Case, other: Case) -> None:
    """What another option's space decodes is no task of this one."""
    with pytest.raises(InvalidTaskError):
        case.space.resolve(other.decoded(1)[0])


def check_spaces_are_copied(case: Case) -> None:
    """A pickled space is as good as the space itself, also after its suites were read."""
    names = case.space.suite_names
    for name in names:
        case.space.suite(name)
    twin = pickle.loads(pickle.dumps(case.space))
    assert twin.space == case.space.space and twin.suite_names == names
    rng, other = np.random.default_rng(6), np.random.default_rng(6)
    assert twin.decode(twin.sample(rng)) == case.space.decode(case.space.sample(other))


def check_text_round_trip(case: Case, count: int) -> None:
    """``from_text(to_text(task)) == task``, and the text of different tasks differs."""
    tasks = list(dict.fromkeys(case.tasks(count)))
    texts = [task.to_text() for task in tasks]
    assert len(set(texts)) == len(tasks)
    for task, text in zip(tasks, texts):
        assert case.space.task_type.from_text(text) == task
        assert case.space.task_type.from_text(f"\n{text}\n") == task


def texts(case: Case) -> list[str]:
    """Texts to mangle."""
    return [task.to_text() for task in case.tasks(3)]


@st.composite
def mangled(draw, whole: list[str]) -> str:
    """A text with a few edits: characters and lines that go, come twice, change places or are replaced."""
    text = draw(st.sampled_from(whole))
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split("\n")
        place, other = (draw(st.integers(0, max(len(text) - 1, 0))) for _ in range(2))
        line = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 7)):
            case 0:
                text = text[:place] + text[place + 1 :]
            case 1:
                text = text[:place] + draw(_SYMBOLS) + text[place + 1 :]
            case 2:
                text = text[:place] + draw(_SYMBOLS) + text[place:]
            case 3:
                text = "\n".join(lines[:line] + lines[line + 1 :])
            case 4:
                text = "\n".join([*lines[:line], lines[line], *lines[line:]])
            case 5:
                text = "\n".join([*lines[:line], draw(_LINES), *lines[line + 1 :]])
            case 6:
                first, second = sorted((place, other))
                text = text[:first] + text[second:]
            case 7:
                words = lines[line].split(" ")
                words[draw(st.integers(0, len(words) - 1))] = draw(_WORDS)
                text = "\n".join([*lines[:line], " ".join(words), *lines[line + 1 :]])
    return text


_SYMBOLS = st.one_of(st.sampled_from(list(".#~@&GABab0123456789-+: =\t\r\x0b\x85\u2028²٣½")), st.characters())
_WORDS = st.sampled_from(["nan", "inf", "-inf", "1e999", "-1", "0x1", "1_0", "", "²", "٣", "99999999999999999999", "x"])
_LINES = st.one_of(st.text(max_size=12), st.sampled_from(["", " ", ":", "=", "start 1 2", "block held", "subtasks:"]))


def check_mangled_text(case: Case, text: str) -> None:
    """It is refused as an invalid task, or read as a task that is judged valid or not."""
    try:
        task = case.space.task_type.from_text(text)
    except InvalidTaskError as error:
        assert "\n" not in str(error)
        return
    try:
        case.space.validate(task)
    except ProcgenBenchError as error:
        assert "\n" not in str(error)
        return
    assert case.space.task_type.from_text(task.to_text()) == task
