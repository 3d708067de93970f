"""Conformance suites for learners and teachers, ours and other people's, in the manner of Gymnasium's ``check_env``.

``check_learner`` trains a method a few times, and ``check_teacher`` lets a teacher teach a made-up student. Either
returns when all is well, and raises :class:`ConformanceError`, which says what is not.

```python
from procgen_bench.testing import check_learner, check_teacher

check_learner("own-reinforce", "grid-world/target-a")
check_teacher("own-stubborn", "grid-world/graded")
```

:mod:`.exact_progress` checks that a teacher that generates tasks can copy one when it is told how near each task is.

All need the extra ``baselines``.
"""

from procgen_bench.testing.learners import check_learner
from procgen_bench.testing.states import ConformanceError
from procgen_bench.testing.teachers import check_teacher

__all__ = ["ConformanceError", "check_learner", "check_teacher"]
