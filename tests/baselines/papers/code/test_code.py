"""CoDE's teacher and its rivals: objectives, every exploit that was seen, bad input, and what it learns."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.curricula.designs import Design
from procgen_bench.baselines.papers.code.code import CoDETeacher
from procgen_bench.baselines.papers.code.design_generator import Drawn
from procgen_bench.baselines.papers.code.design_settings import CoDEConfiguration, DesignConfiguration
from procgen_bench.baselines.papers.code.designs import DesignTeacher
from procgen_bench.baselines.papers.code.objectives import TRIVIAL, Outcome, design_rewards, regret_floor
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.testing import check_teacher
from tests.baselines.papers.code.design_options import DESIGN_TEACHERS

QUICK = {
    ("code", "grid-world/graded"),
    ("paired", "cminigrid/sparse"),
    ("paired", "ued-maze/random"),
    ("scheduled-designs", "grid-world/graded"),
}


def teacher(name="code", options="slots=4,batch=4", benchmark="gminiwob/test", seed=0):
    levels = LevelSource(get_benchmark(benchmark), solvable=True)
    return get_teacher(name).make(options, levels, np.random.default_rng(seed))


def play(made, returns, rounds=1, rows=16):
    """Rounds of episodes, by ``returns(proposal)``; the measures of all updates."""
    measures = []
    for _ in range(rounds):
        proposals = made.propose(np.arange(rows), 0)
        earned = np.array([returns(one) for one in proposals], float)
        count = len(proposals)
        nothing = np.zeros(count, np.float32)
        players = np.array([made.players.index(one.player) for one in proposals], np.int16)
        levels = np.array([one.level for one in proposals])
        made.observe(
            FinishedEpisodes(
                levels,
                players,
                np.ones(count, bool),
                earned,
                earned > 0,
                np.ones(count, int),
                nothing,
                nothing,
                nothing,
                players=made.players,
            )
        )
        measures.append(made.learn(None))
    return [one for one in measures if one]


def outcome(*returns, placed=3, active=2) -> Outcome:
    return Outcome(np.array(returns, float), placed, active, 0, 0)


def rewarded(*outcomes, objective="code", alpha=0.8, count="all", before=0.0, **further):
    return design_rewards(outcomes, objective, alpha, count, 4, before, **further)


@pytest.mark.parametrize(
    ("name", "benchmark_id"),
    [
        pytest.param(name, benchmark_id, marks=() if (name, benchmark_id) in QUICK else pytest.mark.slow)
        for name in DESIGN_TEACHERS
        for benchmark_id in (
            "grid-world/graded",
            "gminiwob/test",
            "cminigrid/test",
            "cminigrid/sparse",
            "ued-maze/random",
        )
    ],
)
def test_every_teacher_of_designs_conforms(name, benchmark_id):
    check_teacher(name, benchmark_id, DESIGN_TEACHERS[name])


def test_regret_is_that_of_the_best_player_to_the_population():
    one = outcome([1.0, 0.0], [0.5, 0.1])
    assert rewarded(one, objective="pop-regret").rewards.tolist() == pytest.approx([0.5 - 0.4])
    rng = np.random.default_rng(0)
    drawn = [outcome(*rng.normal(size=(3, 2))) for _ in range(50)]
    assert rewarded(*drawn, objective="pop-regret").rewards.min() >= 0


def test_regret_to_the_best_episode_sees_what_all_players_fail_alike():
    """The k-th episodes are of one task: two players who solve the first and fail the second differ in nothing."""
    alike = outcome([1.0, -1.0], [1.0, -1.0])
    for objective, share in (("pop-regret", 1.0), ("code", 0.2)):
        found = [rewarded(alike, objective=objective, regret=regret).rewards[0] for regret in ("mean", "episode")]
        assert found == pytest.approx([0.0, share])
    solved, failed = outcome([1.0, 1.0], [1.0, 1.0]), outcome([-1.0, -9.0], [-1.0, -1.0])
    assert rewarded(solved, failed, objective="pop-regret", regret="episode").rewards.tolist() == [0.0, 0.0]
    one = rewarded(outcome([0.5, 0.1], [1.0, 0.0]), regret="episode")
    assert (one.rewards[0], one.direct[0]) == pytest.approx((0.2 * (1.0 - 0.4), 0.8 * 0.5)), "difficulty is as it was"


def test_what_is_trivial_is_scaled_as_regret_is_and_divides_nothing():
    trivial = Outcome(None, 0, 0, 0, 0)
    played = [outcome([1.0], [back]) for back in (-1.0, 0.5, 1.0)]
    alone = rewarded(*played)
    whole, scaled = (rewarded(*played, trivial, trivial=name) for name in ("whole", "scaled"))
    assert (whole.rewards[-1], scaled.rewards[-1]) == pytest.approx((TRIVIAL, 0.2 * TRIVIAL))
    assert scaled.rewards[:-1].tolist() == alone.rewards.tolist()
    assert whole.deviation > scaled.deviation == alone.deviation > 0.1
    assert rewarded(trivial, trivial="scaled").deviation == 0.1


@pytest.mark.parametrize(
    ("returns", "regret", "direct"),
    [
        (([1.0], [1.0]), 0.0, 0.8),  # everybody solves it: longer
        (([1.0], [-1.0]), 0.2, 0.8),  # one does
        (([0.2], [0.2]), 0.0, 0.16),
        (([0.0], [0.0]), 0.0, 0.0),
        (([-0.5], [-1.0]), 0.05, -0.4),  # nobody does: shorter, and regret between failures is small
        (([-1.0], [-1.0]), 0.0, -0.8),
        (([-14.0], [-1.0]), 0.0, -0.8),  # a failure of 25 idle steps is a failure
        (([1.7], [1.6]), 0.0, 0.8),  # and a quick success a success
    ],
)
def test_signs_of_the_objective(returns, regret, direct):
    """Difficulty is scaled by the best return, whose sign it keeps: what nobody can solve pays for being shorter."""
    found = rewarded(outcome(*returns))
    assert (found.rewards[0], found.direct[0]) == pytest.approx((regret, direct))


def test_regret_is_logged_as_it_is_rewarded():
    """Two failures, one of which idles for 25 steps, are no regret."""
    made = teacher("pop-regret")
    found = play(made, lambda one: -1.0 if one.player == made.players[0] else -14.0, rounds=3)
    assert found and {one["regret"] for one in found} == {0.0} == {one["regret_floor"] for one in found}
    assert {one["best_return"] for one in found} == {-1.0}


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.8, 0.9])
def test_what_is_not_difficultys_share_weighs_regret(alpha):
    """After REINFORCE's division, too: half of the share is half of the advantage."""
    batch = [outcome([1.0], [back]) for back in (-1.0, -0.2, 0.6, 1.0)]
    whole, found = rewarded(*batch, alpha=0.0), rewarded(*batch, alpha=alpha)
    assert found.rewards / found.deviation == pytest.approx((1 - alpha) * whole.rewards / whole.deviation)


def test_what_difficulty_has_no_room_for_is_regrets():
    """Of designs that pay for difficulty; of others it is as it was, so that they become shorter."""
    solved, failed = outcome([1.0, 1.0], [1.0, 0.0]), outcome([-0.5, -0.5], [-1.0, -1.0])
    for room, shares in ((1.0, (0.2, 0.2)), (0.5, (0.6, 0.2)), (0.0, (1.0, 0.2))):
        found = rewarded(solved, failed, room=room)
        assert found.rewards.tolist() == pytest.approx([shares[0] * 0.25, shares[1] * 0.25]), room
        assert found.direct.tolist() == rewarded(solved, failed).direct.tolist()


def test_difficulty_can_count_what_has_to_be_done():
    one = outcome([1.0], [1.0], placed=4, active=1)
    for count, share in (("active", 1 / 4), ("distinct", 4 / 4)):
        found = rewarded(one, count=count)
        assert (found.rewards[0], found.direct[0]) == pytest.approx((0.8 * share, 0.0)), count


def test_a_design_with_nothing_to_do_pays_minus_one_and_is_not_played():
    made = teacher(options="slots=2,batch=4")
    with torch.no_grad():  # SKIP or a link, mostly
        made.generator.primitive[2].bias[0] += 6.0
    proposals = made.propose(np.arange(8), 0)
    assert all(one.task.design.num_active for one in proposals)
    trivial = [one for one in made._open.values() if not one.tasks]
    assert trivial and {made._outcome(one).returns is None for one in trivial} == {True}
    assert rewarded(Outcome(None, 0, 0, 0, 0)).rewards.tolist() == [TRIVIAL]
    assert rewarded(Outcome(None, 0, 0, 0, 0)).direct.tolist() == [0.0]


def test_a_generator_that_makes_nothing_to_do_learns_to():
    made = teacher(options="slots=2,batch=16,learning_rate=0.01,entropy_target=0")
    with torch.no_grad():
        made.generator.primitive[2].bias[0] += 6.0
    shares = [one["trivial_share"] for one in play(made, lambda _: 1.0, rounds=40, rows=32)]
    assert np.mean(shares[:3]) > 0.5 and np.mean(shares[-3:]) < 0.25


def test_the_rivals_are_paid_for_what_they_say():
    better, worse = outcome([0.6, 0.2], [0.1, 0.3]), outcome([0.1, 0.3], [0.6, 0.2])
    assert rewarded(better, worse, objective="paired").rewards.tolist() == pytest.approx([0.3 - 0.4, 0.6 - 0.2])
    assert rewarded(better, worse, objective="flexible-paired").rewards.tolist() == pytest.approx([0.6 - 0.2] * 2)
    found = rewarded(better, worse, objective="alp", before=-0.1)
    assert found.rewards.tolist() == pytest.approx([0.5, 0.2]) and found.last_return == pytest.approx(0.2)
    assert rewarded(better, objective="difficulty").direct.tolist() == pytest.approx([0.4])


def test_the_floor_of_regret_is_that_of_two_copies_of_one_player():
    rng = np.random.default_rng(0)
    returns = np.where(rng.random((4_000, 2, 2)) < 0.5, 1.0, -1.0)
    regrets = [rewarded(outcome(*one), objective="pop-regret").rewards[0] for one in returns]
    floors = [regret_floor(one) for one in returns]
    # Of two-valued returns half the difference of means is not exactly as much as of normal ones.
    assert np.mean(floors) == pytest.approx(np.mean(regrets), rel=0.1)
    assert np.isnan(regret_floor(returns[0, :, :1])) and np.isnan(regret_floor(returns[0, :1]))


def test_the_floor_of_regret_knows_that_players_share_their_tasks():
    """Two copies that fail the same tasks have neither regret nor a floor, however different the tasks are."""
    assert regret_floor(np.array([[1.0, -1.0, 1.0], [1.0, -1.0, 1.0]])) == 0.0
    assert regret_floor(np.array([[1.0, -1.0], [-1.0, 1.0]])) == pytest.approx(4 / 2 / 2)
    assert regret_floor(np.array([[1.0, 1.0], [-1.0, -1.0]])) == 0.0, "one player is better throughout"


def test_designs_are_told_with_what_became_of_their_choices():
    made = teacher("random-designs", "slots=40,batch=4,pages=10")
    (measures,) = play(made, lambda _: 0.5, rounds=1, rows=8)
    assert measures["placed"] == pytest.approx(measures["active"] + measures["passive"])
    assert measures["lost"] > 0 and measures["repeated"] > 0 and measures["places"] > 1


def test_pages_are_chosen_without_favour():
    """Not by the remainder: of three pages each is as likely."""
    made = teacher("random-designs", "slots=40,batch=4")
    chosen = [design for _, design in made.draw(400) if design.num_places == 3]
    shares = np.bincount(np.concatenate([one.places for one in chosen]), minlength=3) / (40 * len(chosen))
    assert shares == pytest.approx([1 / 3] * 3, abs=0.03)


@pytest.mark.parametrize(("pages", "played"), [("all", 5), ("used", 3), ("5", 5)])
def test_sites_are_with_the_empty_pages_at_their_end_or_without(pages, played):
    """Of five pages the third is the last that holds something, and the second is empty; what is skipped is nowhere."""
    made = teacher("code", f"slots=4,pages={pages}")
    number = 1 + made.space.primitives.index("username")
    design = Design(5, np.array([number, number, 0, 0]), np.array([0, 2, 4, 3]))
    (task,) = made.space.tasks(design, 1, np.random.default_rng(0))
    assert len(task.design.pages) == played == made.space.num_places(design)
    assert [("username" in page) for page in task.design.pages][:3] == [True, False, True]


def test_a_repeat_is_placed_once():
    design = Design(2, np.array([3, 3, 3, 0, 5]), np.array([0, 1, 0, 0, 1]))
    assert design.placed == [(3, 0), (3, 1), (5, 1)] and design.num_repeated == 1


def test_what_the_benchmark_holds_out_is_neither_played_nor_learned_from():
    made = teacher(options="slots=2,batch=2")
    login = made.levels.task_space.resolve("test/login-1-0").design
    numbers = [1 + made.space.primitives.index(name) for name in login.pages[0][:2]]
    held_out = Design(1, np.array(numbers), np.zeros(2, np.int64))
    noise = np.zeros((1, 100), np.float32)
    drawn = Drawn(noise, np.array([0]), held_out.primitives[None], held_out.places[None])
    assert made._opened(drawn, held_out) == [] and not made._open
    assert made._counts == {"drawn": 1, "refused": 1, "trivial": 0}


def test_all_players_play_every_design_as_often():
    made = teacher("code", "slots=3,batch=4,population=3,episodes=2")
    proposals = made.propose(np.arange(24), 0)
    assert made.players == ("student", "student/2", "student/3")
    by_level = {}
    for one in proposals:
        by_level.setdefault(one.level, []).append((one.player, one.task.fingerprint()))
    assert all(len(plays) == 3 and len({task for _, task in plays}) == 1 for plays in by_level.values())
    assert teacher("paired").players == ("student", "antagonist")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("code", "population=1", "population is 1, expected at least 2 or alpha=1: one has no regret"),
        ("pop-regret", "population=1", "population is 1, expected at least 2: one has no regret"),
        ("paired", "population=3", "population is 3, expected 2"),
        ("code", "alpha=1.5", "alpha is 1.5, expected a number from 0 to 1"),
        ("code", "count=some", "count is 'some', expected"),
        ("code", "regret=best", "regret is 'best', expected"),
        ("code", "regret=best,alpha=1", "regret is 'best', expected"),
        ("code", "trivial=free", "trivial is 'free', expected"),
        ("code", "trivial=scaled,alpha=1", "trivial is 'scaled', expected 'whole' or alpha below 1"),
        (
            "code",
            "regret=episode,population=1,episodes=1",
            "episodes is 1, expected at least 2 of one player or alpha=1",
        ),
        (
            "pop-regret",
            "regret=episode,population=1,episodes=1",
            "episodes is 1, expected at least 2 of one player: one",
        ),
        ("code", "at_cap=best", "at_cap is 'best', expected one of"),
        ("code", "at_cap=regret,alpha=1", "at_cap is 'regret', expected 'kept' or alpha below 1"),
        ("difficulty", "at_cap=regret", "at_cap is 'regret', expected the objective code beside it"),
        ("code", "objective=regret,regret=episode", "objective is 'regret', expected one of"),
        ("code", "pages=some", "pages is 'some', expected all, used, or an integer of at least 1"),
        ("random-designs", "pages=0", "pages is '0', expected all, used, or an integer of at least 1"),
        ("code", "slots=0", "slots is 0, expected an integer of at least 1"),
        ("paired", "alpha=0.5", "alpha is 0.5, expected the objective code beside it"),
        ("alp", "count=active", "count is 'active', expected the objective code or difficulty beside it"),
        ("random-designs", "rises_over=9", "rises_over is 9, expected designs=scheduled beside it"),
    ],
)
def test_bad_options_are_one_line(name, options, message):
    with pytest.raises(TeacherOptionError, match=message) as error:
        teacher(name, options)
    assert "\n" not in str(error.value)


def test_what_a_family_does_not_take_is_refused():
    for benchmark, options, message in (
        ("gminiwob/test", "slots=41", "slots is 41, expected at most 40 in GMiniWoB-v0"),
        ("gminiwob/test", "pages=11", "pages is 11, expected at most 10"),
        ("cminigrid/test", "slots=5,pages=3", "pages is 3, expected 10, the default"),
        ("cminigrid/test", "slots=5,pages=used", "pages is 'used', expected 'all': designs of .* have no pages"),
        ("cminigrid/test", "slots=6", "slots is 6, expected at most 5 in CompositionalMiniGrid-v0"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            teacher("code", options, benchmark)
    with pytest.raises(UnsupportedEnvironmentError, match="a generator of designs does not"):
        teacher("code", "slots=4", "bit-grid/test")


@pytest.mark.parametrize(
    ("best", "threshold", "direct"),
    [(0.1, 0.2, -0.08), (0.5, 0.2, 0.24), (0.0, 0.2, -0.16), (-0.1, -0.2, 0.08), (-1, 0.2, -0.8), (0.2, 0.2, 0)],
)
def test_difficulty_pays_above_the_threshold_alone_and_by_the_distance(best, threshold, direct):
    assert rewarded(outcome([best], [-1.0]), threshold=threshold).direct[0] == pytest.approx(direct)


def lengths(kind=CoDETeacher, rounds=150, bearable=3, skips=0.0, cap="both"):
    """Mean numbers of primitives at first and at last, under players who bear so many of five, and nothing longer.

    SKIP's logit begins by ``skips`` higher.
    """
    levels = LevelSource(get_benchmark("cminigrid/test"), solvable=True)
    configuration = CoDEConfiguration(slots=5, batch=16, alpha=1.0, learning_rate=3e-3, entropy_target=0, cap=cap)
    made = kind(levels, np.random.default_rng(0), configuration)
    with torch.no_grad():
        made.generator.primitive[2].bias[0] += skips
    means = []
    for _ in range(rounds):
        drawn, designs = zip(*made.draw(configuration.batch))
        chosen = [int(np.count_nonzero(design.primitives)) for design in designs]
        returns = [np.full((2, 2), 1.0 if number <= bearable else -1.0) for number in chosen]
        made.improve(list(drawn), [Outcome(*one, number, number, 0, 0) for *one, number in zip(returns, chosen)])
        means.append(np.mean(chosen))
    return np.mean(means[:3]), np.mean(means[-30:])


class SignLost(CoDETeacher):
    """Difficulty pays also for what nobody solves."""

    def _rewards(self, outcomes, room):
        found = super()._rewards(outcomes, room)
        return found._replace(direct=np.abs(found.direct))


class NotDifferentiated(CoDETeacher):
    """N^ is a reward like any other."""

    def improve(self, drawn, outcomes):
        honest, share = super()._rewards, self.generator.likelihoods(Drawn(*map(np.concatenate, zip(*drawn))))
        longer = (share.difficulties / self.generator.longest).detach().numpy()

        def rewards(given, room):
            found = honest(given, room)
            return found._replace(rewards=found.rewards + found.direct * longer, direct=found.direct * 0)

        self._rewards = rewards
        return super().improve(drawn, outcomes)


def test_designs_become_as_long_as_the_best_player_bears():
    first, last = lengths()
    assert first > 3.8 and 2.0 < last < 3.6


@pytest.mark.parametrize(("cap", "returns"), [("gain", True), ("both", False)])
def test_designs_that_cost_become_shorter_beyond_the_cap_where_it_is_on_gains_alone(cap, returns):
    first, last = lengths(skips=-4.0, cap=cap)
    assert first > 4.9 and (last < 3.6) == returns


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SignLost, NotDifferentiated])
def test_sabotaged_generators_do_not_find_that_length(kind):
    _, last = lengths(kind)
    assert not 2.0 < last < 3.6


HOLE_OF_ROOMS = {"slots": 3, "alpha": 0.0, "learning_rate": 3e-3, "entropy_target": 0.0}


def share_in_the_hole(rounds, benchmark="cminigrid/test", hole=("subtask 1", "subtask 3"), **settings):
    """The share of designs with both of two primitives at first and at last.

    Both players fail the same half of their tasks, where two values would differ, and solve nearly all others.
    """
    levels, rng = LevelSource(get_benchmark(benchmark), solvable=True), np.random.default_rng(1)
    configuration = CoDEConfiguration(**settings)
    made = CoDETeacher(levels, np.random.default_rng(0), configuration)
    both = {1 + made.space.primitives.index(name) for name in hole}
    shares = []
    for _ in range(rounds):
        drawn, designs = zip(*made.draw(configuration.batch))
        outcomes = []
        for design in designs:
            solves = rng.random((2, 2)) < 0.97
            if both <= {primitive for primitive, _ in design.placed}:
                solves &= rng.random(2) < 0.5
            count = made.space.num_active(design)
            played = np.where(solves, 1.0, -1.0) if made.space.is_task(design) else None
            outcomes.append(Outcome(played, len(design.placed), count, 0, 0))
        made.improve(list(drawn), outcomes)
        shares.append(np.mean([both <= {primitive for primitive, _ in design.placed} for design in designs]))
    return np.mean(shares[:5]), np.mean(shares[-10:])


def test_a_generator_finds_what_all_players_fail_alike_by_their_best_episode_alone():
    """By means designs with the hole are no better than others."""
    assert share_in_the_hole(40, regret="episode", **HOLE_OF_ROOMS)[1] > 0.8
    assert share_in_the_hole(40, regret="mean", **HOLE_OF_ROOMS)[1] < 0.4


@pytest.mark.slow
def test_a_generator_of_sites_finds_the_pairs_of_boxes_that_no_player_tells_apart():
    """With the method's own settings, beside difficulty: both boxes are in 8 % of designs at first."""
    boxes = "gminiwob/test", ("rememberme", "stayloggedin")
    first, last = share_in_the_hole(100, *boxes, regret="episode")
    assert first < 0.2 and last > 0.7
    assert share_in_the_hole(100, *boxes, regret="mean")[1] < 0.4


def test_a_design_that_is_given_up_is_forgotten():
    made = DesignTeacher(
        LevelSource(get_benchmark("cminigrid/test"), solvable=True),
        np.random.default_rng(0),
        DesignConfiguration(slots=2, batch=2, episodes=1),
    )
    for _ in range(60):
        made.propose(np.arange(2), 0)  # whose episodes never end
    assert len(made._open) <= 8 * 4 and made.learn(None) == {}
