"""Figure 27: probes find what is there, on worlds that they do not know, and nothing in shuffled labels."""

import numpy as np
import pytest

from procgen_bench.baselines.papers.open_ended.agent_policy import AgentPolicy
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.envs.xland.entity_rows import ENTITY_FEATURES, NUM_ENTITIES, OBJECT_COLOUR, POSITION, SEEN, SHAPE
from procgen_bench.leaderboards.reproduction.xland import reading
from procgen_bench.leaderboards.reproduction.xland.internal_state import (
    SIDE,
    measure_internal_state,
    probe_states,
    properties,
)
from procgen_bench.leaderboards.reproduction.xland.kohonen import disc, fit_map, nearest_neurons, shares_of
from procgen_bench.leaderboards.reproduction.xland.probes import linear_accuracy, map_accuracy
from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, ATOMS, parse_atom
from procgen_bench.tasks.xland.games.goal import parse_goal

WORLDS = np.repeat(np.arange(20), 30)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_linear_probe_finds_a_planted_feature_and_nothing_in_shuffled_labels(rng):
    points = rng.normal(size=(600, 30))
    labels = points @ rng.normal(size=30) > 4.0  # rarer than not
    assert 0.05 < labels.mean() < 0.4
    assert linear_accuracy(points, labels, WORLDS) > 0.9
    assert abs(linear_accuracy(points, rng.permutation(labels), WORLDS) - 0.5) < 0.08


def test_what_is_in_one_world_alone_cannot_be_told_there(rng):
    assert linear_accuracy(rng.normal(size=(600, 3)), WORLDS == 4, WORLDS) <= 0.5


def test_what_is_known_of_a_world_alone_is_of_no_use_in_others(rng):
    """Points say which world they are of, and labels are the worlds' own: across worlds there is nothing to find."""
    codes, of_worlds = rng.normal(size=(20, 40)) * 3, rng.permutation(np.arange(20) % 2 == 0)
    points = codes[WORLDS] + rng.normal(size=(600, 40)) * 0.1
    assert linear_accuracy(points, of_worlds[WORLDS], WORLDS) < 0.75
    # The same points, in worlds of which each fold knows a part: then the codes tell all.
    assert linear_accuracy(points, of_worlds[WORLDS], np.arange(600)) > 0.99


def test_a_map_takes_the_shape_of_its_points_and_tells_what_no_line_does(rng):
    plane = rng.uniform(-1, 1, size=(600, 2))
    points = plane @ np.linalg.qr(rng.normal(size=(8, 2)))[0].T
    neurons = fit_map(points, 8, rng, iterations=300)
    places = disc(8)
    apart, between = (np.linalg.norm(x[:, None] - x, axis=2).ravel() for x in (places, neurons))
    assert np.corrcoef(apart, between)[0, 1] > 0.9  # close on the disc, close in space
    errors = np.linalg.norm(points - neurons[nearest_neurons(points, neurons)], axis=1)
    assert errors.mean() < 0.2
    is_in_opposite_quarters = plane.prod(axis=1) > 0
    assert map_accuracy(points, is_in_opposite_quarters, WORLDS, neurons) > 0.85
    assert linear_accuracy(points, is_in_opposite_quarters, WORLDS) < 0.6


def test_neurons_and_shares():
    points, neurons = np.array([[0.0, 0.0], [0.9, 0.0], [3.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]])
    assert nearest_neurons(points, neurons).tolist() == [0, 1, 1]
    shares = shares_of(np.array([0, 1, 1]), np.array([True, True, False]), 3)
    assert shares[:2].tolist() == [1.0, 0.5] and np.isnan(shares[2])
    assert np.linalg.norm(disc(5), axis=1).max() == pytest.approx(1.0)


def test_states_are_probed_by_property_and_layer(rng):
    points = rng.normal(size=(600, 5))
    layers = {"last layer": points, "scene": rng.normal(size=(600, 4))}
    labels = {"visible": points[:, 0] > 0, "never": np.zeros(600, np.bool_)}
    found = probe_states(layers, labels, WORLDS, rng)
    assert (found.worlds, found.states, [*found.linear]) == (20, 600, ["visible"])
    assert [*found.linear["visible"]] == ["scene", "last layer"]
    assert found.linear["visible"]["last layer"] > 0.9 > 0.6 > found.linear["visible"]["scene"]
    assert found.shuffled["visible"]["last layer"] < 0.6
    assert found.maps["visible"]["scene"].shape == (SIDE**2,)
    assert "scene 0." in found.key_numbers()[0].ours
    found.draw()


def thing(name, ahead, left):
    """A row of an object that is seen."""
    colour, shape = name.split()
    row = np.zeros(ENTITY_FEATURES, np.float32)
    row[[SEEN, SHAPE + SHAPES.index(shape), OBJECT_COLOUR + COLOURS.index(colour)]] = 1.0
    row[POSITION : POSITION + 2] = ahead, left
    return row


def test_properties_of_states():
    goal = parse_goal("near(black cube,me) & ~see(me,purple sphere) | hold(me,black cube)")
    entities = np.zeros((3, NUM_ENTITIES, ENTITY_FEATURES), np.float32)
    entities[0, 4], entities[0, 5] = thing("purple cube", 1.0, 0.0), thing("purple sphere", 6.0, 8.0)
    entities[1, 0], entities[1, 1] = thing("black cube", 2.0, 1.0), thing("purple sphere", 6.0, 8.0)
    observations = {"entities": entities, "hand_is_holding": np.array([[0], [1], [0]], np.uint8)}
    truths = np.zeros((3, len(ATOMS)), np.bool_)
    near, see = (ATOM_INDEX[parse_atom(text)] for text in ("near(black cube,me)", "see(me,purple sphere)"))
    truths[0, see] = True
    truths[1, near] = True
    found = properties(149, observations, [goal, goal, parse_goal("see(me,purple sphere)")], truths)
    assert {name: values.tolist() for name, values in found.items()} == {
        "rewarded": [False, True, False],
        "holds something": [False, True, False],
        "sees a thing of the goal": [True, True, False],
        "one within 3 m": [False, True, False],
        "first half": [True, True, True],
    }
    assert not properties(150, observations, [goal] * 3, truths)["first half"].any()


def test_a_policy_without_a_network_and_too_many_worlds_are_refused():
    with pytest.raises(InvalidPolicyError, match="random is a RandomPolicy, expected a policy of ppo, recurrent-ppo"):
        measure_internal_state(10, np.random.default_rng(0), ["random"])
    with pytest.raises(InvalidOptionError, match="samples is 351, expected at most 350"):
        measure_internal_state(351, np.random.default_rng(0), ["trained"])


def first_observations(policy, rows):
    """Observations of so many rows, of one task each."""
    import gymnasium

    env = gymnasium.make_vec(
        "XLandSmall-v0", num_envs=rows, vectorization_mode="vector_entry_point", num_threads=1, tasks="skills"
    )
    observations, _ = env.reset(seed=0)
    env.close()
    return observations


@pytest.mark.parametrize("settings", [{}, {"memory": 16}, {"memory": 16, "goal_attention": True}])
def test_layers_are_what_actor_and_critic_read(settings):
    policy = AgentPolicy("XLandSmall-v0", True, width=32, layers=1, **settings)
    observations, starts = first_observations(policy, 3), np.ones(3, np.bool_)
    read = []
    policy.network.critic.register_forward_hook(lambda module, inputs, output: read.append(inputs[0].numpy()))
    policy.act(observations, starts)
    layers = reading.representations(policy, observations, starts)
    assert np.allclose(layers["last layer"], read[0], atol=1e-5)
    assert ("memory" in layers) == ("memory" in settings)
    assert [layers[name].shape[1] for name in ("scene", "goal")] == [256, 128]
    other = reading.representations(policy, observations | {"goal_matrix": -observations["goal_matrix"]}, starts)
    assert np.array_equal(other["scene"], layers["scene"]) and not np.array_equal(other["goal"], layers["goal"])


@pytest.mark.parametrize("settings", [{}, {"memory": 16, "goal_attention": True}])
def test_the_value_of_an_only_option_is_that_of_the_goal(settings):
    policy = AgentPolicy("XLandSmall-v0", True, width=32, layers=1, **settings)
    goals = [parse_goal("see(me,black cube)"), parse_goal("near(me,black cube)"), parse_goal("hold(me,black cube)")]
    observations = reading.with_goals(first_observations(policy, 3), goals)
    whole, alone = reading.option_values(policy, observations, np.ones(3, np.bool_), goals)
    assert whole.shape == (3,) and np.allclose(whole, alone[:, 0], atol=1e-5)
    both = parse_goal("see(me,black cube) | near(me,black cube)")
    of_both = reading.with_goals({name: part[:1] for name, part in observations.items()}, [both])
    _, options = reading.option_values(policy, of_both, np.ones(1, np.bool_), [both])
    texts = [str(type(both)(row[np.newaxis])) for row in both.matrix]
    for text, value in zip(texts, options[0]):
        single = [parse_goal(text)]
        shown = reading.with_goals({name: part[:1] for name, part in observations.items()}, single)
        by_itself, _ = reading.option_values(policy, shown, np.ones(1, np.bool_), single)
        assert value == pytest.approx(by_itself[0], abs=1e-5)
