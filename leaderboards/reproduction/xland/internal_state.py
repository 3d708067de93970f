"""Figure 27: what a network's activations represent, by linear probes and by Kohonen maps (6.6, A.11)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.xland.entity_rows import OBJECT_COLOUR, POSITION, SEEN, SHAPE
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.kohonen import disc, fit_map, nearest_neurons, shares_of
from procgen_bench.leaderboards.reproduction.xland.playing import STEPS, play
from procgen_bench.leaderboards.reproduction.xland.probes import linear_accuracy, map_accuracy
from procgen_bench.leaderboards.reproduction.xland.reading import load_reader, representations
from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: Steps of each episode whose numbers are kept, drawn once for all episodes.
MOMENTS = 20
#: Metres within which a thing is close.
CLOSE = 3.0
#: Neurons along a side of the maps, and the balanced accuracy from which the paper calls something represented.
SIDE, PRESENT = 12, 0.8
#: Least share of either label: of a property that is rarer nothing is said.
_RAREST = 0.02
#: In what order representations are drawn.
LAYERS = ("scene", "goal", "memory", "last layer")


@dataclass(frozen=True)
class InternalState:
    """How well probes read each property from the numbers of each layer.

    Attributes:
        worlds, states: How many there are.
        rates: By property: the share of states that have it.
        linear: By property, by layer: balanced accuracy of a linear probe on worlds that it does not know.
        shuffled: The same of labels that are shuffled among all states.
        mapped: The same of a Kohonen map's neurons.
        maps: By property, by layer: float64 (SIDE * SIDE,), the share of each neuron's states that have it.
    """

    worlds: int
    states: int
    rates: dict[str, float]
    linear: dict[str, dict[str, float]]
    shuffled: dict[str, dict[str, float]]
    mapped: dict[str, dict[str, float]]
    maps: dict[str, dict[str, np.ndarray]]

    def key_numbers(self) -> list[KeyNumber]:
        """Balanced accuracies by property and layer."""
        paper = {"rewarded": "represented", "holds something": "represented, but not in the goal's embedding"}
        paper["first half"] = paper["holds something"]
        rows = []
        for name, of_layers in self.linear.items():
            maps = self.mapped[name]
            cells = ", ".join(f"{layer} {accuracy:.2f} ({maps[layer]:.2f})" for layer, accuracy in of_layers.items())
            states = f"{self.rates[name]:.0%} of states"
            rows.append(KeyNumber(f"{name} ({states}): linear probe (map)", cells, paper.get(name, "")))
        return [*rows, KeyNumber("shuffled labels: linear probe, greatest", f"{self._greatest_shuffled():.2f}")]

    def draw(self) -> Figure:
        """Probes as bars on the left, maps on the right."""
        names, layers = [*self.linear], [*next(iter(self.linear.values()))]
        picture = Figure(figsize=(11, 1.1 * len(names) + 1.2), layout="constrained")
        parts: Any = picture.subfigures(1, 2, width_ratios=(1.15, len(layers) * 0.36))
        left, right = parts
        self._draw_bars(left.subplots(), names, layers)
        left.legend(fontsize=8, loc="outside lower center", ncols=4)
        panels = right.subplots(len(names), len(layers), squeeze=False)
        for name, row in zip(names, panels):
            for layer, panel in zip(layers, row):
                _draw_map(panel, self.maps[name][layer], self.rates[name])
                panel.set_title(f"{layer}: {self.mapped[name][layer]:.2f}", fontsize=7)
        right.suptitle("Kohonen maps: redder than average where it holds", fontsize=8)
        return picture

    def _draw_bars(self, panel: Axes, names: Sequence[str], layers: Sequence[str]) -> None:
        height = 0.8 / len(layers)
        for number, layer in enumerate(layers):
            places = np.arange(len(names)) + (number - (len(layers) - 1) / 2) * height
            panel.barh(places, [self.linear[name][layer] - 0.5 for name in names], height * 0.9, 0.5, label=layer)
            label = "shuffled labels" if number == 0 else None
            panel.plot([self.shuffled[name][layer] for name in names], places, "k|", ms=7, label=label)
        panel.axvline(PRESENT, color="0.5", linewidth=0.8, linestyle=":")
        panel.set(
            yticks=range(len(names)), yticklabels=names, xlim=(0.4, 1.0), xlabel="balanced accuracy, unseen worlds"
        )
        panel.invert_yaxis()
        panel.set_title("Linear probes", fontsize=9)

    def _greatest_shuffled(self) -> float:
        return max(accuracy for of_layers in self.shuffled.values() for accuracy in of_layers.values())


def measure_internal_state(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> InternalState:
    """Probe the network on so many tasks of the suite ``skills``, spread evenly over all seven skills.

    Raises:
        InvalidOptionError: The suite has fewer tasks.
    """
    policy, suite = load_reader(policies[0]), load_suite("skills").tasks
    if samples > len(suite):
        raise InvalidOptionError(f"samples is {samples}, expected at most {len(suite)}, the tasks of the suite")
    tasks = [suite[place] for place in np.linspace(0, len(suite) - 1, samples).round().astype(int)]
    steps = np.sort(rng.choice(np.arange(1, STEPS), MOMENTS, replace=False))
    states = gather_states(policy, tasks, steps)
    with threadpool_limits(1, "blas"):  # matrices are small: further threads take more time than they save
        return probe_states(*states, rng)


def gather_states(
    policy: ActorPolicy, tasks: Sequence[XLandTask], steps: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]:
    """Play an episode of each task, and keep what the network makes of some steps.

    Returns:
        By layer (n, d), by property bool (n,), and the number of the task of each, int64 (n,).
    """
    goals = [task.game.goals[0] for task in tasks]
    layers: list[dict[str, np.ndarray]] = []
    labels: list[dict[str, np.ndarray]] = []
    truths = np.zeros((len(tasks), goals[0].matrix.shape[1]), np.bool_)

    def show(number: int, observations: Arrays, starts: np.ndarray) -> tuple[Arrays, np.ndarray]:
        if number in steps:
            layers.append(representations(policy, observations, starts))
            labels.append(properties(number, observations, goals, truths))
        return observations, starts

    seeds = [seed_from_parts("figure 27", number) for number in range(len(tasks))]
    for moment in play(policy, tasks, seeds, show, int(steps[-1]) + 1):
        truths = moment.truths
    kept, known = (
        {name: np.concatenate([of[name] for of in parts]) for name in parts[0]} for parts in (layers, labels)
    )
    return kept, known, np.tile(np.arange(len(tasks)), len(layers))


def properties(number: int, observations: Arrays, goals: Sequence[Goal], truths: np.ndarray) -> dict[str, np.ndarray]:
    """What is true of states before step ``number``, bool (N,) by name.

    Args:
        number: The step's, from 0.
        observations: (N, ...) by name.
        goals: N goals.
        truths: bool (N, 212), what holds there.
    """
    rewarded = np.array([goal.reward(true) for goal, true in zip(goals, truths)])
    distances = np.array([_distance(rows, goal) for rows, goal in zip(observations["entities"], goals)])
    return {
        "rewarded": rewarded,
        "holds something": observations["hand_is_holding"][:, 0] > 0,
        "sees a thing of the goal": np.isfinite(distances),
        f"one within {CLOSE:.0f} m": distances < CLOSE,
        "first half": np.full(len(goals), number < STEPS // 2),
    }


def probe_states(
    layers: dict[str, np.ndarray], labels: dict[str, np.ndarray], worlds: np.ndarray, rng: np.random.Generator
) -> InternalState:
    """Probe layers (n, d) for labels bool (n,), both by name, of states of so many worlds, int64 (n,)."""
    shown = {name: true for name, true in labels.items() if _RAREST < true.mean() < 1 - _RAREST}
    points = {name: _scaled(layers[name]) for name in LAYERS if name in layers}
    neurons = {name: fit_map(of_layer, SIDE, rng) for name, of_layer in waiting(points.items(), "map")}
    mixed = {name: rng.permutation(true) for name, true in shown.items()}
    found: dict[str, dict[str, dict]] = {"linear": {}, "shuffled": {}, "mapped": {}, "maps": {}}
    for name, true in waiting(shown.items(), "probe"):
        for layer, of_layer in points.items():
            winners = nearest_neurons(of_layer, neurons[layer])
            for kind, measured in (
                ("linear", linear_accuracy(of_layer, true, worlds)),
                ("shuffled", linear_accuracy(of_layer, mixed[name], worlds)),
                ("mapped", map_accuracy(of_layer, true, worlds, neurons[layer])),
                ("maps", shares_of(winners, true, SIDE**2)),
            ):
                found[kind].setdefault(name, {})[layer] = measured
    rates = {name: float(true.mean()) for name, true in shown.items()}
    return InternalState(len(np.unique(worlds)), len(worlds), rates, **found)


def _together(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _distance(entities: np.ndarray, goal: Goal) -> float:
    """Metres to the nearest object that the goal names, of those that are observed (15, 25); infinite of none."""
    objects = sorted(goal.objects)
    named = [SHAPE + SHAPES.index(shape) for shape, _ in objects]
    colours = [OBJECT_COLOUR + COLOURS.index(colour) for _, colour in objects]
    rows = entities[:NUM_OBJECTS]
    is_named = ((rows[:, named] > 0) & (rows[:, colours] > 0)).any(axis=1) & (rows[:, SEEN] > 0)
    places = rows[is_named, POSITION : POSITION + 3]
    return float(np.linalg.norm(places, axis=1).min()) if len(places) else np.inf


def _scaled(points: np.ndarray) -> np.ndarray:
    """Centred, in units of the whole set's standard deviation: maps go by distances, whatever the layer's unit."""
    centred = points.astype(np.float64) - points.mean(axis=0)
    return centred / (centred.std() or 1.0)


def _draw_map(panel: Axes, shares: np.ndarray, rate: float) -> None:
    places, is_used = disc(SIDE), np.isfinite(shares)
    apart = shares[is_used] - rate
    reach = max(float(np.abs(apart).max()), 1e-9)
    x, y = places[is_used].T
    panel.scatter(x, y, c=apart, s=9, cmap="RdBu_r", vmin=-reach, vmax=reach, linewidths=0)
    panel.set(aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    panel.set_axis_off()
