"""XLand's tasks: worlds and games as data, the predicates that games are made of, and suites of both.

Source: "Open-Ended Learning Leads to Generally Capable Agents" (Open-Ended Learning Team, 2021), sections 2, 3, 4.2,
4.3 and A.1 to A.3.
"""

from procgen_bench.tasks.xland.co_players import CO_PLAYERS, TEST_CO_PLAYERS
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions
from procgen_bench.tasks.xland.games.atoms import ATOMS, Atom, parse_atom
from procgen_bench.tasks.xland.games.bounds import games_lower_bound, games_upper_bound
from procgen_bench.tasks.xland.games.embedding import embed_games
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.generation import generate_game, sample_game
from procgen_bench.tasks.xland.games.goal import Goal, parse_goal
from procgen_bench.tasks.xland.games.properties import GameProperties, game_distance, game_properties, goal_distance
from procgen_bench.tasks.xland.games.recolouring import alike_game, canonical
from procgen_bench.tasks.xland.hand_authored import HandAuthoredTask, hand_authored_task
from procgen_bench.tasks.xland.hold_out import is_held_out_game, is_held_out_world, training_game, training_world
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import Goals, compile_goals, rewards
from procgen_bench.tasks.xland.predicates.states import SceneArrays, States, scene_arrays
from procgen_bench.tasks.xland.space import XLandSmallTaskSpace, XLandTaskSpace
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.counting import WorldCount, count_worlds
from procgen_bench.tasks.xland.worlds.generation import condition, generate_world, mutate
from procgen_bench.tasks.xland.worlds.measures import (
    cauchy_schwarz_divergence,
    renyi_entropy,
    resistance_distances,
    resistance_distribution,
    shortest_path_distribution,
    shortest_paths,
    world_distance,
)
from procgen_bench.tasks.xland.worlds.options import WorldOptions
from procgen_bench.tasks.xland.worlds.states import TileWeights
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.topology import playable_area, topology_graph
from procgen_bench.tasks.xland.worlds.wave_function_collapse import NoWorldError
from procgen_bench.tasks.xland.worlds.world import World

__all__ = [
    "ATOMS",
    "CO_PLAYERS",
    "SMALL",
    "TEST_CO_PLAYERS",
    "Atom",
    "DrawOptions",
    "Game",
    "GameProperties",
    "Goal",
    "Goals",
    "HandAuthoredTask",
    "NoWorldError",
    "SceneArrays",
    "States",
    "TileWeights",
    "World",
    "WorldCount",
    "WorldOptions",
    "XLandSmallTaskSpace",
    "XLandTask",
    "XLandTaskSpace",
    "alike_game",
    "canonical",
    "canonical_world",
    "cauchy_schwarz_divergence",
    "compile_goals",
    "condition",
    "count_worlds",
    "embed_games",
    "evaluate_atoms",
    "game_distance",
    "game_properties",
    "games_lower_bound",
    "games_upper_bound",
    "generate_game",
    "generate_world",
    "goal_distance",
    "hand_authored_task",
    "is_held_out_game",
    "is_held_out_world",
    "load_suite",
    "mutate",
    "parse_atom",
    "parse_game",
    "parse_goal",
    "playable_area",
    "renyi_entropy",
    "resistance_distances",
    "resistance_distribution",
    "rewards",
    "sample_game",
    "scene_arrays",
    "shortest_path_distribution",
    "shortest_paths",
    "topology_graph",
    "training_game",
    "training_world",
    "world_distance",
]
