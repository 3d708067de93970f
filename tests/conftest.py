"""Hypothesis measures how long an example takes; kernels that compile in it, and busy machines, are no faults."""

from hypothesis import settings

settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
