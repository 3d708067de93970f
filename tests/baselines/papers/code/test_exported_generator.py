"""What is drawn from a generator's file, and which files are refused."""

from functools import cache

import numpy as np
import onnx
import pytest
import torch
from onnx import helper

from procgen_bench.baselines.papers.code.exported_generator import ExportedGenerator
from procgen_bench.baselines.papers.code.generator_file import GeneratorDescription, InvalidGeneratorError
from procgen_bench.core.errors import UnknownNameError
from tests.baselines.papers.code.generator_runs import GRIDS, ROOMS, SITES, described, exported, made_teacher


@pytest.mark.parametrize("benchmark_id", [SITES, ROOMS, GRIDS])
def test_designs_are_those_of_the_network(benchmark_id):
    """Equal generators of random numbers give equal designs; tasks of them are valid, and none is held out."""
    teacher = made_teacher(benchmark_id)
    drawn = teacher.generator.draw(60, np.random.default_rng(4))
    with ExportedGenerator.from_bytes(exported(teacher), benchmark_id) as generator:
        assert generator.description == described(teacher)
        designs = generator.designs(np.random.default_rng(4), 60)
        tasks = generator.tasks(np.random.default_rng(4), 10)
    for row, design in enumerate(designs):
        expected = drawn.design(row)
        assert design.num_places == expected.num_places
        assert np.array_equal(design.primitives, expected.primitives)
        assert np.array_equal(design.places, expected.places)
    chosen = np.concatenate([design.primitives for design in designs])
    assert {0, 1} < set(chosen.tolist()) and chosen.max() <= len(teacher.space.primitives)
    assert len(tasks) == 10
    for task in tasks:
        task.validate()
        assert teacher.levels.admits(task) and teacher.space.is_task(teacher.space.design_of(task))


def test_a_generator_that_was_trained_without_empty_pages_at_the_end_gives_none():
    teacher = made_teacher(pages="used")
    assert described(teacher).drops_pages and not described(made_teacher()).drops_pages
    with ExportedGenerator.from_bytes(exported(teacher)) as generator:
        tasks = generator.tasks(np.random.default_rng(0), 20)
    assert max(len(task.design.pages) for task in tasks) > 1
    assert all(len(teacher.space.design_of(task).placed) and task.design.pages[-1] != ("submit",) for task in tasks)


def test_what_may_not_be_proposed_is_drawn_again():
    """Held-out designs, and those without an active primitive, which are most of this generator's."""
    teacher = made_teacher()
    with torch.no_grad():
        teacher.generator.primitive[2].bias[0] += 7
    with ExportedGenerator.from_bytes(exported(teacher)) as generator:
        first = [
            design for design in generator.designs(np.random.default_rng(0), 40) if generator.space.is_task(design)
        ]
        assert 0 < len(first) < 20
        tried = []
        generator.levels.admits = lambda task: tried.append(task) or len(tried) > 10
        assert generator.tasks(np.random.default_rng(0), 20) == tried[10:30]
        generator.levels.admits = lambda task: False
        with pytest.raises(InvalidGeneratorError, match=r"none of \d+ designs of the generator has a task"):
            generator.tasks(np.random.default_rng(0), 20)


@cache
def site_file():
    return exported(made_teacher())


def changed(change, **metadata):
    """The file of the tiny generator of sites after a change of its model."""
    model = onnx.ModelProto.FromString(site_file())
    texts = {entry.key: entry.value for entry in model.metadata_props} | metadata
    del model.metadata_props[:]
    helper.set_model_props(model, texts)
    change(model.graph)
    return model.SerializeToString()


def as_it_is(graph):
    pass


def doubled(output):
    """An output is added to itself."""

    def change(graph):
        (last,) = (node for node in graph.node if node.output[0] == output)
        last.output[0] = "before"
        graph.node.append(helper.make_node("Add", ["before", "before"], [output]))

    return change


def drawing(graph):
    """An operator that draws by itself."""
    graph.node.append(helper.make_node("RandomNormal", [], ["drawn"], shape=[1]))


@pytest.mark.parametrize(
    ("file", "benchmark_id", "message"),
    [
        (lambda: site_file()[:-200], None, "the ONNX file is refused"),
        (lambda: changed(drawing), None, "operator RandomNormal is not allowed"),
        (lambda: changed(as_it_is), ROOMS, f"tasks of GMiniWoB-v0, expected Compos[^ ]*, as of {ROOMS}"),
        (lambda: changed(as_it_is), "gminiwob/invented", "its 40 primitives are not the 104 of gminiwob/invented"),
        (lambda: changed(as_it_is, primitives='["a"]'), None, "its 1 primitives are not the 40 of gminiwob/test"),
        (lambda: changed(as_it_is, benchmark="x/y"), None, "the benchmark 'x/y', which is not known here"),
        (lambda: changed(as_it_is, slots="41"), None, "its slots are 41, expected 1 to 40 in GMiniWoB-v0"),
        (
            lambda: changed(as_it_is, slots="4"),
            None,
            r"expected 'noise' float32 \(N, 100\), 'uniform' float64 \(N, 9\)",
        ),
    ],
)
def test_files_that_are_none_are_refused(file, benchmark_id, message):
    with pytest.raises(InvalidGeneratorError, match=message) as error:
        ExportedGenerator.from_bytes(file(), benchmark_id)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("primitives", "[1]", r"its primitives are '\[1\]', expected a list of names"),
        ("primitives", "[" * 2_000, r"its primitives are '\[.*, expected a list of names"),
        ("teacher", "", "its teacher is '', expected 1 to 100 characters"),
        ("commit", "\n", "its commit is '', expected 1 to 100 characters"),
        ("training_steps", "-1", "its training_steps is '-1', expected a number"),
    ],
)
def test_what_a_file_tells_of_itself_is_checked(name, text, message):
    known = described(made_teacher())
    assert GeneratorDescription.read(known.metadata) == known
    with pytest.raises(InvalidGeneratorError, match=message):
        GeneratorDescription.read(known.metadata | {name: text})


def test_a_benchmark_that_is_not_there_is_refused():
    with pytest.raises(UnknownNameError, match="'x/y'"):
        ExportedGenerator.from_bytes(changed(as_it_is), "x/y")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (doubled("num_places"), "gives num_places of 4, expected 1 to 2"),
        (doubled("primitives"), r"gives primitives of \d\d, expected 0 to 40"),
        (doubled("places"), "gives places of 2, expected 0 to"),
    ],
)
def test_designs_that_are_none_are_refused(change, message):
    generator = ExportedGenerator.from_bytes(changed(change))
    with pytest.raises(InvalidGeneratorError, match=message):
        generator.designs(np.random.default_rng(0), 200)
    with pytest.raises(InvalidGeneratorError, match="it has ended before"):
        generator.designs(np.random.default_rng(0), 1)
