"""What a run begins from, where that is what a policy has learned: its weights, in place of random ones.

A policy's folder gives the network, an actor-critic's critic among it, and the statistics of returns on whose scale
PopArt's critic speaks. A run's folder gives what its newest checkpoint has: the network, and what belongs to it and is
no part of the policy (a critic of its own, those statistics). A folder without statistics, of a critic without PopArt
or of before they were kept, is taken to value states in returns: in the latter case the critic has to learn its scale
again. The optimiser and auxiliary losses begin as in any run.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.baselines.method_table import METHODS, get_method
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, PolicyFolder, policy_path
from procgen_bench.baselines.policies.same_spaces import check_same_spaces
from procgen_bench.baselines.policies.weighted import view_options
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, DamagedRunError, RunFolder, read_config
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError

#: Which part of a learner's state are the statistics of returns.
_SCALE = "scale"


def begin(run: RunFolder, rows: CurriculumVectorEnv, learner: Learner[Any]) -> None:
    """Let a learner begin with the weights that its run's ``begin_from`` names.

    The run is then recognised by them, and the tasks that they were trained on are among those that its rows recorded.

    Args:
        run: Not opened yet; its method's policies are those of the learner.
        rows: Have not begun.
        learner: Has learned nothing.

    Raises:
        InvalidOptionError: There is no such policy, or it is of other methods, spaces, shapes or settings.
        InvalidPolicyError: Its folder cannot be read.
        DamagedRunError: Its run's cannot.
    """
    source, environment_id = run.configuration.begin_from, run.benchmark.environment_id
    own_parts, parts_beside = learner.policy_parts, learner.parts_beside
    what = f"begin_from is {source!r}"
    folder = policy_path(source, environment_id)
    if not folder.is_dir():
        raise InvalidOptionError(
            f"{what}, expected the folder of a policy or of a run, or trained where one is shipped"
        )
    is_run = read_config(folder) is not None
    kept = replace(run, path=folder).read_checkpoint() if is_run else None
    found = PolicyFolder.read(folder / POLICY_FOLDER if is_run else folder)
    _check_method(what, found, run.method, environment_id)
    own_sizes = run.configuration.sizes
    their_view = found.environment, view_options(found.environment, found.configuration)
    check_same_spaces(what, their_view, (environment_id, view_options(environment_id, own_sizes)))
    theirs = below(kept[0], f"player.{STUDENT}") if kept else {}
    weights = below(theirs, own_parts[0]) or found.weights
    beside = {f"{part}.{name}": array for part in parts_beside for name, array in below(theirs, part).items()}
    if not kept:
        beside = {f"{_SCALE}.{name}": array for name, array in _scale_of(folder, found).items()}
    own, values = learner.state()
    _check_settings(what, found.configuration, own_sizes)
    _check_shapes(what, weights, below(own, own_parts[0]))
    if below(beside, _SCALE) and not below(own, _SCALE):
        raise InvalidOptionError(
            f"{what}, whose critic is on PopArt's scale, expected one of a critic that values states in returns, or a "
            "popart_share above 0, where that is an option"
        )
    taken = {f"{part}.{name}": array for part in own_parts if below(own, part) for name, array in weights.items()}
    learner.restore(own | taken | beside, values)
    learner.after_beginning()
    run.begins_with = replace(found, configuration={}, weights={**weights, **beside}).hash()
    rows.recorder.restore({"fingerprints": _training_tasks(folder if is_run else folder.parent)})


def _scale_of(folder: Path, found: PolicyFolder) -> Arrays:
    """The statistics of returns that a policy's folder has, as PopArt's state; nothing where it has none."""
    scale = found.configuration.get("critic_scale", {})
    if not scale:
        return {}
    try:
        mean, deviation, updates = (float(scale[name]) for name in ("mean", "deviation", "updates"))
        is_one = math.isfinite(mean + deviation + updates) and deviation > 0
    except (KeyError, TypeError, ValueError):
        is_one = False
    if not is_one:
        raise InvalidPolicyError(
            f"{folder} has configuration.critic_scale = {scale!r}, expected finite numbers mean and updates, and a "
            "deviation above 0"
        )
    return {"statistics": np.array([mean, deviation**2 + mean**2, deviation, updates])}


def _check_method(what: str, found: PolicyFolder, method: str, environment_id: str) -> None:
    """Refuse a policy of a method whose policies are of another class."""
    own = get_method(method).within(environment_id).policy
    if get_method(found.method).within(environment_id).policy != own:
        alike = [one.name for one in METHODS.values() if one.within(environment_id).policy == own]
        raise InvalidOptionError(f"{what}, a policy of {found.method}, expected one of {', '.join(alike)}")


def _check_shapes(what: str, theirs: Arrays, own: Arrays) -> None:
    """Refuse weights that are not those of a network of the same shape, by the first that differs."""
    for name in [*own, *(name for name in theirs if name not in own)]:
        shapes = [arrays[name].shape if name in arrays else "missing" for arrays in (theirs, own)]
        if shapes[0] != shapes[1]:
            raise InvalidOptionError(f"{what}, whose weight {name} is {shapes[0]}, expected {shapes[1]}")


def _check_settings(what: str, theirs: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Refuse a policy that plays otherwise with the same weights; what its folder does not say was usual before."""
    for name, value in own.items():
        if theirs.get(name, value) != value:
            raise InvalidOptionError(f"{what}, whose {name} is {theirs[name]!r}, expected {value!r}, this run's")


def _training_tasks(folder: Path) -> np.ndarray:
    """Short fingerprints of the tasks that the run in a folder was trained on; none where it says nothing of them."""
    path = folder / TRAINING_TASKS_FILE
    try:
        return np.load(path, allow_pickle=False) if path.is_file() else np.empty(0, np.uint64)
    except (ValueError, OSError, EOFError) as error:
        raise DamagedRunError(path, error, folder) from error
