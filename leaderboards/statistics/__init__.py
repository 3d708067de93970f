"""Statistics over training runs."""
