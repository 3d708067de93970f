"""APT-Gen that knows in a whole run how near its tasks are."""

import numpy as np
import pytest

pytest.importorskip("torch")

from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.testing.exact_progress import TaskDistances, progress_of
from tests.baselines.papers.apt_gen.grid_students import SolvingStudent

TOLD, LEARNED = "procgen_bench.testing.exact_apt_gen:ExactAPTGenTeacher", "apt-gen"


@pytest.mark.parametrize(("name", "knows"), [(TOLD, True), (LEARNED, False)])
def test_scores_are_the_progress_of_each_task(name, knows):
    student = SolvingStudent(0, True, "grid-world/target-c")
    teacher = get_teacher(name).make("warm_up=200,batch=16", student.levels, np.random.default_rng(0))
    student.learn_with(teacher, 600)
    networks, rng = teacher.networks, np.random.default_rng(1)
    kept = networks.generated
    places = np.arange(16)
    scores = networks.discriminator.logits(kept.sample(rng, places, 1))
    points, _ = kept.values(places)
    expected = progress_of(TaskDistances(student.levels, student.target).apart_of(points))
    assert np.unique(expected).size > 5 and (expected < 0).all()
    assert np.allclose(scores, expected, atol=1e-5) is knows
    of_targets = networks.discriminator.logits(networks.targets.sample(rng, np.arange(8), 1))
    assert (of_targets == 0).all() == knows
