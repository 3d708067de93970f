"""What every recipe of this folder takes on its command line."""

import argparse
import json
from typing import Any

import procgen_bench  # noqa: F401  (registers the environments)

#: What every recipe trains on, unless it is told otherwise: no task that is scored, or that a verifier draws.
_DEFAULTS = {"tasks": "training"}


def recipe_parser(description: str) -> argparse.ArgumentParser:
    """A parser of ``ENVIRONMENT --steps N --options JSON``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment", help="a registered id, such as GridWorld-v0")
    parser.add_argument("--steps", type=int, default=100_000, help="environment steps to train for, at least")
    parser.add_argument(
        "--options",
        type=_options,
        default=_DEFAULTS,
        help='arguments of gymnasium.make as JSON beside {"tasks": "training"}, such as \'{"flat": true}\'',
    )
    return parser


def _options(text: str) -> dict[str, Any]:
    options = json.loads(text)
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError(f"is {text}, expected a JSON object such as '{{\"flat\": true}}'")
    return _DEFAULTS | options
