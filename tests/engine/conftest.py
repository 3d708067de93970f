"""What the engine's tests share."""

import signal

import pytest


@pytest.fixture
def heeds_interruptions():
    """A program that runs in the background inherits that they are ignored."""
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, inherited)
