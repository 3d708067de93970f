"""Fragments of HTML as primitives: a hundred in the style of real sites, and what each kind of control becomes."""

from pathlib import Path

import pytest

from procgen_bench.apps.fragment_import import ImportedFragment, import_texts
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.shown_fragment import FragmentError

FRAGMENTS = Path(__file__).parent / "fragments"
#: Taken, and what is named as left out changes what can be read or done.
CHANGED = {
    *("bootstrap_nav", "breadcrumb", "django_tel", "editable_div", "one_time_code", "password_hint", "product_card"),
    *("textarea_filled", "textarea_message", "tooltip", "whole_contact", "whole_flights", "wordpress_comment"),
}
REFUSED = {
    *("accordion", "alert", "aria_combobox", "colour_pick", "datalist_browser", "file_upload", "indeterminate"),
    *("listbox_aria", "menu_button", "month_card", "no_label", "order_summary", "progress", "range_volume"),
    *("select_groups", "select_several_selected", "tabs"),
}
#: What the primitives of whole forms ask for.
FORMS = {
    "whole_booking": "arrival departure adults room breakfast i_arrive_after_10_pm about_what_time",
    "whole_checkout": "first_name last_name email_optional apartment_or_suite country "
    "shipping_address_is_the_same_as_my_billing_address payment name_on_card",
    "whole_contact": "your_name your_e_mail subject your_message send_me_a_copy",
    "whole_flights": "trip where_from where_to outbound inbound class direct_flights_only",
    "whole_signup": "given_name family_name e_mail_address choose_a_password "
    "i_want_to_receive_inspiration_and_updates_by_e_mail",
}


#: Pieces that say one thing each.
SMALL = {
    "tick": '<label><input type="checkbox" checked> News</label>',
    "line": '<label>Nick <input value="Ada"></label>',
    "zero": '<label>Discount <input type="number" min="0" max="9" value="0"></label>',
    "list": "<label>Land <select><option>France</option><option selected>Italy</option></select></label>",
    "options": '<fieldset><legend>Size</legend><label><input type="radio" name="s"> Small</label>'
    '<label><input type="radio" name="s" checked> Large</label></fieldset>',
    "disabled": '<label>Number <input value="7" disabled></label>',
    "readonly": '<label>Number <input value="7" readonly></label>',
    "several": '<label for="a">Tongues</label><select id="a" multiple><option>Dutch<option>Greek</select>',
    "asking": '<label for="b">Topic</label><select id="b"><option value="">Choose<option>Order<option>Return</select>',
    "date": '<label>When <input required type="date" min="2027-01-01" max="2027-02-01"></label>',
    "time": '<label>When <input required type="time" min="09:00" max="18:00"></label>',
    "email": '<label>Who <input required type="email"></label>',
    "even": '<label>How many <input required type="number" min="2" max="8" step="2"></label>',
    "label_for": '<p><label for="x">Town</label></p><p>of birth</p><p><input id="x"></p>',
    "labelled_by": '<span id="l">Street</span> <em>(no box)</em> <input aria-labelledby="l">',
    "unseen": "<p hidden>Never seen</p><label>Zip <input></label>",
    "widget": '<div role="checkbox" tabindex="0" aria-checked="true">Include taxes</div>',
    "groups": '<div role="radiogroup" aria-label="Size"><div role="radio" aria-checked="true" tabindex="0">S</div>'
    '<div role="radio" aria-checked="false">M</div></div><div role="radiogroup" aria-label="Hue">'
    '<div role="radio" aria-checked="false" tabindex="0">Red</div><div role="radio" aria-checked="true">Blue</div>'
    "</div>",
    "digits": '<label>Code <input pattern="(?=[0-9])[0-9]*"></label>',
    "addresses": '<label>Guests <input type="email" multiple></label>',
    "struck": "<p>Now 4, was <s>5</s></p>",
    "current": '<p><a href="/a" aria-current="page">Here</a></p>',
}


@pytest.fixture(scope="module")
def every():
    """The hundred fragments of the folder and the small ones, taken or refused, by name."""
    hundred = [(path.stem, path.read_text("utf-8")) for path in sorted(FRAGMENTS.glob("*.html"))]
    texts = [*hundred, *SMALL.items()]
    return dict(zip((name for name, _ in texts), import_texts(texts)))


@pytest.fixture(scope="module")
def hundred(every):
    """Those of the folder."""
    return {name: one for name, one in every.items() if name not in SMALL}


@pytest.fixture(scope="module")
def small(every) -> dict[str, Primitive]:
    """What the small ones became that are one primitive."""
    assert all(isinstance(every[name], ImportedFragment) for name in SMALL), every
    return {name: every[name].primitives[0] for name in SMALL if len(every[name].primitives) == 1}


def used(primitive: Primitive) -> Element:
    """The first control of a primitive."""
    return next(one for one in primitive.root if one.tag in ("input", "select"))


def test_most_of_a_hundred_are_taken_as_they_are_and_others_named(hundred):
    taken = {name for name, one in hundred.items() if isinstance(one, ImportedFragment)}
    assert hundred.keys() - taken == REFUSED
    assert {name for name in taken if not hundred[name].faithful} == CHANGED
    assert all(isinstance(hundred[name], (FragmentError, InvalidTaskError)) for name in REFUSED)
    assert len(taken - CHANGED) >= 0.7 * len(hundred) > 70


def test_whole_forms_are_cut_by_their_labels(hundred):
    for name, fields in FORMS.items():
        assert " ".join(one.field for one in hundred[name].primitives if one.active) == fields
    assert sum(hundred[name].faithful for name in FORMS) == 3


def test_they_make_a_library(hundred):
    primitives = [one for name in sorted(hundred.keys() - REFUSED) for one in hundred[name].primitives]
    assert len(PrimitiveLibrary(tuple(primitives)).own) == len(primitives) > 120


def test_what_would_be_another_is_refused_with_the_difference(hundred):
    assert "DisclosureTriangle 'How long does delivery take?' expanded=False would be" in str(hundred["accordion"])
    assert "button 'Account' expanded=False would be button 'Account'" in str(hundred["menu_button"])


def test_state_at_first_is_kept(small):
    assert {name: small[name].initial for name in ("tick", "line", "zero", "list", "options")} == {
        "tick": "true", "line": "Ada", "zero": "0", "list": "Italy", "options": "Large"
    }  # fmt: skip
    assert used(small["zero"]).attribute("min") == "0"


@pytest.mark.parametrize("state", ["disabled", "readonly"])
def test_what_cannot_be_filled_in_asks_for_nothing(small, state):
    line = used(small[state])
    assert not small[state].active and line.behaviour == Behaviour.NONE
    assert line.attribute(state) == state and line.attribute("value") == "7"


def test_lists_of_several_stay_so_and_what_only_asks_is_no_option(small):
    assert used(small["several"]).attribute("multiple") == "multiple" and small["several"].initial == ""
    assert small["asking"].options == ("Order", "Return")


@pytest.mark.parametrize(
    ("name", "behaviour", "limits"),
    [
        ("date", Behaviour.DATE, ("2027-01-01", "2027-02-01", "")),
        ("time", Behaviour.TIME, ("09:00", "18:00", "")),
        ("email", Behaviour.EMAIL, ("", "", "")),
        ("even", Behaviour.NUMBER, ("2", "8", "2")),
    ],
)
def test_types_and_limits_are_kept(small, name, behaviour, limits):
    line = used(small[name])
    assert line.behaviour == behaviour and line.attribute("required") == "required"
    assert tuple(map(line.attribute, ("min", "max", "step"))) == limits


def test_names_are_those_of_the_accessibility_tree(every, small):
    assert [small[name].label for name in ("labelled_by", "unseen", "widget")] == ["Street", "Zip", "Include taxes"]
    assert "town" in [one.field for one in every["label_for"].primitives]
    assert small["widget"].initial == "true" and every["unseen"].left_out == {"hidden element": 1}


def test_groups_of_options_are_not_mixed(every):
    assert [(one.field, one.options, one.initial) for one in every["groups"].primitives] == [
        ("size", ("S", "M"), "S"), ("hue", ("Red", "Blue"), "Blue")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("digits", "pattern"),
        ("addresses", "list of several addresses"),
        ("struck", "struck-out text"),
        ("current", "aria-current"),
    ],
)
def test_what_no_page_has_is_named(every, name, gone):
    assert every[name].left_out == {gone: 1} and not every[name].faithful


def test_no_page_is_waited_for_in_vain(limits):
    """Fragments are shown under a policy that refuses the script by which pages replace documents."""
    (one,) = import_texts([("line", SMALL["line"])])
    assert isinstance(one, ImportedFragment)
    assert limits and not any(limit.expired() for limit in limits)
