"""Marks of tasks, and the share of them that is kept for fresh tasks."""

import hashlib


def is_among(mark: str, share: float) -> bool:
    """Whether ``mark`` is among this share (0 to 1) of all marks: its hash decides that, for everybody and always."""
    return int.from_bytes(hashlib.sha256(mark.encode()).digest()[:8], "big") < share * 2**64
