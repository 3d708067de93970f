"""How the child answers: one byte that says how it went, then what was asked for, or one line of text.

Only the standard library is imported here: parent and child read this.
"""

import struct
from enum import IntEnum

#: How long a description of a model, and what a fault is said by, can be.
MAX_DESCRIPTION_BYTES, MAX_FAULT_BYTES = 256 * 1024, 500
#: Lengths of the file, and of texts; numbers of rows.
LENGTH = struct.Struct("<Q")


class Outcome(IntEnum):
    """How it went."""

    DONE = 0
    #: The file is no policy of the form.
    REFUSED = 1
    #: The policy failed while it was loaded or played.
    FAILED = 2
    #: The child could not be confined, and has read nothing.
    UNCONFINED = 3


def brief(text: object) -> str:
    """A text from outside on one short line of printable characters."""
    printable = "".join(character if character.isprintable() else " " for character in str(text)[: 4 * MAX_FAULT_BYTES])
    line = " ".join(printable.split())
    return line if len(line) <= 300 else line[:297] + "..."
