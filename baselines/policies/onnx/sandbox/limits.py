"""Limits: what a policy may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a policy may take before it is stopped.

    Attributes:
        memory_bytes: Memory, beyond what the interpreter and its libraries take.
        start_seconds: Processor time until the file is read, checked and ready.
        step_seconds: Processor time for the actions of one step of all rows.
        total_seconds: Processor time in all.
    """

    memory_bytes: int = 2 * 2**30
    start_seconds: float = 60.0
    step_seconds: float = 10.0
    total_seconds: float = 3_600.0
