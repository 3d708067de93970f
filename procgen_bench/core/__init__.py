"""The lowest layer: what every package uses. It imports no other."""
