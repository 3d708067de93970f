"""What counts as success when episodes are scored."""

from collections.abc import Mapping
from typing import Any


def counted_success(info: Mapping[str, Any]) -> Any:
    """``settled``, where an environment tells whether its success lasts, else ``success``; of one info, or of rows'."""
    return info["settled"] if "settled" in info else info["success"]
