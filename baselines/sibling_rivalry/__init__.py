"""Sibling Rivalry (Trott et al., 2019): pairs of rollouts that relabel each other's rewards (algorithm 1)."""
