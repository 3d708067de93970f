"""Tiny generators of designs, alone and in the checkpoints of runs."""

from dataclasses import replace

import numpy as np
import torch

from procgen_bench.baselines.papers.code.generator_export import export_generator
from procgen_bench.baselines.papers.code.generator_file import GeneratorDescription
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark

SITES, ROOMS, GRIDS = "gminiwob/test", "cminigrid/sparse", "grid-world/graded"
OPTIONS = {SITES: "slots=3,pages=2,batch=2", ROOMS: "slots=3,batch=2", GRIDS: "slots=2,batch=2"}
CONFIGURATION = PairPPOConfiguration(num_envs=8, rollout_steps=12, minibatches=2, epochs=1, evaluation_tasks=2)


def made_teacher(benchmark_id=SITES, seed=0, pages=""):
    """A teacher whose generator has preferences, as if it were trained."""
    levels = LevelSource(get_benchmark(benchmark_id), solvable=True)
    options = OPTIONS[benchmark_id].replace("pages=2", f"pages={pages}") if pages else OPTIONS[benchmark_id]
    teacher = get_teacher("code").make(options, levels, np.random.default_rng(seed))
    with torch.no_grad():
        for parameter in teacher.generator.parameters():
            parameter.mul_(3)
    return teacher


def described(teacher):
    """What the file of a teacher's generator tells."""
    space, benchmark = teacher.space, teacher.levels.benchmark
    sizes = space.slots, space.most_places, space.primitives
    names = benchmark.id, benchmark.environment_id, "code"
    return GeneratorDescription(*names, *sizes, 640, "abc", space.drops_pages)


def exported(teacher):
    """The file of a teacher's generator."""
    return export_generator(teacher.generator, teacher.space, described(teacher))


def write_run(path, made, leave_out=(), beside="", **settings):
    """A run's folder, as far as its generator goes."""
    own = {"teacher": "code", "teacher_options": OPTIONS[made.levels.benchmark.id], **settings}
    configuration = replace(CONFIGURATION, **own)
    run = RunFolder(path, "pair-ppo", made.levels.benchmark, configuration, 0, 1_000).open()
    arrays = {f"teacher.{beside}{name}": array for name, array in made.state()[0].items() if name not in leave_out}
    run.write_checkpoint(arrays, {"rows": {"steps": 640}})
    return run
