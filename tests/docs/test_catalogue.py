"""Pages that are written from the tables: every method, teacher and environment has one, with every option."""

import dataclasses
import importlib.util
import sys

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.teacher_table import TEACHERS
from procgen_bench.core.registrations import ENVIRONMENT_IDS
from tests.architecture.checkout import CHECKOUT


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("catalogue_pages", CHECKOUT / "docs" / "catalogue_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.catalogue()


def test_everything_in_the_tables_has_a_page(pages):
    named = {
        "environments": ENVIRONMENT_IDS,
        "methods": [name for name, method in METHODS.items() if method.trainable],
        "teachers": TEACHERS,
    }
    expected = {f"{kind}/{name}.md" for kind, names in named.items() for name in names}
    assert expected <= pages.keys() and "catalogue_pages" not in sys.modules


def test_a_methods_page_says_every_option_once(pages):
    for name, method in METHODS.items():
        if method.trainable:
            options = {field.name for kind in method.configurations() for field in dataclasses.fields(kind)}
            page = pages[f"methods/{name}.md"]
            shown = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `--")]
            assert sorted(shown) == sorted(f"--{option.replace('_', '-')}" for option in options), name
