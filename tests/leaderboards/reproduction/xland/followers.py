"""Policies whose way is known, and a flat room: they turn to what they are after, and walk to it."""

import numpy as np

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import Episode
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.entity_rows import OBJECT_COLOUR, POSITION, SHAPE
from procgen_bench.leaderboards.reproduction.xland import validation_scores
from procgen_bench.tasks.xland.entities import COLOURS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

MOVE, TURN = 0, 2
FORWARDS, RIGHT, LEFT = 2, (1, 0), (5, 6)


class Follower(Policy):
    """Goes to the object that the goal's first atom names.

    Args:
        is_stubborn: Whether it keeps to the goal that its episode began with.
    """

    def __init__(self, is_stubborn=False):
        self.is_stubborn, self._atoms = is_stubborn, None

    @property
    def environment_options(self):
        return {"privileged": True}

    def act(self, observations, episode_starts):
        atoms = observations["goal_atoms"][:, 0]
        if self.is_stubborn and self._atoms is not None:
            atoms = np.where(episode_starts, atoms, self._atoms)
        self._atoms = atoms
        places = [place_of(rows, ATOMS[atom]) for rows, atom in zip(observations["entities"], atoms)]
        return np.array([towards(ahead, left) for ahead, left in places])


class Watcher(Policy):
    """Turns to the other player, and stays where it is."""

    @property
    def environment_options(self):
        return {"privileged": True}

    def act(self, observations, episode_starts):
        others = observations["entities"][:, NUM_OBJECTS:, POSITION : POSITION + 2].sum(axis=1)
        return np.array([towards(ahead, left, walks=False) for ahead, left in others])


class Still(Watcher):
    """Does nothing."""

    def act(self, observations, episode_starts):
        return load_policy("noop", "XLandSmall-v0").act(observations, episode_starts)


def pay(monkeypatch, figure, earned):
    """Have a figure's players be their names, and earn ``earned(name, place, task)`` in the episode of a place.

    Returns the tasks and seeds of every play, which grow as they play.
    """
    asked = []

    def play(player, environment_id, tasks, seeds):
        asked.append((tasks, seeds))
        returns = [earned(player, place, task) for place, task in enumerate(tasks)]
        return [Episode(value, value > 0, 300, True, seed, np.empty(0)) for value, seed in zip(returns, seeds)]

    class Player(str):
        def seed(self, seed):
            """It draws nothing."""

    monkeypatch.setattr(figure, "load_player", Player)
    monkeypatch.setattr(validation_scores, "play_episodes", play)
    return asked


def place_of(rows, atom):
    """Where the object is that an atom names: metres ahead and to the left."""
    colour, shape = next(name for name in atom if name in OBJECTS).split()
    is_it = rows[:, SHAPE + GOAL_SHAPES.index(shape)] * rows[:, OBJECT_COLOUR + COLOURS.index(colour)]
    return rows[int(is_it.argmax()), POSITION : POSITION + 2]


def towards(ahead, left, walks=True):
    """The action that turns to a place, and walks there when turned."""
    action, angle = np.array(NOOP), np.degrees(np.arctan2(left, ahead))
    if abs(angle) > 4:
        action[TURN] = (LEFT if angle > 0 else RIGHT)[int(abs(angle) > 16)]
    if walks and abs(angle) < 20 and np.hypot(ahead, left) > 1.2:
        action[MOVE] = FORWARDS
    return action


def room(game, facing=0.0):
    """A task of a game in a flat room of 10 m, in whose corners lie a black cube and a yellow sphere.

    Player 1 stands in the middle, and player 2 in the corner between them.
    """
    floor = "\n".join(["0. 0. 0. 0. 0."] * 5)
    return XLandTask.from_text(
        f"""{game}

        {floor}
        floors 0 brown
        black cube 0.8 m at 0.5 0.5
        yellow sphere 0.8 m at 4.5 4.5
        blue player at 2.5 2.5 facing {facing}
        red player at 4.5 0.5
        """
    )
