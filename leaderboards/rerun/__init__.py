"""Playing a submission's policies: on its benchmark's suite, on fresh episodes, and on observations that none knows."""
