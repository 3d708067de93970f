"""A run's generator becomes a file that makes the same designs."""

import json
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.code.exported_generator import load_generator
from procgen_bench.baselines.papers.code.generator_export import check_alike, export_run
from procgen_bench.baselines.papers.code.generator_file import InvalidGeneratorError
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.onnx.sandbox.policy import policy_file_hash
from procgen_bench.baselines.training.run_folder import DamagedRunError
from procgen_bench.cli import main
from procgen_bench.core.benchmarks import get_benchmark
from tests.architecture.checkout import CHECKOUT
from tests.baselines.papers.code.generator_runs import CONFIGURATION, OPTIONS, SITES, exported, made_teacher, write_run
from tests.docs.blocks import blocks_of

train = METHODS["pair-ppo"].train


def run_command(*words):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return ended.value.code


def test_the_generator_of_a_run_is_exported_by_the_command(tmp_path, capsys):
    """That of its newest checkpoint, weight by weight; a second export gives the same bytes."""
    configuration = replace(CONFIGURATION, teacher="code", teacher_options=OPTIONS[SITES])
    run = train(get_benchmark(SITES), configuration, 0, 400, tmp_path)
    assert not run_command("export", tmp_path, "--generator")
    file = (tmp_path / "generator.onnx").read_bytes()
    said = f"wrote {tmp_path / 'generator.onnx'}: {len(file)} bytes, SHA-256 {policy_file_hash(file)}"
    assert said in capsys.readouterr().out and export_run(tmp_path) == file
    arrays, values = run.read_checkpoint()
    model = onnx.ModelProto.FromString(file)
    found = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for name, array in below(arrays, "teacher.generator").items():
        assert np.array_equal(found[name], array), name
    described = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(described.pop("primitives"))[:2] == ["addressline1", "addressline2"]
    assert described == {
        "benchmark": SITES,
        "environment": "GMiniWoB-v0",
        "teacher": "code",
        "slots": "3",
        "pages": "2",
        "training_steps": str(values["rows"]["steps"]),
        "commit": json.loads((tmp_path / "config.json").read_text())["provenance"]["commit"],
    }
    assert not (tmp_path / "policy.onnx").exists()


def test_a_generator_beside_targets_is_the_same(tmp_path):
    teacher = made_teacher()
    write_run(tmp_path / "alone", teacher)
    write_run(tmp_path / "beside", teacher, beside="teacher.", target_share=0.5)
    assert export_run(tmp_path / "alone") == export_run(tmp_path / "beside")


def test_onnx_itself_computes_the_same_designs():
    """Without our code, and without onnxruntime: the draws lie in the file."""
    teacher, rng = made_teacher(), np.random.default_rng(2)
    drawn = teacher.generator.draw(20, np.random.default_rng(2))
    given = {"noise": rng.standard_normal((20, 100), np.float32), "uniform": rng.random((7, 20)).T}
    numbers, primitives, places = ReferenceEvaluator(onnx.ModelProto.FromString(exported(teacher))).run(None, given)
    assert np.array_equal(numbers, drawn.numbers + 1)
    assert np.array_equal(primitives, drawn.primitives) and np.array_equal(places, drawn.places)


@pytest.mark.parametrize("part", ["first.0.weight", "number.2.bias", "kept.weight", "place.0.bias", "choice.2.weight"])
def test_a_file_of_other_designs_is_noticed(part):
    teacher = made_teacher()
    file = exported(teacher)
    with torch.no_grad():
        dict(teacher.generator.named_parameters())[part].mul_(-2)
    with pytest.raises(InvalidGeneratorError, match=r"\d+ of 128 designs of the file are not the network's"):
        check_alike(file, teacher.generator, teacher.space)


def test_what_has_no_generator_is_refused(tmp_path, capsys):
    teacher = made_teacher()
    ours = "expected one with a generator: code, pop-regret, difficulty, paired, flexible-paired, alp$"
    for name, options in (("uniform", ""), ("random-designs", ""), ("absent_module:Teacher", "")):
        folder = tmp_path / name.partition(":")[0]
        write_run(folder, teacher, teacher=name, teacher_options=options)
        with pytest.raises(InvalidGeneratorError, match=rf"has the teacher '{name}', {ours}"):
            export_run(folder)
    with pytest.raises(InvalidGeneratorError, match=r"absent holds no run, expected the folder that"):
        export_run(tmp_path / "absent")
    run = write_run(tmp_path / "lacking", teacher, leave_out=["generator.seen.bias"])
    with pytest.raises(DamagedRunError, match=r"Missing key.*seen\.bias"):
        export_run(run.path)
    assert run_command("export", run.path, "--generator") == 2
    assert "is damaged" in capsys.readouterr().err and not (run.path / "generator.onnx").exists()
    (run.path / "checkpoint" / "arrays.safetensors").write_bytes(b"cut")
    with pytest.raises(DamagedRunError, match="is damaged"):
        export_run(run.path)
    (run.path / "checkpoint").rename(run.path / "elsewhere")
    with pytest.raises(InvalidGeneratorError, match="has no checkpoint yet"):
        export_run(run.path)


def test_a_file_gives_tasks_as_documented(tmp_path, monkeypatch):
    """The example of docs/teachers.md."""
    teacher = made_teacher()
    monkeypatch.chdir(tmp_path)
    Path("generator.onnx").write_bytes(exported(teacher))
    (code,) = [one.text for one in blocks_of(CHECKOUT / "docs" / "teachers.md") if "load_generator" in one.text]
    names = {}
    exec(code, names)
    assert len(names["tasks"]) == len(names["designs"]) == 24
    env = gymnasium.make(teacher.levels.benchmark.environment_id)
    env.reset(options={"task": names["tasks"][0]})
    assert env.unwrapped.task == names["tasks"][0]
    with pytest.raises(
        InvalidGeneratorError, match=r"absent\.onnx holds no such generator of designs: there is no file"
    ):
        load_generator("absent.onnx")
