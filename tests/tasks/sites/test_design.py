import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import CATALOGUE, PRIMITIVES, SiteDesign, SiteTask, Variation
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.primitives import CATALOGUE_FIELDS, FIELDS
from tests.tasks.sites.makers import ACTIVE, designs, filled, tasks
from tests.tasks.sites.test_solver import assert_solves

#: Pairs as a generator may hand them over, mistakes included.
pairs = st.lists(st.tuples(st.sampled_from([*PRIMITIVES, "captcha ", "Navbar", ""]), st.integers(-1, 10)), max_size=60)


@settings(max_examples=100)
@given(pairs, st.integers(0, 11))
def test_of_pairs_gives_a_solvable_design_or_one_clear_error(pairs, num_pages):
    unknown = any(name not in PRIMITIVES for name, _ in pairs)
    misplaced = any(not 0 <= page < num_pages for _, page in pairs)
    no_active = not any(name in ACTIVE for name, _ in pairs)
    if not 1 <= num_pages <= 10 or unknown or misplaced or no_active:
        with pytest.raises(InvalidTaskError) as caught:
            SiteDesign.of_pairs(pairs, num_pages)
        assert str(caught.value).startswith("invalid task: ") and "\n" not in str(caught.value)
        return
    design = SiteDesign.of_pairs(pairs, num_pages)
    assert len(design.pages) == num_pages and design.num_steps <= HORIZON
    assert set(design.pairs) - set(pairs) <= {(gate, n) for gate in ("next_checkout", "submit") for n in range(10)}
    assert_solves(filled(design))


@settings(max_examples=80)
@given(designs())
def test_text_round_trip(design):
    text = design.to_text()
    assert len(text.split("\n")) == len(design.pages)
    assert SiteDesign.from_text(text) == design


@settings(max_examples=80)
@given(designs())
def test_of_pairs_keeps_a_valid_design_as_it_is(design):
    assert SiteDesign.of_pairs(design.pairs, len(design.pages)) == design


def test_repeats_are_skipped_and_a_primitive_may_stand_on_two_pages():
    design = SiteDesign.of_pairs([("city", 0), ("city", 0), ("city", 1), ("deck", 1), ("city", 1)], 2)
    assert design.pages == (("city", "next_checkout"), ("city", "deck", "submit"))
    assert (design.num_active, design.fields, design.num_steps) == (2, ("city",), 4)


def test_what_would_take_too_many_steps_is_skipped():
    asked = [(name, page) for page in range(10) for name in ("city", "state", "zipcode")]
    design = SiteDesign.of_pairs([*asked, ("deck", 9)], 10)
    assert design.num_steps == HORIZON and design.num_active == 15
    assert design.pages[5] == ("next_checkout",) and design.pages[9] == ("deck", "submit")


@pytest.mark.parametrize("own", ["next_checkout", "next_login", "next_login_page"])
def test_a_button_of_one_s_own_is_enough(own):
    design = SiteDesign.of_pairs([(own, 0), ("city", 0), ("submit", 1), (own, 1)], 2)
    assert design.pages == ((own, "city"), ("submit", own))


def test_every_field_is_asked_for_once():
    whole = SiteDesign.of_pairs([(name, 0) for name in PRIMITIVES if name not in ("verifypassword",)], 1)
    assert whole.fields == (*CATALOGUE_FIELDS,) and whole.num_active == 24
    assert (*CATALOGUE_FIELDS, "text") == FIELDS


MANY = "\n".join(["city next_login"] * 10 + ["submit"])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("city submt", "primitive 1 of page 0 is 'submt', expected one of addressline1, "),
        (MANY, "number of pages is 11, expected a tuple of 1 to 10 pages"),
        ("", "number of pages is 0"),
        ("navbar submit", "number of active primitives is 0, expected at least one that asks for a field"),
        ("city city submit", "primitive 1 of page 0 is 'city', expected each at most once on a page"),
        ("city", "page 0 is 'city', expected a page with submit"),
        ("city submit\nsubmit", "page 0 is 'city submit', expected a page with next_checkout or next_login or next_lo"),
        ("-\ncity submit", "page 0 is '', expected a page with next_checkout"),
        (
            "\n".join(["city state zipcode next_login"] * 8 + ["submit"]),
            "steps through all pages is 33, expected at most 25",
        ),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        SiteDesign.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pages", "part"),
    [
        ([("city", "submit")], "number of pages is [('city', 'submit')], expected a tuple"),
        ((["city", "submit"],), "page 0 is ['city', 'submit'], expected a tuple of names"),
        (((["city"], "submit"),), "primitive 0 of page 0 is ['city'], expected one of"),
        (((3, "submit"),), "primitive 0 of page 0 is 3, expected one of"),
        ("city submit", "number of pages is 'city submit'"),
        (None, "number of pages is None"),
    ],
)
def test_other_types_are_refused(pages, part):
    with pytest.raises(InvalidTaskError) as caught:
        SiteDesign(pages).validate()
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("pairs", "num_pages", "part"),
    [
        ([("city", 0)], 11, "number of pages is 11, expected 1 to 10"),
        ([("city", 0)], 0, "number of pages is 0"),
        ([("city", 0), ("state", 2)], 2, "page of primitive 1 (state) is 2, expected 0 to 1"),
        ([("city", -1)], 2, "page of primitive 0 (city) is -1, expected 0 to 1"),
        ([("town", 0)], 2, "primitive 0 is 'town', expected one of"),
        ([("navbar", 0)], 2, "number of active primitives is 0"),
        ([], 3, "number of active primitives is 0"),
    ],
)
def test_bad_pairs_are_refused(pairs, num_pages, part):
    with pytest.raises(InvalidTaskError) as caught:
        SiteDesign.of_pairs(pairs, num_pages)
    assert part in str(caught.value)


DESIGN = SiteDesign.from_text("navbar cc city rememberme next_login\nnumberofpeople footer submit")


@settings(max_examples=80)
@given(tasks())
def test_text_of_tasks_round_trip(task):
    task.validate()
    assert SiteTask.from_text(task.to_text()) == task


def test_text_and_instruction_read_well():
    task = filled(DESIGN, city=" = a <b>\u00e9\U0001f600 = ")
    assert task.to_text().split("\n") == [
        "navbar cc city rememberme next_login",
        "numberofpeople footer submit",
        "",
        "cc = Credit Card",
        "city =  = a <b>\u00e9\U0001f600 = ",
        "numberofpeople = 1",
        "rememberme = true",
    ]
    assert task.instruction[:2] == (("cc", "Credit Card"), ("city", " = a <b>\u00e9\U0001f600 = "))
    assert SiteTask.from_text(task.to_text()) == task


#: All of the catalogue on one page fits, and decoys beside it do not.
CROWDED = filled(SiteDesign((tuple(n for n in CATALOGUE if n not in ("cabin", "cc")),)))
CROWDED = SiteTask(CROWDED.design, CROWDED.profile, Variation(decoys="after", naming="label"))


def changed(**values) -> SiteTask:
    return filled(DESIGN, **values)


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (changed(city=""), "length of city's value is 0, expected 1 to 1000 characters"),
        (changed(city="x" * 1001), "length of city's value is 1001"),
        (changed(city="a\nb"), "character 1 of city's value is '\\n', expected no control or line break"),
        (changed(city="a\tb"), "character 1 of city's value is '\\t'"),
        (changed(city="\x00"), "character 0 of city's value is '\\x00'"),
        (changed(city="ab\x7f"), "character 2 of city's value"),
        (changed(city="a\u2028"), "character 1 of city's value is '\\u2028'"),
        (changed(city="a\u2029"), "character 1 of city's value"),
        (changed(city="a\x85"), "character 1 of city's value is '\\x85'"),
        (changed(city="a\ud800"), "character 1 of city's value is '\\ud800'"),
        (changed(cc="Gold Card"), "value of cc is 'Gold Card', expected one of cc's options, Credit Card, Debit Card"),
        (changed(numberofpeople=""), "length of numberofpeople's value is 0"),
        (changed(numberofpeople="6"), "value of numberofpeople is '6', expected one of numberofpeople's options, 1, 2"),
        (changed(rememberme="no"), "value of rememberme is 'no', expected one of rememberme's options, true, false"),
        (SiteTask(DESIGN, changed().profile, "dark"), "variation is 'dark', expected a Variation"),
        (SiteTask(DESIGN, changed().profile, Variation(theme="pink")), "variation theme is 'pink', expected one of li"),
        (SiteTask(DESIGN, changed().profile, Variation(labels=3)), "variation labels is 3, expected one of published"),
        (CROWDED, "number of elements of page 0 is 293, expected at most 250"),
        (SiteTask(DESIGN, ()), "fields of the profile is (), expected those of the design, ('cc', 'city', "),
        (SiteTask(DESIGN, changed().profile[::-1]), "fields of the profile is ('rememberme', 'numberofpeople'"),
        (SiteTask(DESIGN, (*changed().profile, ("state", "CA"))), "fields of the profile is"),
        (SiteTask(DESIGN, (*changed().profile[:2], *changed().profile[:2])), "fields of the profile is"),
        (SiteTask(DESIGN, list(changed().profile)), "expected a tuple of (field, value) pairs"),
        (SiteTask(DESIGN, tuple(map(list, changed().profile))), "expected a tuple of (field, value) pairs"),
        (changed(city=3), "expected a tuple of (field, value) pairs"),
        (SiteTask(DESIGN, dict(changed().profile)), "expected a tuple of (field, value) pairs"),
        (SiteTask("city submit", (("city", "a"),)), "design is 'city submit', expected a SiteDesign"),
        (SiteTask(SiteDesign((("city",),)), (("city", "a"),)), "page 0 is 'city', expected a page with submit"),
    ],
)
def test_invalid_task_is_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["<script>alert(1)</script>", "\"'`&amp;", "\U0001f468\u200d\U0001f469", "x" * 1000, " ", "\u05d0\u202e"]
)
def test_any_line_is_a_value(value):
    changed(city=value).validate()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "number of pages is 0"),
        ("city submit", "fields of the profile is (), expected those of the design, ('city',)"),
        ("city submit\n\ncity: Rome", "line of the profile is 'city: Rome', expected field = value"),
        (
            "city submit\n\ncity = Rome\n\nstate = CA",
            "line of the variation is 'state = CA', expected part: choice, each",
        ),
        ("city submit\n\ncity = Rome\n\ntheme: dark\ntheme: dark", "line of the variation is 'theme: dark', expected"),
        ("city submit\n\ncity = Rome\n\ntheme: pink", "variation theme is 'pink', expected one of light, dark, paper"),
        ("city submit\n\ncity = ", "length of city's value is 0"),
        ("city submit\n\ntown = Rome", "fields of the profile is ('town',)"),
    ],
)
def test_bad_text_of_tasks_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        SiteTask.from_text(text)
    assert part in str(caught.value)


def test_tasks_are_equal_by_content():
    assert changed() == changed() and hash(changed()) == hash(changed())
    assert changed() != changed(city="Rome")
    assert changed() != SiteTask(SiteDesign.from_text(DESIGN.to_text().replace("navbar ", "")), changed().profile)
