"""Fragments of HTML taken as primitives, where these show the same; refused with the difference where they do not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from procgen_bench.apps.fragment_reading import FragmentReader
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.fragments import primitives_of_fragment
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.shown_fragment import FragmentError, ShownFragment, differences

#: What of a fragment can be left out without a change in what is read or can be done.
HARMLESS = (
    *("script", "handler", "style", "frame", "remote address", "note to browsers", "hidden element"),
    *("picture without a name", "text that is only read out", "text that is not read out", "hidden option"),
)
#: Differences that a refusal names.
_NAMED = 2


@dataclass(frozen=True)
class ImportedFragment:
    """A fragment that was taken.

    Attributes:
        primitives: What it became, from top to bottom.
        left_out: How much of it was left out, by what.
    """

    primitives: tuple[Primitive, ...]
    left_out: Mapping[str, int]

    @property
    def faithful(self) -> bool:
        """Whether nothing that was left out changes what can be read or done."""
        return all(what in HARMLESS for what in self.left_out)

    def summary(self) -> str:
        """What it is, and what was left out."""
        kinds = [_kind(primitive) for primitive in self.primitives]
        gone = ", ".join(f"{count} {_plural(what) if count > 1 else what}" for what, count in self.left_out.items())
        parts = kinds[0] if len(kinds) == 1 else f"{len(kinds)} primitives: {'; '.join(kinds)}"
        return f"{parts}{'; left out: ' * bool(gone)}{gone}"


def import_texts(texts: Sequence[tuple[str, str]]) -> list[ImportedFragment | FragmentError | InvalidTaskError]:
    """Each fragment (name, HTML) as primitives of the same words and the same accessibility tree, or why not.

    Raises:
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: It does not start.
    """
    reader = FragmentReader()
    try:
        made = [_made(name, reader.fragment(text)) for name, text in texts]
        return [_compared(*one, reader) if isinstance(one, tuple) else one for one in made]
    finally:
        reader.close()


def _made(
    name: str, fragment: ShownFragment | FragmentError
) -> tuple[ShownFragment, ImportedFragment] | FragmentError | InvalidTaskError:
    if isinstance(fragment, FragmentError):
        return fragment
    try:
        primitives, left_out = primitives_of_fragment(name, fragment)
    except (FragmentError, InvalidTaskError) as error:
        return error
    return fragment, ImportedFragment(tuple(primitives), left_out)


def _compared(
    original: ShownFragment, imported: ImportedFragment, reader: FragmentReader
) -> ImportedFragment | FragmentError:
    """What was taken, unless its parts together show something else than the original."""
    parts = [reader.primitive(primitive) for primitive in imported.primitives]
    found = differences(original.shown, tuple(one for part in parts for one in part))
    if not found:
        return imported
    more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return FragmentError(f"it would not be the same: {'; '.join(found[:_NAMED])}{more}")


def _kind(primitive: Primitive) -> str:
    return f"{primitive.template}, asks for {primitive.field!r}" if primitive.active else primitive.template


def _plural(what: str) -> str:
    return f"{what}es" if what.endswith("s") else what if what.startswith("further") else f"{what}s"
