"""Environments: one folder per family."""
