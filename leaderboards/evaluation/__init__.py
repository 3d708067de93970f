"""Playing a benchmark with policies and recording a submission."""
