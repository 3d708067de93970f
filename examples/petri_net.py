"""The Petri net of a generated site, fired in step with the site (Gur et al., 2021, section 3 and appendix A.1).

python examples/petri_net.py
python examples/petri_net.py --design "username password next_login\ncity state submit navbar" --out net.png
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import gymnasium
import networkx
import numpy as np
from matplotlib.figure import Figure

import procgen_bench  # noqa: F401  (registers the environments)
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.petri_net import ENTRANCE, expert_sequence, fire, nodes_of, petri_net, start_marking
from procgen_bench.tasks.sites.petri_net_checks import check_net
from procgen_bench.tasks.sites.solver import gate_index

DESIGN = "departuredate destinationairport flighttype deck next_checkout\nfullname cc navbar submit"
#: Inches that a page takes, and a primitive.
_WIDTH, _HEIGHT = 4.2, 0.62
_COLOURS = {"place": "white", "transition": "#f5c54a", "passive": "#d0d0d0", "gate": "#4a90c4"}


class Fired(NamedTuple):
    """A step of the site's expert, and what it is in the net.

    Attributes:
        transitions: What fired: a field's transition or a gate, after those of fields that held their value already.
        reward: The environment's.
        gates: The gates that may fire next.
    """

    transitions: list[str]
    reward: float
    gates: list[str]


def task_of(design: SiteDesign, rng: np.random.Generator) -> SiteTask:
    """The design with values drawn for its fields."""
    lists = SiteTaskSpace().library.value_lists
    return SiteTask(design, tuple((field, str(rng.choice(lists[field]))) for field in design.fields))


def fired_in_step(task: SiteTask) -> list[Fired]:
    """Play the site's expert in the environment, and fire in the net what each of its actions stands for."""
    net, steps, number = petri_net(task.design), [], 0
    _, *order = expert_sequence(task.design)
    marking = fire(net, start_marking(net), ENTRANCE)
    with gymnasium.make("GMiniWoB-v0") as env:
        env.reset(options={"task": task})
        for element, field in env.unwrapped.task_space.solve(task):
            _, reward, _, _, info = env.step((element, field))
            leaves = element == gate_index(task.pages[number], last=number + 1 == len(task.pages))
            wanted = "gate" if leaves else task.design.fields[field]
            fired: list[str] = []
            while not fired or wanted not in (net.nodes[fired[-1]]["kind"], net.nodes[fired[-1]].get("colour")):
                fired.append(order.pop(0))
                marking = fire(net, marking, fired[-1])
            number += leaves
            gates = [gate for gate in nodes_of(net, "gate") if all(marking[place] for place in net.predecessors(gate))]
            steps.append(Fired(fired, float(reward), gates))
    if not info["success"] or order:
        raise RuntimeError(f"the site's expert ended with {order} left to fire")
    return steps


def draw_net(net: networkx.DiGraph, path: Path) -> None:
    """Write the net as a picture: circles are places, squares transitions, grey the passive ones, blue the gates."""
    columns = [*networkx.topological_generations(net)]
    rows = max(len(column) for column in columns)
    places = {
        node: (x, rows / 2 - (y + 0.5) * rows / len(column))
        for x, column in enumerate(columns)
        for y, node in enumerate(column)
    }
    pages = 1 + len(columns) // 4
    picture = Figure(figsize=(_WIDTH * pages, max(_HEIGHT * rows, 3)), layout="constrained", dpi=110)
    axes = picture.subplots()
    axes.set_axis_off()
    for kind, shape in (("place", "o"), ("transition", "s"), ("gate", "s")):
        nodes = nodes_of(net, kind)
        colours = [_COLOURS["passive" if net.nodes[node].get("active") is False else kind] for node in nodes]
        networkx.draw_networkx_nodes(
            net, places, nodes, node_size=170, node_color=colours, node_shape=shape, edgecolors="0.2", ax=axes
        )
    networkx.draw_networkx_edges(net, places, node_size=170, edge_color="0.55", arrowsize=9, ax=axes)
    for node, (x, y) in places.items():
        if net.nodes[node]["kind"] != "place" or ":" not in node:
            axes.text(x, y - 0.24, node.removeprefix("gate: ").rpartition(": ")[2], ha="center", va="top", fontsize=7)
    axes.margins(0.06, 0.12)
    picture.savefig(path)


def main() -> None:
    """Draw the net, check that it is a learnable task, and fire it beside the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", default=DESIGN, help="a line of primitives per page")
    parser.add_argument("--seed", type=int, default=0, help="draws the values")
    parser.add_argument("--out", type=Path, default=Path("petri_net.png"), help="the picture")
    options = parser.parse_args()
    design = SiteDesign.from_text(options.design.replace("\\n", "\n"))
    net = petri_net(design)
    check_net(net, expert_sequence(design))
    draw_net(net, options.out)
    for number, step in enumerate(fired_in_step(task_of(design, np.random.default_rng(options.seed))), start=1):
        may = f"; may fire next: {', '.join(step.gates)}" if step.gates else ""
        print(f"{number:2}  {step.reward:+.3f}  {' and '.join(step.transitions)}{may}")
    print(f"picture: {options.out}")


if __name__ == "__main__":
    main()
