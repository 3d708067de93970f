"""Reasons why sites cannot be solved: of designs that a person has not finished."""

from dataclasses import replace

import pytest

from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.unsolvable import why_unsolvable

ACTIVE = tuple(name for name, primitive in CATALOGUE.items() if primitive.active)


def site(*pages: tuple[str, ...]) -> SiteTask:
    design = SiteDesign(pages)
    return SiteTask(design, tuple((field, value_lists()[field][0]) for field in design.fields))


def test_nothing_is_asked_for():
    assert why_unsolvable(site(("navbar", "submit"))) == "no primitive on its pages asks for a value"


def test_a_page_without_its_button_is_named():
    stuck = "has no button to the next page: put next_checkout or next_login or next_login_page there"
    assert why_unsolvable(site(("username",), ("submit",))) == f"page 1 {stuck}"
    assert why_unsolvable(site(("username", "submit"), ("submit",))) == f"page 1 {stuck}"
    last = "page 2, the last, has no button to send the site off: put submit there"
    assert why_unsolvable(site(("username", "next_login"), ("city", "next_login"))) == last


def test_the_step_that_is_one_too_many_is_named():
    assert len(ACTIVE) == 24
    full = site((*ACTIVE, "submit"))
    full.validate()
    over = "it takes 26 steps, and an episode ends after 25: none is left"
    assert why_unsolvable(site((*ACTIVE, "next_login"), ("submit",))) == f"{over} for the button of page 2"
    # Page 1 takes two steps, so that the last field of page 2 is the 26th.
    pages = ("username", "next_login"), (*ACTIVE, "submit")
    late = f"it takes 27 steps, and an episode ends after 25: none is left to fill in {ACTIVE[-1]} on page 2"
    assert why_unsolvable(site(*pages)) == late


def test_a_value_that_is_none_is_named():
    task = replace(site(("username", "submit")), profile=(("username", ""),))
    assert "username" in why_unsolvable(task)


def test_a_site_that_can_be_solved_has_no_reason():
    with pytest.raises(ValueError, match="can be solved"):
        why_unsolvable(site(("username", "submit")))
