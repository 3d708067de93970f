"""What an entry is called: method, teacher and variant apart, so that equal things have equal names.

Entries name their method as they like: "DQN under uniform", "dqn under uniform (discount 0.95)", "PPO + uniform". Where
the command is stated that trained a run, the method is what was trained, and the teacher whom it names.
"""

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from procgen_bench.leaderboards.submission.metadata import Metadata

_NAME = re.compile(r"(?P<base>.+?)(?: (?:under|\+) (?P<teacher>[^()]+?))?(?: \((?P<variant>.+)\))?")
#: How every command begins that trains a method of this package.
_TRAIN = ["procgen-bench", "train"]
#: What is easily taken for something else, in the order in which it is replaced.
_LOOK_ALIKES = (("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"), ("rn", "m"), ("vv", "w"))
_ALTERNATING = " and targets"


@dataclass(frozen=True, order=True)
class MethodName:
    """What a row is called.

    Attributes:
        method: Who learned, e.g. ``"dqn"``.
        teacher: Under whom, e.g. ``"uniform and targets"``; empty where nothing states it.
        variant: What else was different, e.g. ``"discount 0.95"``; empty if nothing was.
    """

    method: str
    teacher: str = ""
    variant: str = ""

    def __str__(self) -> str:
        teacher = f" under {self.teacher}" if self.teacher else ""
        return f"{self.method}{teacher}" + (f" ({self.variant})" if self.variant else "")

    @property
    def label(self) -> str:
        """The same, as short as a figure's legend has it."""
        return f"{', '.join(part for part in (self.method, self.teacher) if part)}" + (
            f" ({self.variant})" if self.variant else ""
        )

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal where two names differ in case alone."""
        return self.method.casefold(), self.teacher.casefold(), self.variant.casefold()


def method_name(metadata: Metadata) -> MethodName:
    """The parts of an entry's name."""
    training = next((run.training for run in metadata.runs if run.training is not None), None)
    return _parsed(metadata.method, "" if training is None else training.command)


@lru_cache(maxsize=4096)
def _parsed(name: str, command: str) -> MethodName:
    match = _NAME.fullmatch(name)
    assert match is not None  # any text that is not empty does
    base, teacher, variant = match["base"], match["teacher"] or "", match["variant"] or ""
    trained = _trained(command)
    if trained is None:
        return MethodName(base, teacher, variant)
    method, options = trained
    teacher = options.get("--teacher") or teacher.removesuffix(_ALTERNATING)
    if _is_positive(options.get("--target-share", "0")):
        teacher += _ALTERNATING if teacher else "targets"
    return MethodName(method, teacher, ", ".join(part for part in (_beside(base, method), variant) if part))


def _trained(command: str) -> tuple[str, dict[str, str]] | None:
    """The method that a command trains, and its options that take a value; ``None``: it is no such command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[:2] != _TRAIN or len(words) < 4:
        return None
    return words[2], {option: value for option, value in pairwise(words) if option.startswith("--")}


def _is_positive(number: str) -> bool:
    try:
        return float(number) > 0
    except ValueError:  # commands are the submitter's word
        return False


def _beside(base: str, method: str) -> str:
    """What a name says beside the method: "own starts" of "sibling-rivalry with own starts"."""
    first, _, rest = base.partition(" with ")
    if _plain(base) == method or _plain(f"{first} {rest}") == method:
        return ""
    return rest if rest and _plain(first) == method else base


def look(name: str) -> str:
    """Equal where two names look alike, by case, by spaces and signs, or by letters: "PPO-1", "ppo l" and "P P O I".

    Names are of ASCII alone (:class:`~procgen_bench.leaderboards.submission.metadata.Metadata`), so there are no other
    look-alikes, and no invisible characters.
    """
    letters = re.sub(r"[^a-z0-9]", "", name.casefold())
    for written, seen in _LOOK_ALIKES:
        letters = letters.replace(written, seen)
    return letters


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
