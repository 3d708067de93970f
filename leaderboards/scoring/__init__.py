"""Scoring: the pure function (policies, benchmark, epoch) -> record, and comparing what it made."""
