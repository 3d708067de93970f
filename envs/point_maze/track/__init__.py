"""The track's rules over rows, and its pictures."""
