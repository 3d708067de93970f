"""What is installed beside its oldest and its newest companions."""

from tests.architecture.conftest import built, checkout, wheel

__all__ = ["built", "checkout", "wheel"]
