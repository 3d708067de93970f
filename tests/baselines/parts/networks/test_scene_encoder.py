"""The network for XLand's states knows where what a goal names is, and depends on nothing else of how it is written."""

import gymnasium
import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.open_ended.agent_policy import AgentNetwork, AgentPolicy
from procgen_bench.baselines.papers.open_ended.named_goals import NamedGoals
from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.onnx.export import Origin, export_policy
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.envs.xland.entity_rows import POSITION
from procgen_bench.tasks.xland.games.atoms import ATOMS, FLOOR_NAMES, OBJECTS, parse_atom
from tests.baselines.policies.onnx.test_export import assert_alike, played


@pytest.fixture(scope="module")
def shown():
    """What 16 players of small worlds observe after some steps of random play."""
    options = {"players": "all", "num_threads": 1, "privileged": True, "templates": 0.5, "pooled_games": 4}
    env = gymnasium.make_vec("XLandSmall-v0", 8, vectorization_mode="vector_entry_point", **options)
    env.action_space.seed(0)
    observations, _ = env.reset(seed=0)
    for _ in range(12):
        observations, *_ = env.step(env.action_space.sample())
    env.close()
    return env.single_observation_space, tensors_of(observations)


@pytest.fixture(scope="module")
def encoder(shown):
    torch.manual_seed(0)
    encoder = encoder_of(named_space(shown[0]))
    assert isinstance(encoder, SceneEncoder)
    return encoder


def encoder_of(space):
    return AgentNetwork(space, [3], 8, 1, 0).encoder


@torch.no_grad()
def features(encoder, observations):
    return encoder(observations)[0]


def test_only_states_with_a_goal_are_read_as_scenes(shown):
    space, _ = shown
    others = gymnasium.spaces.Dict({name: leaf for name, leaf in space.items() if name != "goal_atoms"})
    assert isinstance(encoder_of(named_space(others)), SpaceEncoder)


def test_what_is_left_out_for_speed_changes_nothing(shown, encoder):
    brief = encoder.read(encoder.prepare_briefly(shown[1], ones=True))[0]
    torch.testing.assert_close(brief, features(encoder, shown[1]))
    assert brief.shape == (16, encoder.features)


def of_one(shown, goal):
    """The first player's observation with a goal of one option."""
    observations = {name: array[:1].clone() for name, array in shown[1].items()}
    observations["goal_matrix"].zero_()
    observations["goal_atoms"].fill_(len(ATOMS))
    for place, literal in enumerate(goal):
        observations["goal_matrix"][0, 0, place] = -1 if literal.startswith("~") else 1
        observations["goal_atoms"][0, place] = ATOMS.index(parse_atom(literal.removeprefix("~")))
    return observations


def named_objects(observations):
    """Rows and names of the first player's objects, slabs left out."""
    rows = observations["entities"][0, :12]
    return [
        (row, OBJECTS[3 * int(rows[row, 6:9].argmax()) + int(rows[row, 1:5].argmax())])
        for row in range(12)
        if rows[row, 0] > 0 and rows[row, 1:4].any()
    ]


@torch.no_grad()
def test_a_goal_that_is_not_grounded_knows_atoms_by_name_alone(shown):
    """Two atoms of one relation and kinds differ, and neither knows where its things are."""
    named = NamedGoals(named_space(shown[0]))
    (row, name), (_, other) = named_objects(shown[1])[:2]
    moved = of_one(shown, [f"near(me,{name})"])
    moved["entities"][0, row, POSITION] += 1.0

    def goal_of(observations):
        return named.goal_options(named.prepare(observations))[0][0, 0]

    assert torch.equal(goal_of(moved), goal_of(of_one(shown, [f"near(me,{name})"])))
    assert not torch.allclose(goal_of(moved), goal_of(of_one(shown, [f"near(me,{other})"])))
    assert named(shown[1]).shape == (16, named.features)


def test_a_literal_is_embedded_with_the_places_of_what_it_names(shown, encoder):
    (row, name), (other_row, other_name) = named_objects(shown[1])[:2]
    observations = of_one(shown, [f"near(me,{name})", f"near({name},{other_name})"])
    grounded = encoder.prepare(observations)["grounded"][0]
    places = observations["entities"][0, [row, other_row], 13:16]
    torch.testing.assert_close(grounded[0, :5], torch.cat([torch.ones(1), near_and_place(places[0])]))
    first, second = (0, 1) if OBJECTS.index(name) < OBJECTS.index(other_name) else (1, 0)
    way = places[second] - places[first]
    torch.testing.assert_close(grounded[1, 22:25], torch.tanh(way / 3))
    torch.testing.assert_close(grounded[1, 25], 1 / (1 + way.norm()))


def near_and_place(place):
    return torch.cat([torch.tanh(place / 4), 1 / (1 + place.norm()).reshape(1)])


def test_floors_are_grounded_in_their_nearest_cell(shown, encoder):
    for player in range(16):
        seen = {name: array[player : player + 1] for name, array in shown[1].items()}
        terrain = seen["terrain_floors"][0].numpy()
        around = encoder._nearest_floors(seen["terrain_floors"])[0]
        for floor in range(len(FLOOR_NAMES)):
            cells = np.argwhere(terrain == floor)
            if not len(cells):
                assert not around[floor].any()
                continue
            least = np.hypot(*(7 - cells).T).min()
            assert around[floor, 0] == 1
            np.testing.assert_allclose(around[floor, 3], 1 / (1 + least), rtol=1e-6)


def test_the_order_of_literals_does_not_matter_and_their_signs_do(shown, encoder):
    _, name = named_objects(shown[1])[0]
    goal = [f"hold(me,{name})", "on(me,blue floor)"]
    one = features(encoder, of_one(shown, goal))
    torch.testing.assert_close(features(encoder, of_one(shown, goal[::-1])), one)
    assert (features(encoder, of_one(shown, [goal[0], "~on(me,blue floor)"])) - one).abs().max() > 1e-3


def test_where_a_named_thing_is_changes_the_goal_and_another_does_not(shown, encoder):
    (row, name), (other_row, _) = named_objects(shown[1])[:2]
    goals = []
    for moved in (None, row, other_row):
        observations = of_one(shown, [f"hold(me,{name})"])
        if moved is not None:
            observations["entities"][0, moved, 13:16] += 1.0
        goals.append(encoder.goal_options(encoder.prepare(observations))[0])
    assert (goals[1] - goals[0]).abs().max() > 1e-3
    torch.testing.assert_close(goals[2], goals[0])


@pytest.mark.slow
@pytest.mark.parametrize(("memory", "repeat"), [(0, 1), (8, 4)])
def test_its_policies_play_alike_when_exported(memory, repeat):
    torch.manual_seed(1)
    policy = AgentPolicy("XLandSmall-v0", True, memory=memory, action_repeat=repeat)
    with torch.no_grad():
        list(policy.network.parameters())[-2].mul_(30)
    assert_alike(*played(policy, "XLandSmall-v0", export_policy(policy, Origin("fresh", "XLandSmall-v0"))))
