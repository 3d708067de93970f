"""Forty pieces of forms: none is refused, what is lost is named, and values are of the fields' forms."""

import re

import numpy as np
import pytest

from procgen_bench.apps.fragment_import import ImportedFragment, import_texts
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from tests.envs.web.form_fragments import FORM_FRAGMENTS
from tests.envs.web.test_lockstep import expert_policy, play_in_lockstep
from tests.tasks.sites.own import drawn_task

#: What is named as left out of which.
LOST = {
    "lookahead": {"pattern": 1},
    "reset": {"effect of a reset button": 1},
    "cancel": {"effect of a button": 1},
    "show": {"effect of a button": 1},
}
#: Forms of values.
VALUES = {
    "phone": r"\+1 \d{3}-555-01\d\d",
    "phone_national": r"\(\d{3}\) 555-01\d\d",
    "phone_pattern": r"\d{3}-\d{3}-\d{4}",
    "mail_text": r"[a-z]+@[a-z.]+",
    "code": r"\d{6}",
    "code_pattern": r"\d{4}",
    "code_labelled": r"\d{6}",
    "card_labelled": r"4\d{3}( \d{4}){3}",
    "cvc_pattern": r"\d{3}",
    "expiry_pattern": r"(0[1-9]|1[0-2])/\d\d",
    "expiry_month": r"0[1-9]|1[0-2]",
    "zip": r"\d{5}",
    "user": r"[a-z]+\.[a-z]+\d\d",
    "plate": r"[A-Z]{1,3} [A-Z]{1,2} \d{1,4}",
}


@pytest.fixture(scope="module")
def imported() -> dict[str, ImportedFragment]:
    found = dict(zip(FORM_FRAGMENTS, import_texts([*FORM_FRAGMENTS.items()]), strict=True))
    assert all(isinstance(one, ImportedFragment) for one in found.values()), found
    return found


def buttons(fragment: ImportedFragment) -> dict[str, Behaviour]:
    every = (one for primitive in fragment.primitives for one in primitive.root if one.tag == "button")
    return {one.text: one.behaviour for one in every}


def test_all_are_taken_and_what_is_lost_is_named(imported):
    assert {name: dict(one.left_out) for name, one in imported.items() if not one.faithful} == LOST


@pytest.mark.parametrize("name", VALUES)
def test_values_are_of_the_fields_form(imported, name):
    library = PrimitiveLibrary(imported[name].primitives)
    (primitive,) = (one for one in library.own if one.active)
    assert all(re.fullmatch(VALUES[name], value) for value in library.value_lists[primitive.field])


def test_lists_of_states_have_a_field_of_their_own(imported):
    assert {name: imported[name].primitives[0].field for name in ("state", "state_codes", "state_radios")} == {
        "state": "state_2", "state_codes": "state_2", "state_radios": "state_2"
    }  # fmt: skip
    assert imported["state"].primitives[0].name == "state_2"
    assert imported["state"].primitives[0].options == ("Texas", "Ohio", "Utah")


def test_a_declarative_shadow_root_is_read(imported):
    assert imported["shadow"].primitives[0].field == "town"
    assert [one.text for one in imported["shadow_slot"].primitives[0].root if one.text] == ["Town"]


def test_buttons_of_a_form_do_what_they_say(imported):
    assert buttons(imported["sends"]) == {"Go": Behaviour.LEAVE}
    assert buttons(imported["cancel"]) == {"Cancel": Behaviour.VISIT, "Save": Behaviour.LEAVE}
    assert buttons(imported["reset"]) == {"Save": Behaviour.LEAVE, "Clear": Behaviour.VISIT}
    assert buttons(imported["two_ways"]) == {"Draft": Behaviour.LEAVE, "Publish": Behaviour.LEAVE}
    assert imported["sends"].primitives[-1].leaves and not imported["show"].primitives[0].leaves


def test_backends_show_them_alike(imported):
    names = ("phone_pattern", "code", "expiry", "state", "cancel", "sends", "shadow_slot")
    library = PrimitiveLibrary(tuple(one for name in names for one in imported[name].primitives))
    rng = np.random.default_rng(0)
    tasks = [drawn_task(library, 1 + k % 2, 6, rng) for k in range(4)]
    assert play_in_lockstep(tasks, expert_policy) == len(tasks)
