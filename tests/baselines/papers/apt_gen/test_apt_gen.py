"""APT-Gen: tasks follow the student from easy ones to the target; beta's schedule; what the networks learn."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.training.contracts import EpisodeSteps
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from tests.baselines.curricula.students import ACTIONS, LogisticStudent, SecretHoldOut, made_up
from tests.baselines.papers.apt_gen.generated_tasks import make, play, tell

pytest.importorskip("torch")

SMALL = (
    "warm_up=200,latest=2000,iterations=0.02,batch=64,steps=1,beta_period=200,learning_rate=0.003,"
    "value_rate=0.003,progress=1,noise_size=4"
)
#: Where the target stands in the box of levels, from 0 to 10 along every dimension; as difficult it is.
TARGET = 8.5


class OneTarget(SecretHoldOut):
    """A benchmark of one task, which may be trained on."""

    def holds_out(self, task):
        return False

    def draw(self, rng):
        return self.target


def school(seed=0):
    """A teacher for one difficult target, and a student who sees, dimly, where a task stands in the box of levels."""
    benchmark = OneTarget("SparseAntMaze-v0")
    teacher = get_teacher("apt-gen").make(SMALL, LevelSource(benchmark, False), np.random.default_rng(seed))
    size = teacher.box.num_dimensions
    (benchmark.target,) = teacher.box.tasks(np.full((1, size), TARGET / 5 - 1))
    teacher.setup(spaces.Dict({"seen": spaces.Box(-1.0, 1.0, (size,))}), ACTIONS)

    def place(task):
        return teacher.box.points([task])[0]

    def happened(task, success):
        seen = (place(task) + student.rng.normal(0, 1.5, (11, size))).astype(np.float32)
        return EpisodeSteps({"seen": seen}, np.zeros(10, np.int64), np.zeros(10, np.float32))

    student = LogisticStudent(lambda task: 5 * (1 + place(task).mean()), seed, skill=3.0, width=1.0, rate=0.02)
    student.happened = happened
    return teacher, student


def lessons(teacher, student, rounds=150):
    """Mean difficulty of the generated tasks in each round."""
    difficulties = []
    for _ in range(rounds):
        proposals = teacher.propose(np.arange(20), 0)
        difficulties.append(np.mean([student.difficulty(own.task) for own in proposals if own.level % 2 == 0]))
        teacher.observe(student.play_proposals(proposals))
        teacher.learn(student)
    return np.array(difficulties)


def keep_beta(teacher, monkeypatch):
    monkeypatch.setattr(teacher, "_count", lambda steps: setattr(teacher, "_steps", teacher._steps + steps))


def swap_labels(teacher, monkeypatch):
    networks, discriminate = teacher.networks, teacher.networks.discriminate

    def swapped(*arguments):
        networks.generated, networks.targets = networks.targets, networks.generated
        try:
            return discriminate(*arguments)
        finally:
            networks.generated, networks.targets = networks.targets, networks.generated

    monkeypatch.setattr(networks, "discriminate", swapped)


def negate_the_loss(teacher, monkeypatch):
    generate = teacher.networks.generate
    monkeypatch.setattr(
        teacher.networks, "generate", lambda rng, weights: generate(rng, {name: -own for name, own in weights.items()})
    )


def never_fit_returns(teacher, monkeypatch):
    monkeypatch.setattr(teacher.networks._values["return"], "learn", lambda gradients: None)


def follows(difficulties, student) -> bool:
    """Whether tasks were made easy first, and as difficult as the target in the end, which the student has learned."""
    easiest = difficulties[:60].min()
    return easiest < 3.5 and difficulties[-5:].mean() > easiest + 3 and student.skill > TARGET


@pytest.mark.slow
def test_tasks_follow_the_student_from_easy_ones_to_the_target():
    teacher, student = school()
    assert follows(lessons(teacher, student), student)


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", [keep_beta, swap_labels, negate_the_loss, never_fit_returns])
def test_a_sabotaged_teacher_does_not(sabotage, monkeypatch):
    teacher, student = school()
    sabotage(teacher, monkeypatch)
    assert not follows(lessons(teacher, student), student)


@pytest.mark.parametrize(
    ("options", "benchmark_id", "value"),
    [
        ("", "grid-world/graded", 0.9),
        ("", "table-push/target-a", 0.9),
        ("", "bit-grid/test", 0.0),
        ("episode_value=success", "grid-world/graded", 0.0),
        ("episode_value=return", "bit-grid/test", 0.9),
    ],
)
def test_episode_values_are_those_of_the_family_or_of_the_option(options, benchmark_id, value):
    teacher = make(options, benchmark_id)
    play(teacher, [0.9], 1)
    assert teacher.learn(None)["generated_return"] == value
    assert teacher.networks.generated.values(np.arange(1))[1] == pytest.approx(value)


def test_other_episode_values_are_refused():
    with pytest.raises(
        TeacherOptionError, match=r"teacher 'apt-gen': episode_value is 'gain', expected one of .*'return'"
    ):
        make("episode_value=gain")


def test_as_published_choices_are_no_sharper_than_the_softmax():
    refused = r"teacher 'apt-gen': sharpness is 6, expected 1 with published=true"
    with pytest.raises(TeacherOptionError, match=refused):
        make("published=true,sharpness=6")


@pytest.mark.parametrize(("options", "factor"), [("", 1), ("published=true", 1), ("sharpness=3", 3)])
def test_logits_of_choices_are_multiplied_by_the_sharpness(options, factor):
    space = make(options).networks.space
    logits = np.concatenate([np.zeros(10), np.log([2.0, 1, 1] * 64)])[None]  # coordinates, then tiles
    shares = np.array([2.0**factor, 1, 1])
    points = space.by_leaf(space.from_logits(logits))["tiles"].reshape(64, 3)
    np.testing.assert_allclose(points, np.tile(shares / shares.sum(), (64, 1)))


@pytest.mark.parametrize("value", ["0", "-1", "nan", "sharp"])
def test_other_sharpness_is_refused(value):
    with pytest.raises(TeacherOptionError, match=f"teacher 'apt-gen': sharpness is .*{value}.*, expected"):
        make(f"sharpness={value}")


def test_beta_follows_the_return_every_500_steps():
    teacher, betas = make("beta_episodes=1,warm_up=0"), []
    for mean, length in [(0.0, 499), (0.0, 1), (0.39, 500), (0.41, 500), (0.59, 500), (0.61, 1499), (0.61, 1)]:
        play(teacher, [mean], length)
        betas.append(teacher.beta)
    assert betas == [1, 2, 4, 4, 4, 1, 0.5]


def test_beta_waits_for_the_generator():
    """In the warm-up nothing that beta could do changes the tasks: 400 further steps follow it before beta changes."""
    teacher, betas = make("beta_episodes=1,warm_up=1400"), []
    for length in (1399, 1, 499, 1):
        play(teacher, [0.0], length)
        betas.append(teacher.beta)
    assert betas == [1, 1, 1, 2]


def test_the_latest_50_generated_episodes_decide():
    teacher = make("warm_up=0")
    play(teacher, [0.0] * 50 + [1.0] * 31, length=1)
    play(teacher, [1.0], length=500)
    assert teacher.beta == 0.5 and teacher.learn(None)["generated_return"] == 32 / 50


def test_elsewhere_success_decides():
    teacher = make("beta_period=1,warm_up=0", "bit-grid/test")
    play(teacher, [-20.0, 0.0], length=1, success=[True, True])
    assert teacher.beta == 0.25


def test_targets_and_generated_tasks_are_proposed_in_turns():
    teacher = make()
    target = teacher.levels.draw(np.random.default_rng(1), 1)[0]
    teacher.levels.draw_target = lambda rng: target
    tasks = [own.task for rows in (3, 1, 4) for own in teacher.propose(np.arange(rows), 0)]
    assert [task == target for task in tasks] == [False, True] * 4


def test_targets_and_generated_tasks_are_played_for_as_many_steps():
    teacher = make("warm_up=1000000")
    played = {0: 0, 1: 0}
    for _ in range(300):
        (own,) = teacher.propose(np.arange(1), 0)
        kind = own.level % 2
        tell(teacher, [own], [0.0], 50 if kind else 10)
        played[kind] += 50 if kind else 10
    assert 0.9 < played[0] / played[1] < 1.1


def test_as_published_they_are_played_in_turns_however_long_they_are():
    teacher, kinds = make("published=true,warm_up=1000000"), []
    for _ in range(20):
        (own,) = teacher.propose(np.arange(1), 0)
        kinds.append(own.level % 2)
        tell(teacher, [own], [0.0], 50 if kinds[-1] else 10)
    assert kinds == [0, 1] * 10


def test_what_is_not_admitted_is_replaced(monkeypatch):
    """It counts for its share, not for beta; uniform tasks stand in, which count for the networks alone."""
    teacher = make("latest_tasks=3,beta_period=10")
    target = teacher.levels.draw(np.random.default_rng(1), 1)[0]
    monkeypatch.setattr(teacher.levels, "draw", lambda rng, count: [target] * count)
    monkeypatch.setattr(teacher.box, "tasks", lambda points: [])
    proposals = teacher.propose(np.arange(3), 0)
    assert [own.level % 2 for own in proposals] == [0, 1, 0] and proposals[0].task == proposals[2].task == target
    assert {admitted: len(own) for admitted, own in teacher.networks.tries.items()} == {False: 3, True: 2}
    tell(teacher, proposals[::2], [1.0, 1.0], 5)
    measures = teacher.learn(None)
    assert (teacher.beta, len(teacher.networks.generated)) == (1, 2)
    assert (measures["uniform_share"], measures["admitted_share"], measures["generated_return"]) == (1, 0, 0)


@pytest.mark.parametrize(("explored", "least", "most"), [(0.0, 0.0, 0.0), (0.3, 0.2, 0.4), (1.0, 1.0, 1.0)])
def test_a_share_of_the_tasks_may_be_uniform(explored, least, most):
    """They count for the networks, not for beta."""
    teacher = make(f"explored={explored}", "bit-grid/test")
    proposals = [own for own in teacher.propose(np.arange(400), 0) if own.level % 2 == 0]
    tell(teacher, proposals, [0.0] * 200, 1, success=[True] * 200)
    measures = teacher.learn(None)
    assert least <= measures["uniform_share"] <= most and len(teacher.networks.generated) == 200
    assert measures["generated_return"] == float(explored < 1)


@pytest.mark.parametrize(("options", "progress", "return_"), [("", 1, 2), ("progress=0", 0, 2), ("returns=0", 1, 0)])
def test_ablations_weigh_progress_and_return(options, progress, return_):
    teacher, received = make(f"beta=2,warm_up=0,iterations=0.1,batch=4,steps=1,beta_period=100000,{options}"), []
    teacher.networks.generate = lambda rng, weights: received.append(weights)
    teacher.networks.targets.add(made_up(teacher.levels.draw_target(teacher.rng), False), np.zeros(0), 0.0)
    play(teacher, [1.0], length=10)
    assert {"progress", "discriminator_loss"} <= teacher.learn(None).keys()
    assert received == [{"progress": progress, "return": return_}]
    teacher.networks.tries[False].append(np.zeros(teacher.networks.space.size, np.float32))
    play(teacher, [1.0], length=10)
    teacher.learn(None)
    assert received[1:] == [{"progress": progress, "return": return_, "admission": 8}]


def test_networks_learn_once_per_step_after_the_warm_up():
    teacher, counts = make("warm_up=100,iterations=0.5,batch=4,steps=1"), []
    teacher.networks.targets.add(made_up(teacher.levels.draw_target(teacher.rng), False), np.zeros(0), 0.0)
    teacher.networks.generate = lambda *arguments: counts.append(len(counts))
    for length, expected in [(99, 0), (1, 0), (7, 4), (2, 5), (1, 5)]:
        play(teacher, [1.0], length)
        teacher.learn(None)
        assert len(counts) == expected


@pytest.mark.parametrize("explored", [0, 1])
def test_tasks_are_kept_with_their_points_of_the_cube(explored):
    teacher = make(f"explored={explored}", "ant-maze/test")
    proposals = [own for own in teacher.propose(np.arange(40), 0) if own.level % 2 == 0]
    points = np.stack([teacher._flying[own.level] for own in proposals])
    assert points.min() >= 0 and points.max() <= 1
    ours, theirs = (
        teacher.box.points(tasks) for tasks in (teacher.box.tasks(2 * points - 1), [own.task for own in proposals])
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert ours.min() < -0.2 and ours.max() > 0.2


def test_past_the_limit_the_oldest_in_flight_are_forgotten(monkeypatch):
    monkeypatch.setattr("procgen_bench.baselines.papers.apt_gen.apt_gen._MOST_IN_FLIGHT", 3)
    teacher = make("explored=1", "ant-maze/test")
    proposals = [own for own in teacher.propose(np.arange(12), 0) if own.level % 2 == 0]
    assert list(teacher._flying) == [own.level for own in proposals[-3:]]
    assert teacher._replaced == set(teacher._flying)
    tell(teacher, proposals, [0.0] * 6, 1)
    assert len(teacher.networks.generated) == 3 and not teacher._flying and not teacher._replaced
