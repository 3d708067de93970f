"""What is built of the checkout, once."""

import shutil
import sys

import pytest

from tests.architecture.checkout import CHECKOUT, LINKED_PACKAGES, PACKAGE
from tests.architecture.installing import run


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A copy of what packages are made of, so that building leaves nothing in the checkout itself.

    What has been compiled comes along.
    """
    folder = tmp_path_factory.mktemp("checkout")
    for source in (PACKAGE, *(CHECKOUT / package for package in LINKED_PACKAGES)):
        shutil.copytree(source, folder / source.name, symlinks=True, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, folder)
    return folder


@pytest.fixture(scope="session")
def built(checkout, tmp_path_factory):
    """A folder with the wheel and the sdist, both built from the checkout."""
    target = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--sdist", "--wheel", "--outdir", target, checkout, cwd=target)
    return target


@pytest.fixture(scope="session")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path
