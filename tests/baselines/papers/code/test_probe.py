"""Faults of agents are found, made small, told in words, and kept in a file that environments take."""

from typing import NamedTuple

import gymnasium
import pytest

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.papers.code.probe import Probe, ProbeSettings
from procgen_bench.baselines.papers.code.site_faults import SiteFault, TriedValues, smallest_failing, try_values
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnsupportedEnvironmentError
from procgen_bench.core.task_files import read_tasks, write_tasks
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY
from procgen_bench.tasks.sites.profiles import value_lists
from tests.baselines.papers.code.holed_agents import HoledPolicy, SometimesHoledPolicy

NAME = value_lists()["lastname"][17]


def has_captcha(task):
    return "captcha" in task.design.fields


def has_name(task):
    return dict(task.profile).get("lastname") == NAME


def has_city_on_a_deck(task):
    return any({"city", "deck"} <= set(page) for page in task.design.pages)


def is_long(task):
    return len(task.design.pages) > 3


def nothing(task):
    return False


def probed(policy, seed=0, benchmark="gminiwob/test", **settings):
    def play(tasks, seeds):
        return play_episodes(policy, "GMiniWoB-v0", tasks, seeds, num_envs=128)

    return Probe(play, LevelSource(get_benchmark(benchmark), solvable=True), ProbeSettings(**settings), seed).run()


def site(text: str, **values: str) -> SiteTask:
    design = SiteDesign.from_text(text)
    return SiteTask(design, tuple((field, values.get(field) or value_lists()[field][0]) for field in design.fields))


def test_a_primitive_that_is_failed_is_found_alone():
    report = probed(HoledPolicy(has_captcha), steps=2_000)
    (fault,) = report.faults
    assert fault.task.design.pages == (("captcha", "submit"),) and fault.needs_field and not fault.deciding
    assert str(fault) == "captcha: whatever the value" and (fault.num_failed, fault.num_played) == (5, 5)
    assert 2_000 <= report.num_steps < 3_000 and report.num_episodes > 100


def test_a_value_that_is_failed_is_found():
    report = probed(HoledPolicy(has_name), steps=14_000)
    (fault,) = report.faults
    assert fault.task.design.pages == (("lastname", "submit"),) and fault.deciding == {"lastname": (NAME,)}
    assert str(fault) == f"lastname: lastname '{NAME}' (1 of 64 values)"
    assert [*fault.tasks()] == [fault.task]


def test_what_only_two_together_fail_is_found_by_designs():
    report = probed(HoledPolicy(has_city_on_a_deck), steps=10_000, values=1)
    assert [set(fault.task.design.pages[0]) for fault in report.faults] == [{"city", "deck", "submit"}]
    assert str(report.faults[0]).startswith("city + deck: ")
    assert report.num_designed >= report.num_failed > 0


def test_a_fault_of_all_long_sites_names_no_field():
    report = probed(HoledPolicy(is_long), steps=2_000, values=2)
    (fault,) = report.faults
    assert not fault.needs_field and str(fault) == "4 pages, any field: whatever the value"


def test_who_fails_nothing_has_no_faults():
    report = probed(HoledPolicy(nothing), steps=1_000)
    assert report.faults == () and report.num_failed == 0 < report.num_designed


def test_failures_by_chance_are_no_faults_where_most_of_several_tries_count():
    report = probed(SometimesHoledPolicy(has_captcha), steps=6_000, tries=6, values=8)
    assert [fault.task.design.pages for fault in report.faults] == [(("captcha", "submit"),)]


def test_what_is_seldom_failed_again_is_no_fault():
    """Every fifth episode fails, whatever the site: of five more, hardly ever three."""
    report = probed(SometimesHoledPolicy(nothing), steps=1_500, values=2)
    assert report.num_failed > 3 and len(report.faults) <= 1


class LongEpisode(NamedTuple):
    return_: float = -1.0
    success: bool = False
    length: int = 290


def test_where_no_steps_are_left_sites_stay_as_they_are_and_say_so():
    levels, settings = LevelSource(get_benchmark("gminiwob/test"), solvable=True), ProbeSettings(steps=1_000)
    report = Probe(lambda tasks, seeds: [LongEpisode() for _ in tasks], levels, settings, 0).run()
    (fault,) = report.faults
    assert str(fault).endswith(": these values; others were not tried") and fault.needs_field
    assert [tried.num_tried for tried in fault.values.values()] == [1] and not fault.deciding


def test_equal_seeds_find_the_same():
    def told():
        report = probed(HoledPolicy(has_city_on_a_deck), seed=3, steps=1_500, values=2)
        return [fault.task for fault in report.faults], report.num_steps, report.num_episodes, report.shares.tolist()

    assert told() == told()


@pytest.mark.slow
@pytest.mark.parametrize("hole", [has_captcha, has_name])
@pytest.mark.parametrize("seed", range(10))
def test_a_planted_hole_is_found_in_ten_runs_of_ten(hole, seed):
    (fault,) = probed(HoledPolicy(hole), seed, steps=14_000).faults
    assert fault.size == (1, 1) and hole(fault.task)
    assert (fault.deciding == {"lastname": (NAME,)}) == (hole is has_name)


def test_sites_become_as_small_as_they_can_be():
    task = site("navbar city footer next_login\ncabin username deck state next_checkout\nzipcode captcha submit")

    def fails(tasks):
        return [len(one.design.pages) > 1 and {"deck", "state"} <= set(one.design.pages[-2]) for one in tasks]

    small = smallest_failing(task, fails, PUBLISHED_LIBRARY)
    assert small.design.pages == (("deck", "state", "next_checkout"), ("submit",))
    assert dict(small.profile) == {"state": dict(task.profile)["state"]}


def test_values_are_tried_one_at_a_time():
    task = site("city state submit", city=value_lists()["city"][3])
    bad = {value_lists()["city"][place] for place in (3, 7, 20)}
    asked = []

    def fails(tasks):
        asked.extend(tasks)
        return [dict(one.profile)["city"] in bad for one in tasks]

    tried = try_values(task, fails, PUBLISHED_LIBRARY, 64)
    assert set(tried["city"].failing) == bad and tried["city"].num_tried == 64
    assert tried["state"] == TriedValues(("CA", "NY"), 2) and not tried["state"].decides and len(asked) == 66
    few = try_values(task, fails, PUBLISHED_LIBRARY, 16)["city"]
    assert few.num_tried == 16 and dict(task.profile)["city"] in few.failing


def test_a_fault_explains_what_holds_all_of_it():
    fault = SiteFault(
        site("city next_checkout\ndeck state submit", state="NY"),
        {"city": TriedValues(value_lists()["city"], 64), "state": TriedValues(("NY",), 2)},
    )
    held = "navbar city next_checkout\nfooter next_login\nstate cart deck submit".replace(" cart", "")
    assert fault.explains(site(held, state="NY"))
    assert not fault.explains(site(held, state="CA"))
    assert not fault.explains(site("deck state next_checkout\ncity submit", state="NY"))
    assert not fault.explains(site("city deck submit"))
    assert str(fault) == "2 pages, city on page 1, deck + state on page 2: state 'NY' (1 of 2 values)"


def test_faults_are_a_file_that_environments_draw_from(tmp_path):
    first = site("captcha submit")
    fault = SiteFault(first, {"captcha": TriedValues(value_lists()["captcha"][:3], 64)})
    tasks, space = [*fault.tasks()], SiteTaskSpace()
    assert [dict(task.profile)["captcha"] for task in tasks] == [*value_lists()["captcha"][:3]]
    write_tasks(space, tasks, tmp_path / "faults.json")
    assert read_tasks(space, tmp_path / "faults.json") == tuple(tasks)
    with gymnasium.make("GMiniWoB-v0", tasks=str(tmp_path / "faults.json")) as env:
        for seed in range(5):
            env.reset(seed=seed)
            assert env.unwrapped.task in tasks


def test_only_sites_are_probed():
    with pytest.raises(UnsupportedEnvironmentError, match="probe does not support GridWorld-v0"):
        probed(HoledPolicy(nothing), benchmark="grid-world/graded")
