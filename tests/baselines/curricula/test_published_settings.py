"""docs/teachers.md: what it calls ours are the teachers' defaults, and it names every option of theirs."""

import dataclasses
import re
from pathlib import Path

import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher

PAGE = Path(__file__).parents[3] / "docs" / "teachers.md"
#: Of options that several teachers share.
SHARED = "Levels that are designs"
SECTIONS = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]
OPTION = re.compile(r"^\| `(\w+)` \| ([^|]*?) ?\|", re.MULTILINE)


def documented(name: str) -> dict[str, str]:
    section = next(section for section in SECTIONS if name in re.split("[`,] *", section.splitlines()[0]))
    inherited = documented("plr") if name == "accel" else {}
    if name in ("plr", "learnability", "ncc"):
        inherited = documented(SHARED)
    return inherited | dict(OPTION.findall(section))


@pytest.mark.parametrize(
    "name", ["plr", "accel", "learnability", "ncc", "dynamic-tasks", "alp-gmm", "goal-gan", "apt-gen"]
)
def test_the_page_tells_the_defaults(name):
    defaults = {field.name: str(field.default) for field in dataclasses.fields(get_teacher(name).configured(""))}
    assert documented(name) == defaults
