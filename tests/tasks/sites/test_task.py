import pytest
from hypothesis import given, settings

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import CATALOGUE, SiteDesign, SiteTask, Variation
from tests.tasks.sites.makers import filled, tasks

DESIGN = SiteDesign.from_text("navbar cc city rememberme next_login\nnumberofpeople footer submit")


@settings(max_examples=80)
@given(tasks())
def test_text_round_trip(task):
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
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        SiteTask.from_text(text)
    assert part in str(caught.value)


def test_tasks_are_equal_by_content():
    assert changed() == changed() and hash(changed()) == hash(changed())
    assert changed() != changed(city="Rome")
    assert changed() != SiteTask(SiteDesign.from_text(DESIGN.to_text().replace("navbar ", "")), changed().profile)
