"""What verifiers imports for its plugin ``procgen-bench-text``: see :func:`procgen_bench.text.load_environment`."""

from procgen_bench.text.verifiers_environment import ChatLoop, TextEnvironment, TextTaskset

__all__ = ["ChatLoop", "TextEnvironment", "TextTaskset"]
