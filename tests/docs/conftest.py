"""What pages are run from."""

from tests.architecture.conftest import built, checkout, wheel

__all__ = ["built", "checkout", "wheel"]
