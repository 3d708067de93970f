"""Teachers: who proposes the tasks that a student trains on."""

from procgen_bench.baselines.teachers.teacher import Teacher
from procgen_bench.baselines.teachers.uniform import UniformTeacher

__all__ = ["Teacher", "UniformTeacher"]
