"""The words of sites: what fields are called on their pages, in several sets of labels, and in instructions."""

import importlib.resources
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import yaml

from procgen_bench.core.errors import InvalidTaskError

#: The set of labels of the published sites, and the one that no training may show.
PUBLISHED, HELD_OUT = "published", "held-out"


@cache
def wording() -> Mapping[str, Mapping[str, str]]:
    """What ``data/wording.yaml`` says, checked.

    ``"decoys"``: by field the label of its decoy; ``"sentences"``: by field how an instruction in sentences begins;
    every other name is a set of labels: by published text its synonym.

    Raises:
        InvalidTaskError: A set of labels lacks a synonym.
    """
    wording = yaml.safe_load((importlib.resources.files(__package__) / "data" / "wording.yaml").read_text("utf-8"))
    texts = {text for name in label_set_names(wording) for text in wording[name]} | set(wording["decoys"].values())
    for name in label_set_names(wording):
        check_label_set(name, wording[name], sorted(texts))
    return MappingProxyType({name: MappingProxyType(part) for name, part in wording.items()})


def label_set_names(wording: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The names of the sets of labels other than the published one."""
    return [name for name in wording if name not in ("decoys", "sentences")]


def check_label_set(name: str, synonyms: Mapping[str, str], texts: list[str]) -> None:
    """Raise :class:`InvalidTaskError` unless a set of labels has a synonym for each of these texts."""
    for text in texts:
        if not synonyms.get(text):
            raise InvalidTaskError(f"synonym of {text!r} in the labels {name!r}", synonyms.get(text), "a text")


def say(text: str, labels: str) -> str:
    """A published text in the words of a set of labels; texts that are in no set stay as they are."""
    return text if labels == PUBLISHED else wording()[labels].get(text, text)


def decoy_labels() -> Mapping[str, str]:
    """By field that has a decoy: the published label of that."""
    return wording()["decoys"]


def sentence(field: str) -> str:
    """What an instruction in sentences says before a field's value; a field that is not published says its name."""
    return wording()["sentences"].get(field) or f"Where the site asks for {field}, it is"
