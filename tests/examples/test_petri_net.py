"""The Petri net of a site fires in step with the site, for drawn designs as for that of the page."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.tasks.sites import SiteDesign, SiteTaskSpace
from procgen_bench.tasks.sites.petri_net import petri_net

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "petri_net.py"))
draw_net, fired_in_step, task_of = (EXAMPLE[name] for name in ("draw_net", "fired_in_step", "task_of"))


def test_gates_open_when_the_last_active_primitive_has_fired(tmp_path):
    design = SiteDesign.from_text(EXAMPLE["DESIGN"])
    steps = fired_in_step(task_of(design, np.random.default_rng(0)))
    assert [step.transitions[-1] for step in steps] == [
        "page 0: departuredate",
        "page 0: destinationairport",
        "page 0: flighttype",
        "gate: page 0: next_checkout",
        "page 1: fullname",
        "page 1: cc",
        "gate: page 1: submit",
    ]
    assert [step.gates for step in steps if step.gates] == [["gate: page 0: next_checkout"], ["gate: page 1: submit"]]
    assert [step.reward for step in steps] == pytest.approx([0.15, 0.15, 0.15, -0.05, 0.15, 0.15, 1])
    draw_net(petri_net(design), tmp_path / "net.png")
    assert (tmp_path / "net.png").stat().st_size > 10_000


def test_drawn_sites_fire_in_step_with_their_nets():
    space, rng = SiteTaskSpace(), np.random.default_rng(0)
    for _ in range(20):
        task = space.decode(space.sample(rng))
        fired = [name for step in fired_in_step(task) for name in step.transitions]
        assert len(fired) == task.design.num_steps, "each active primitive and a gate of each page, once"
