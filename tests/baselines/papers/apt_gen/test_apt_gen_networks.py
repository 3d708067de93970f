"""APT-Gen's discriminator, values and generator: what each learns, and with what result."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import ACTIONS, levels_of
from tests.baselines.papers.apt_gen.generated_tasks import episode, make, play

pytest.importorskip("torch")


def knowing(options):
    """Networks that have learned of 60 tasks: the first number says who is like the target, the second who gives 1.

    A third says what is admitted.
    """
    options = f"learning_rate=0.01,value_rate=0.01,decay=0,noise_size=2,batch=32,{options}"
    networks, rng = make(options, "ant-maze/test").networks, np.random.default_rng(0)
    for _ in range(60):
        point = rng.random(4, np.float32)
        networks.generated.add(episode(0.9 if point[0] > 0.5 else 0.1), point, float(point[1] > 0.5))
        networks.tries[bool(point[2] > 0.5)].append(point)
        networks.targets.add(episode(0.9), np.zeros(0), 0.0)
    for _ in range(50):
        networks.discriminate(rng)
        networks.fit(rng)
        assert networks.fit_admission(rng)
    return networks, rng


def test_the_discriminator_knows_targets_and_the_values_what_tasks_give():
    networks, _ = knowing("")
    corners = 0.9 * np.eye(3, 4, dtype=np.float32)
    for place, (name, margin) in enumerate([("progress", 0.1), ("return", 0.5), ("admission", 0.5)]):
        expected = networks._values[name].forward(networks.space.by_leaf(corners))[:, 0]
        assert expected[place] > np.delete(expected, place).max() + margin, name


@pytest.mark.parametrize(
    ("options", "name", "column", "made"),
    [
        ("delta=2", "return", 1, (0.7, 1.0)),
        ("delta=0.5", "return", 1, (0.4, 0.65)),
        ("admitted=1", "admission", 2, (0.7, 1.0)),
        ("admitted=0.5", "admission", 2, (0.4, 0.65)),
    ],
)
def test_the_generator_makes_tasks_that_reach_their_floors_and_no_easier_ones(options, name, column, made):
    networks, rng = knowing(f"{options},restraint=0.5")  # which leads back from where nothing else is asked for
    for _ in range(30):
        networks.generate(rng, {name: 1.0})
    assert made[0] < networks.points(rng, 50)[:, column].mean() < made[1]


def test_the_discriminator_normalises_what_has_no_bounds_by_all_that_was_played():
    teacher = get_teacher("apt-gen").make("", levels_of("ant-maze/test", False), np.random.default_rng(0))
    teacher.setup(spaces.Dict({"speed": spaces.Box(-np.inf, np.inf, (2,))}), ACTIONS)
    rng, unknown = np.random.default_rng(0), np.full(2, np.nan, np.float32)
    speeds = rng.normal([50, -3], [5, 2], (2, 11, 2)).astype(np.float32)
    steps = tuple(EpisodeSteps({"speed": own}, np.zeros(10, np.int64), np.zeros(10, np.float32)) for own in speeds)
    numbers = np.array([own.level for own in teacher.propose(np.arange(2), 0)])
    ones, nothing = np.ones(2, bool), np.zeros(2)
    lengths = np.full(2, 10)
    teacher.observe(
        FinishedEpisodes(numbers, 0 * ones, ones, nothing, ~ones, lengths, unknown, unknown, unknown, steps)
    )
    for encoder in teacher.networks.discriminator._encoders:
        assert encoder.readers["speed"].part.mean.tolist() == pytest.approx(speeds.mean(axis=(0, 1)), rel=1e-5)


def test_the_discriminator_learns_from_the_latest_steps_of_both_sources():
    networks, shown = make("latest=10,batch=32", "ant-maze/test").networks, []
    for _ in range(20):
        networks.generated.add(episode(0.1), np.zeros(4), 0.0)
    for _ in range(2):
        networks.generated.add(episode(0.6), np.zeros(4), 0.0)
    for seen in (0.2, 0.9, 0.9):
        networks.targets.add(episode(seen), np.zeros(0), 0.0)
    networks.discriminator.learn = lambda episodes, gradients: shown.append((episodes.first["seen"][:, 0], gradients))
    networks.discriminate(np.random.default_rng(0))
    ((seen, gradients),) = shown
    assert seen.tolist() == pytest.approx([0.9] * 16 + [0.6] * 16)
    assert (gradients[:16] < 0).all() and (gradients[16:] > 0).all(), "its loss falls as targets' logits grow"


def test_the_discriminator_learns_what_share_of_pairs_is_the_targets():
    networks = make("batch=2000,steps=2,mixtures=true", "ant-maze/test").networks
    networks.generated.add(episode(0.1), np.zeros(4), 0.0)
    networks.targets.add(episode(0.9), np.zeros(0), 0.0)
    networks.discriminator.logits = lambda episodes: np.zeros(2000)
    networks.discriminator.learn = lambda *given: shown.append(given)
    shown = []
    loss = networks.discriminate(np.random.default_rng(0))
    ((episodes, gradients),) = shown
    shares = 0.5 - 1000 * gradients
    assert loss == pytest.approx(2 * np.log(2)) and 0 <= shares.min() < 0.01 < 0.99 < shares.max() <= 1
    of_target = {
        "first": np.isclose(episodes.first["seen"], 0.9).mean(axis=1),
        "before": np.isclose(episodes.before["seen"], 0.9).reshape(2000, -1).mean(axis=1),
    }
    for side, found in of_target.items():
        assert np.abs(found - shares).mean() < 0.2 and abs((found - shares).mean()) < 0.02, side
    np.testing.assert_array_equal(episodes.before["seen"], episodes.after["seen"])


def fitted(networks, rng):
    """Targets of the value networks in one step: by name the points and what they are to give."""
    recorded = {}
    networks._fit = lambda name, points, targets: recorded.update({name: (points, targets)})
    networks.fit(rng)
    return recorded


def test_half_of_what_the_values_learn_from_is_of_the_latest_tasks():
    networks = make("latest_tasks=2,batch=64", "ant-maze/test").networks
    for place in range(40):
        networks.generated.add(episode(0.5), np.full(4, place / 100), place)
    points, values = fitted(networks, np.random.default_rng(0))["return"]
    assert set(values[32:].tolist()) == {38, 39} and len(set(values[:32].tolist())) > 10
    np.testing.assert_allclose(points[:, 0], values / 100, rtol=1e-5)


def test_progress_is_how_far_a_logit_lies_above_the_mean_in_deviations_at_most_three():
    networks = make("batch=64", "ant-maze/test").networks
    networks.generated.add(episode(0.5), np.zeros(4), 0.0)
    logits = np.full(64, -50.0)
    logits[0] = 50.0
    networks.discriminator.logits = lambda sample: logits
    _, progress = fitted(networks, np.random.default_rng(0))["progress"]
    assert progress == pytest.approx([3.0] + [-1 / 63**0.5] * 63, abs=1e-4)


class Recorded:
    """In a network's place: gives what it is made with, and keeps what it is given."""

    def __init__(self, outputs):
        self.outputs = outputs

    def forward(self, given):
        self.given = given
        return self.outputs

    def learn(self, gradients):
        self.gradients = gradients


def test_values_learn_what_tasks_give():
    networks, rng = make("", "ant-maze/test").networks, np.random.default_rng(0)
    networks._values["return"] = recorded = Recorded(np.full((30, 1), 0.25))
    points = rng.random((30, 4), np.float32)
    networks._fit("return", points, points[:, 0])
    np.testing.assert_array_equal(np.concatenate(list(recorded.given.values()), axis=1), points)
    np.testing.assert_allclose(recorded.gradients[:, 0], 2 / 30 * (0.25 - points[:, 0]), atol=1e-6)


def test_the_generator_is_kept_from_certainty():
    networks = make("restraint=3,batch=2", "ant-maze/test").networks
    logits = np.array([[5.0, 1.5, -2.0, -4.0], [2.0, -1.0, 0.0, 2.5]])
    networks._generator = recorded = Recorded(logits)
    networks.generate(np.random.default_rng(0), {})
    np.testing.assert_allclose(recorded.gradients, 3 / 2 * (1 / (1 + np.exp(-logits)) - 0.5))


@pytest.mark.parametrize(("options", "moves"), [("", True), (",sharpness=6,restraint=0", False)])
def test_a_generator_that_is_sure_can_be_led_elsewhere(options, moves):
    """Progress says exactly which kind of tile is wanted everywhere: first walls, then empty tiles."""
    networks = make(f"batch=16,noise_size=4,learning_rate=0.003{options}", "grid-world/target-a").networks
    networks._values["progress"] = told = Recorded(np.zeros((16, 1), np.float32))
    rng = np.random.default_rng(0)
    for kind in (1, 0):
        worth = np.zeros((64, 3), np.float32)
        worth[:, kind] = 1
        of_leaf = {"tiles": worth.reshape(1, -1), "coordinates": np.zeros((1, 10), np.float32)}
        told.input_gradients = lambda names, gradients, own=of_leaf: [gradients * own[name] for name in names]
        for _ in range(200):
            networks.generate(rng, {"progress": 1.0})
    tiles = networks.space.by_leaf(networks.points(rng, 20))["tiles"].reshape(-1, 3)
    assert tiles.mean(axis=0).argmax() == (0 if moves else 1) and tiles.mean(axis=0).max() > 0.9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spread", 0.5),
        ("restraint", 1.0),
        ("decay", 0.0),
        ("discriminator_decay", 0.0),
        ("learning_rate", 0.1),
        ("value_rate", 0.1),
        ("iterations", 2),
    ],
)
def test_settings_reach_the_networks(name, value):
    states = []
    settings = {"warm_up": 0, "iterations": 1, "batch": 8, "noise_size": 4}
    for options in (settings, settings | {name: value}):
        teacher = make(",".join(f"{key}={number}" for key, number in options.items()), "ant-maze/test")
        teacher.networks.targets.add(episode(0.9), np.zeros(0), 0.0)
        play(teacher, [1.0, 0.0], length=3)
        teacher.learn(None)
        states.append(teacher.state()[0])
    assert any(not np.array_equal(array, states[1][part]) for part, array in states[0].items())


def test_as_published_progress_is_a_chance_and_all_tasks_are_as_likely():
    networks = make("published=true,latest_tasks=2,batch=400", "ant-maze/test").networks
    for place in range(40):
        networks.generated.add(episode(0.5), np.full(4, place / 100), place)
    networks.discriminator.logits = lambda sample: np.full(400, np.log(3.0))
    recorded = fitted(networks, np.random.default_rng(0))
    assert recorded["progress"][1] == pytest.approx(np.full(400, 0.75))
    assert len(set(recorded["return"][1][200:].tolist())) > 30


@pytest.mark.parametrize("name", ["return", "admission"])
@pytest.mark.parametrize(("expected", "weight"), [(0.39, 2), (0.41, 1.9), (0.5, 1), (0.59, 0.1), (0.61, 0), (-5.0, 2)])
def test_returns_and_admission_count_less_the_nearer_a_batch_is_to_what_is_wanted(name, expected, weight):
    """By the mean of the batch: easy tasks make up for hard ones."""
    networks, weighed = make("batch=30,delta=0.5,admitted=0.5", "ant-maze/test").networks, []
    of_each = np.where(np.arange(30) % 2, expected + 1, expected - 1)[:, None].astype(np.float32)
    networks._values[name] = knowing_it = Recorded(of_each)
    knowing_it.input_gradients = lambda names, gradients: weighed.append(gradients) or [np.zeros((30, 4), np.float32)]
    networks.generate(np.random.default_rng(0), {name: 2.0})
    np.testing.assert_allclose(weighed[0], -weight / 30, atol=1e-6)


def test_values_are_asked_about_tasks_not_about_chances():
    networks = make("noise_size=2,batch=8", "grid-world/target-a").networks
    asked = []
    for name in ("progress", "return", "admission"):
        networks._values[name] = value = Recorded(np.zeros((8, 1), np.float32))
        value.forward = lambda given: asked.append(given["tiles"]) or np.zeros((8, 1), np.float32)
        value.input_gradients = lambda names, gradients: [np.zeros((8, networks.space.size), np.float32)]
    networks.generate(np.random.default_rng(0), {"progress": 1.0, "return": 1.0, "admission": 1.0})
    assert len(asked) == 3 and all(np.isin(tiles, (0, 1)).all() for tiles in asked)


def test_as_published_every_return_is_weighed():
    networks, weighed = make("published=true,batch=30,delta=0.5", "ant-maze/test").networks, []
    networks._values["return"] = praising = Recorded(np.full((30, 1), 0.9))
    praising.input_gradients = lambda names, gradients: weighed.append(gradients) or [np.zeros((30, 4), np.float32)]
    networks.generate(np.random.default_rng(0), {"return": 2.0})
    np.testing.assert_allclose(weighed[0], -2 / 30)


def test_as_published_tasks_are_tried_as_generated():
    networks = make("published=true,noise_size=2", "grid-world/target-a").networks
    tiles = networks.space.by_leaf(networks.points(np.random.default_rng(0), 3))["tiles"]
    assert not np.isin(tiles, (0, 1)).all(), "chances, the greatest of which decides"
