"""Generators under exact progress: each copies one task; one that cannot move does not."""

import re

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from procgen_bench.baselines.papers.code.design_generator import DesignGenerator
from procgen_bench.testing import ConformanceError
from procgen_bench.testing.exact_progress import check_copies, exact_student, main

#: One step of every network for each generated task and each target, for the progress alone.
ALONE = "iterations=0.1,returns=0,admission=0"
#: Fewer and larger steps: within a second.
QUICK = f"{ALONE},warm_up=500,batch=16,learning_rate=0.01,value_rate=0.01,noise_size=4"


@pytest.mark.parametrize(("options", "follows"), [("", True), (",progress=0", False)])
def test_tiles_become_the_targets(options, follows):
    student = exact_student("apt-gen", "grid-world/target-c", f"{QUICK}{options}", seed=0)
    first, last = (student.learn_with(tasks).apart["tiles"] for tasks in (50, 200))
    assert (last < 0.8 * first) is follows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("teacher", "benchmark_id", "options", "tasks", "tolerance"),
    [
        ("apt-gen", "grid-world/target-c", f"{ALONE},warm_up=1500", 6_000, 0.05),
        ("apt-gen", "table-push/target-c", f"{ALONE},warm_up=1500", 3_000, 0.1),
        ("goal-gan", "point-maze/u-6", "", 4_500, 0.1),
    ],
)
def test_a_task_is_nearly_copied(teacher, benchmark_id, options, tasks, tolerance):
    check_copies(teacher, benchmark_id, options, tasks, tolerance)


def test_what_is_not_copied_is_named():
    with pytest.raises(ConformanceError, match=r"teacher apt-gen does not copy .* in tiles by 0\.\d+|coordinates by 0"):
        check_copies("apt-gen", "grid-world/target-c", QUICK, tasks=20, tolerance=0.05)


def test_distances_are_shares_of_choices_and_of_ranges():
    student = exact_student("apt-gen", "grid-world/target-c", QUICK, seed=0)
    target = student._target
    tiles = target.tiles.copy()
    tiles[0, :3] = (tiles[0, :3] + 1) % 3
    other = type(target)(tiles, target.objects)
    names = list(student._levels.task_space.space)
    same, changed = student.distances.apart([target, other])
    assert not same.any() and changed[names.index("tiles")] == pytest.approx(3 / 64)
    assert changed[names.index("coordinates")] == 0


def test_the_command_prints_distances_and_returns(capsys):
    main(["apt-gen", "grid-world/target-c", "warm_up=100000", "--growth=0.02", "--tasks=40"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and lines[-1].startswith("seed 0, 40 tasks: coordinates 0.")
    assert re.search(
        r"tiles 0\.\d+, return 0\.\d+, reach \d+\.\d, beta 1, near delta 0\.00, beta free 1\.00$", lines[-1]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: teacher, benchmark"),
        (["apt-gen", "nowhere/1"], "unknown benchmark 'nowhere/1'"),
        (["apt-gen", "grid-world/target-c", "", "x"], "invalid int value: 'x'"),
        (["apt-gen", "grid-world/target-c", "--tasks=3"], "--tasks is 3 and --growth 0, expected at least 4 and 0"),
    ],
)
def test_words_that_cannot_be_read_are_refused_in_one_line(words, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert message in capsys.readouterr().err


def test_designs_are_copied_choice_by_choice():
    """CoDE's generator, paid by a formula: the share of its choices that are those of one design."""
    rng, aim = np.random.default_rng(0), np.array([3, 1, 4, 0])
    generator = DesignGenerator(4, 1, False, 4, rng)
    optimiser, shares = torch.optim.Adam(generator.parameters(), 3e-3), []
    for _ in range(80):
        drawn = generator.draw(32, rng)
        own = (drawn.primitives == aim).mean(axis=1)
        shares.append(own.mean())
        paid = torch.as_tensor(own - own.mean(), dtype=torch.float32)
        likelihoods = generator.likelihoods(drawn)
        loss = -(likelihoods.log_probabilities * paid).mean() - 0.02 * likelihoods.entropies.mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert np.mean(shares[:5]) < 0.4 and np.mean(shares[-5:]) > 0.95
