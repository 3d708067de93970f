import numpy as np
import pytest
from hypothesis import assume, given, settings

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.sites import CATALOGUE, SiteDesign, SiteTask, Variation
from procgen_bench.tasks.sites.primitives import CATALOGUE_FIELDS
from procgen_bench.tasks.sites.profiles import value_lists
from tests.tasks.sites.makers import SPACE, filled, parameters, tasks, uniform_tasks

NAMES = list(CATALOGUE)


def expected_pages(params) -> list[list[str]]:
    """The renderer's rule, said once more."""
    count = int(params["num_pages"])
    pages, steps = [[] for _ in range(count)], count
    for k, page in zip(params["primitives"], params["pages"]):
        page = pages[page % count]
        if k == 0 or NAMES[k - 1] in page:
            continue
        if CATALOGUE[NAMES[k - 1]].active:
            if steps == 25:
                continue
            steps += 1
        page.append(NAMES[k - 1])
    for page in pages[:-1]:
        if not {"next_checkout", "next_login", "next_login_page"} & set(page):
            page.append("next_checkout")
    if "submit" not in pages[-1]:
        pages[-1].append("submit")
    return pages


def has_active(params) -> bool:
    return any(k and CATALOGUE[NAMES[k - 1]].active for k in params["primitives"])


@settings(max_examples=100)
@given(parameters)
def test_decode_follows_the_renderer_s_rule_or_refuses(params):
    if not has_active(params):
        with pytest.raises(InvalidTaskError, match="number of active primitives is 0"):
            SPACE.decode(params)
        return
    task = SPACE.decode(params)
    task.validate()
    assert [list(page) for page in task.design.pages] == expected_pages(params)
    for field, value in task.profile:
        assert value == value_lists()[field][params["profile"][CATALOGUE_FIELDS.index(field)]]


def test_uniform_parameters_follow_the_renderer_s_rule():
    rng = np.random.default_rng(0)
    for _ in range(300):
        params = SPACE.sample(rng)
        assert [list(page) for page in SPACE.decode(params).design.pages] == expected_pages(params)


@settings(max_examples=100)
@given(parameters)
def test_encode_is_a_right_inverse_of_what_decodes(params):
    assume(has_active(params))
    task = SPACE.decode(params)
    encoded = SPACE.encode(task)
    assert SPACE.space.contains(encoded)
    assert SPACE.decode(encoded) == task
    assert np.count_nonzero(encoded["primitives"]) <= np.count_nonzero(params["primitives"])


@settings(max_examples=80)
@given(tasks())
def test_encode_gives_parameters_or_says_why_there_are_none(task):
    try:
        params = SPACE.encode(task)
    except InvalidTaskError as error:
        assert "to have parameters" in str(error)
    else:
        assert SPACE.decode(params) == task


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (filled(SiteDesign.from_text("entertext_2 submit")), "primitive 0 is 'entertext_2', expected one of the cat"),
        (filled(SiteDesign.from_text("city submit"), city="Atlantis"), "value of city is 'Atlantis', expected one of"),
        (
            filled(
                SiteDesign.from_text("\n".join([*["header navbar deck cart footer next_login"] * 7, "city submit"]))
            ),
            "number of primitives is 43, expected at most 40",
        ),
    ],
    ids=["MiniWoB", "value", "primitives"],
)
def test_tasks_without_parameters_are_named(task, part):
    SPACE.validate(task)
    with pytest.raises(InvalidTaskError) as caught:
        SPACE.encode(task)
    assert part in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(InvalidTaskError):
        SPACE.mutate(task, np.random.default_rng(0))


def test_buttons_of_the_renderer_need_no_slot():
    blocks = ("city", "header", "deck", "cart")
    ten = SiteDesign((*[(*blocks, "next_checkout")] * 9, (*blocks, "submit")))
    params = SPACE.encode(filled(ten))
    assert np.count_nonzero(params["primitives"]) == 40 and SPACE.decode(params) == filled(ten)


@pytest.mark.parametrize(
    "text",
    [
        "city submit next_checkout",
        "submit city",
        "city submit next_checkout\nsubmit",
        "city next_login next_checkout\nsubmit next_checkout",
        "next_checkout city\ncity next_checkout\nstate next_checkout submit",
    ],
)
def test_buttons_of_one_s_own_stay_where_they_are(text):
    task = filled(SiteDesign.from_text(text))
    assert SPACE.decode(SPACE.encode(task)) == task


def test_mutation_is_a_valid_neighbour():
    rng, kept = np.random.default_rng(1), 0
    for task in uniform_tasks(300, seed=2):
        neighbour = SPACE.mutate(task, rng)
        neighbour.validate()
        assert SPACE.decode(SPACE.encode(neighbour)) == neighbour
        kept += len(neighbour.design.pages) == len(task.design.pages)
    assert kept > 290


def test_mutation_repeats_and_changes_every_part():
    task = filled(SiteDesign.from_text("city deck next_login\nnavbar state cc submit"))
    neighbours = [SPACE.mutate(task, np.random.default_rng(seed)) for seed in range(1_500)]
    assert neighbours[:50] == [SPACE.mutate(task, np.random.default_rng(seed)) for seed in range(50)]
    kinds = {"pages": 0, "added": 0, "removed": 0, "value": 0, "between": 0}
    for other in neighbours:
        kinds["pages"] += len(other.design.pages) != 2
        kinds["value"] += other.design == task.design and other != task
        if len(other.design.pages) == 2:
            ours, theirs = set(task.design.pairs), set(other.design.pairs)
            # One goes, one comes; a button of one's own that goes may be made up for.
            assert len(ours - theirs) <= 1 and len(theirs - ours) <= 2
            kinds["added"] += bool(theirs - ours)
            kinds["removed"] += bool(ours - theirs)
            kinds["between"] += other.design.pages[0][::2][:2] == ("city", "deck")
        for field, value in task.profile:
            if other.design != task.design and field in other.design.fields:
                assert dict(other.profile)[field] == value
    assert min(kinds.values()) > 10, kinds
    assert {name for other in neighbours for page in other.design.pages for name in page} == set(CATALOGUE)


def test_mutation_keeps_the_last_active_primitive():
    task = filled(SiteDesign.from_text("city submit"))
    for seed in range(300):
        assert SPACE.mutate(task, np.random.default_rng(seed)).design.num_active >= 1


def test_sample_cuts_nothing_and_favours_no_page():
    """Every primitive of the parameters stands on its page; each slot's page is any of those that there are."""
    rng = np.random.default_rng(3)
    drawn = [SPACE.sample(rng) for _ in range(2_000)]
    pages = np.bincount([params["num_pages"] for params in drawn], minlength=11)
    assert pages[0] == 0 and abs(pages[1:] / 2_000 - 0.1).max() < 0.03
    places, first = np.zeros(10), np.zeros(41)
    for params in drawn:
        assert SPACE.space.contains(params) and has_active(params) and params["pages"].max() < params["num_pages"]
        placed = {(NAMES[k - 1], page) for k, page in zip(params["primitives"], params["pages"]) if k}
        assert placed <= set(SPACE.decode(params).design.pairs)
        places += np.bincount(params["pages"], minlength=10) if params["num_pages"] == 7 else 0
        first[params["primitives"][0]] += 1
    assert abs(places / places.sum() - (np.arange(10) < 7) / 7).max() < 0.02
    assert abs(first / 2_000 - 1 / 41).max() < 0.015


class OnlySkips(np.random.Generator):
    """Draws nothing but SKIPs at first."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))
        self.calls = 0

    def integers(self, low, high=None, **options):
        self.calls += 1
        drawn = super().integers(low, high, **options)
        return np.asarray(low) if self.calls <= 4 else drawn


def test_sample_draws_again_what_has_no_active_primitive():
    rng = OnlySkips()
    assert has_active(SPACE.sample(rng)) and rng.calls > 8


def test_a_variation_has_no_parameters():
    task = filled(SiteDesign.from_text("city submit"))
    varied = SPACE.with_parts(task, {"variation": Variation(theme="dark")})
    with pytest.raises(InvalidTaskError, match="variation is 'theme: dark', expected none, to have parameters"):
        SPACE.encode(varied)


def test_there_are_105_parameters():
    shapes = {name: leaf.shape for name, leaf in SPACE.space.items()}
    assert shapes == {"num_pages": (), "pages": (40,), "primitives": (40,), "profile": (24,)}
    assert len(CATALOGUE_FIELDS) == 24 and {p.field for p in CATALOGUE.values() if p.active} == set(CATALOGUE_FIELDS)


@pytest.mark.parametrize("site", ["login", "address", "payment", "flight", "shopping"])
def test_a_site_and_its_level_name_its_first_task(site):
    for level in range(1, 5):
        assert SPACE.resolve(f"{site}/{level}") == SPACE.suite("test")[f"{site}-{level}-0"]


@pytest.mark.parametrize("name", ["flight/5", "flight", "flight/", "enter-text/1", "train/3", "test/flight-5-0"])
def test_other_names_are_unknown(name):
    with pytest.raises(UnknownNameError):
        SPACE.resolve(name)


def test_parts_of_a_task_can_be_replaced():
    task = SPACE.suite("test")["login-1-0"]
    changed = SPACE.with_parts(task, {"profile": (("password", "a b"), ("username", "<b>"))})
    assert isinstance(changed, SiteTask) and changed.design == task.design
    with pytest.raises(InvalidTaskError, match="fields of the profile"):
        SPACE.with_parts(task, {"profile": (("username", "ada"),)})


def test_what_the_step_limit_costs_is_counted():
    """25 steps of 10 pages are enough for 15 active primitives; repeats and passive ones are no loss."""
    active = [name for name, primitive in CATALOGUE.items() if primitive.active]
    pairs = [(name, k % 10) for k, name in enumerate(active)] + [(active[0], 0), ("navbar", 0)]
    params = {name: np.array(value) for name, value in SPACE.sample(np.random.default_rng(0)).items()}
    params["num_pages"], params["primitives"][:] = np.array(10), 0
    for slot, (name, page) in enumerate(pairs):
        params["primitives"][slot], params["pages"][slot] = 1 + list(CATALOGUE).index(name), page
    assert SPACE.num_lost(params) == len(active) - 15
    assert SPACE.decode(params).design.num_active == 15
    params["num_pages"] = np.array(1)
    assert SPACE.num_lost(params) == 0
