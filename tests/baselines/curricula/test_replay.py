"""Prioritised level replay and ACCEL: what they propose, what they keep, and that they bring a student further."""

from functools import cache

import numpy as np
import pytest

from procgen_bench.baselines.curricula import plr
from procgen_bench.baselines.curricula.ladder import NoSolverError
from procgen_bench.baselines.curricula.level_scores import ScoreError
from procgen_bench.baselines.training.contracts import CRITICISM, Proposal
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from tests.baselines.curricula.students import climber, levels_of, trained_skill

LEVELS = levels_of("grid-world/graded", solvable=True)
SMALL = "buffer_size=200"
ROWS = np.arange(20)


def make(name, options=SMALL, seed=0):
    return get_teacher(name).make(options, LEVELS, np.random.default_rng(seed))


def skill(teacher, episodes=3000, rate=0.04) -> float:
    student = climber(LEVELS)
    student.rate = rate
    return trained_skill(teacher, student, episodes)


@cache
def uniform_skill() -> float:
    return skill(make("uniform", ""))


def negate_scores(teacher):
    score = teacher._score
    teacher._score = lambda max_return, critic: -score(max_return, critic)


@pytest.mark.parametrize(
    "options", ["", *(pytest.param(one, marks=pytest.mark.slow) for one in (",robust=true", ",score=max_monte_carlo"))]
)
def test_it_brings_a_student_further_than_uniform_levels(options):
    assert skill(make("plr", SMALL + options)) > uniform_skill() + 4


@pytest.mark.parametrize("name", ["plr", pytest.param("accel", marks=pytest.mark.slow)])
def test_with_negated_scores_it_does_not(name):
    teacher = make(name)
    negate_scores(teacher)
    assert skill(teacher) < uniform_skill()


def bear_in_vain(teacher):
    """Of what is offered to the buffer, children are left out."""
    children, bear, offer = set(), teacher._child, teacher.buffer.offer

    def child(parent):
        children.add(born := bear(parent))
        return born

    teacher._child = child
    teacher.buffer.offer = lambda candidates: offer([each for each in candidates if each.task not in children])


@pytest.mark.parametrize("sabotage", [None, bear_in_vain])
def test_children_lead_to_levels_that_draws_do_not(sabotage):
    teacher = make("accel")
    if sabotage:
        sabotage(teacher)
    student = climber(LEVELS)
    student.rate, student.width = 0.05, 0.3
    assert (trained_skill(teacher, student, 8000) > 19.5) == (sabotage is None)


@pytest.mark.parametrize("name", ["plr", "robust-plr"])
def test_replay_begins_when_the_buffer_is_filled_and_has_its_share(name, monkeypatch):
    monkeypatch.setattr(plr, "_FILL_RATIO", 0.7)
    teacher, student = make(name, "buffer_size=25,replay_probability=0.7"), climber(LEVELS)
    first = teacher.propose(ROWS, 0)
    assert len({proposal.level for proposal in first}) == len(ROWS)
    assert all(proposal.train == (name == "plr") for proposal in first)
    teacher.observe(student.play_proposals(first))
    later = [proposal for _ in range(100) for proposal in teacher.propose(ROWS, 0)]
    replayed = [proposal for proposal in later if teacher.buffer.slot(proposal.level) is not None]
    assert len(replayed) / len(later) == pytest.approx(0.7, abs=0.03)
    assert all(proposal.train for proposal in replayed)


def test_no_greater_share_is_replayed_than_is_filled():
    teacher, student = make("plr", "buffer_size=40,replay_probability=0.9"), climber(LEVELS)
    teacher.observe(student.play_proposals(teacher.propose(ROWS, 0)))
    later = [proposal for _ in range(100) for proposal in teacher.propose(ROWS, 0)]
    replayed = [teacher.buffer.slot(proposal.level) is not None for proposal in later]
    assert np.mean(replayed) == pytest.approx(0.5, abs=0.03)


def test_every_replayed_level_has_a_child_that_is_played_without_learning():
    teacher, student = make("accel", "buffer_size=20,edits=1"), climber(LEVELS)
    teacher.observe(student.play_proposals(teacher.propose(ROWS, 0)))
    replays = teacher.propose(ROWS, 0)
    parents = [proposal.task for proposal in replays if proposal.train]
    assert parents
    teacher.observe(student.play_proposals(replays))
    children = teacher.propose(ROWS, 0)[: len(parents)]
    assert not any(proposal.train for proposal in children)
    for parent, child in zip(parents, children, strict=True):
        changed_tiles = (parent.tiles != child.task.tiles).sum()
        assert changed_tiles + (parent.objects != child.task.objects).any(axis=1).sum() <= 2


def test_a_level_keeps_its_greatest_return(monkeypatch):
    monkeypatch.setattr(plr, "_FILL_RATIO", 0.0)
    teacher, student = make("plr", "buffer_size=20,score=max_monte_carlo"), climber(LEVELS)
    played = student.play_proposals(teacher.propose(ROWS, 0))
    for return_, value in ((0.25, 0.1), (0.75, 0.5), (0.5, 0.25)):
        played.return_[:], played.mean_value[:] = return_, value
        teacher.observe(played)
    assert teacher.buffer.max_returns.tolist() == [0.75] * 20
    assert teacher.buffer.scores == pytest.approx(np.full(20, 0.75 - 0.25))


def test_nothing_piles_up():
    teacher, student = make("accel", "buffer_size=30"), climber(LEVELS)
    for _ in range(60):
        teacher.observe(student.play_proposals(teacher.propose(ROWS, 0)))
    assert len(teacher.buffer) == 30
    assert len(teacher._new) == 0
    assert len(teacher._parents) <= 2 * len(ROWS)


def test_a_student_without_a_critic_is_refused_in_words():
    teacher, student = make("plr"), climber(LEVELS)
    played = student.play_proposals(teacher.propose(ROWS, 0))
    played.value_loss[:] = np.nan
    with pytest.raises(ScoreError, match=r"value_loss.*critic.*learnability"):
        teacher.observe(played)


def test_an_unknown_score_is_refused():
    with pytest.raises(TeacherOptionError, match=r"'doubt', expected one of \['value_loss', .*'mna', .*'regret'\]"):
        make("plr", "score=doubt")


@pytest.mark.parametrize("name", ["plr", "accel"])
def test_regret_is_what_the_solver_earns_less_what_the_student_did(name):
    teacher, student = make(name, "buffer_size=20,score=regret"), climber(LEVELS)
    assert not teacher.required_columns, "no critic is asked"
    proposals = teacher.propose(ROWS, 0)
    played = student.play_proposals(proposals)
    played.return_[:] = np.linspace(0, 0.5, 20)
    teacher.observe(played)
    slots = [teacher.buffer.slot(proposal.level) for proposal in proposals]
    best = [1 - 0.001 * len(LEVELS.task_space.solve(proposal.task)) for proposal in proposals]
    assert teacher.buffer.scores[slots] == pytest.approx(np.array(best) - np.linspace(0, 0.5, 20), abs=1e-6)
    first = Proposal(*teacher.buffer.level(0))
    again = student.play_proposals([first])
    again.return_[:] = -0.25  # the newest episode counts, not the best
    teacher.observe(again)
    assert teacher.buffer.scores[0] == pytest.approx(1 - 0.001 * len(LEVELS.task_space.solve(first.task)) + 0.25)


def test_regret_is_refused_where_nothing_solves_the_levels():
    levels = levels_of("ant-maze/test", solvable=False)
    with pytest.raises(NoSolverError, match=r"score=regret.*no solver"):
        get_teacher("plr").make("score=regret", levels, np.random.default_rng(0))


def test_negative_advantages_score_only_levels_that_were_rewarded():
    teacher, student = make("plr", "buffer_size=20,score=mna"), climber(LEVELS)
    proposals = teacher.propose(ROWS, 0)
    played = student.play_proposals(proposals)
    played.step_score[:] = np.arange(20) / 10
    played.return_[:] = ROWS % 2
    teacher.observe(played)
    scores = [teacher.buffer.scores[teacher.buffer.slot(proposal.level)] for proposal in proposals]
    assert scores == pytest.approx(np.arange(20) / 10 * (ROWS % 2))
    played.step_score[:] = np.nan
    with pytest.raises(ScoreError, match=r"step_score.*score=mna.*critic"):
        teacher.observe(played)


def test_the_policys_gradient_scores_levels_where_there_is_one():
    teacher, student = make("plr", "buffer_size=20,score=pace"), climber(LEVELS)
    assert teacher.required_columns == CRITICISM | {"gradient_norm"}
    proposals = teacher.propose(ROWS, 0)
    played = student.play_proposals(proposals)
    with pytest.raises(ScoreError, match=r"gradient_norm.*score=pace.*policy gradient"):
        teacher.observe(played)
    played.gradient_norm[:] = np.arange(20) / 10
    teacher.observe(played)
    scores = [teacher.buffer.scores[teacher.buffer.slot(proposal.level)] for proposal in proposals]
    assert scores == pytest.approx(np.arange(20) / 10)


@pytest.mark.parametrize(("children", "least", "most"), [(0.0, 0.0, 0.0), (0.5, 0.4, 0.6), (1.0, 1.0, 1.0)])
def test_a_share_of_the_replayed_levels_has_a_child(children, least, most):
    teacher, student = make("accel", f"buffer_size=20,children={children}"), climber(LEVELS)
    teacher.observe(student.play_proposals(teacher.propose(ROWS, 0)))
    assert not teacher._parents, "nothing was replayed yet"
    replays = [Proposal(*teacher.buffer.level(slot)) for slot in range(20)] * 20
    teacher.observe(student.play_proposals(replays))
    assert least <= len(teacher._parents) / len(replays) <= most


@pytest.mark.parametrize("refused", [9, 10])
def test_a_mutant_that_is_refused_is_tried_anew_up_to_ten_times(refused, monkeypatch):
    teacher, asked = make("accel", "buffer_size=20,edits=3"), []
    parent, other = LEVELS.draw(np.random.default_rng(0), 2)

    def mutate(task, rng, edits):
        asked.append((task, edits))
        return other if len(asked) > refused else None

    monkeypatch.setattr(teacher.levels, "mutate", mutate)
    teacher._parents.append(parent)
    (proposal,) = teacher.propose(np.arange(1), 0)
    assert asked == [(parent, 3)] * 10
    assert (proposal.task == other) == (refused == 9) and not proposal.train
