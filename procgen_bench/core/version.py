"""The one place that holds the package's version."""

__version__ = "0.1.0"
