"""PlannerParts: what plays programs, and how it is kept: network, model to imagine by, who carries calls out."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import torch

from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import (
    AtomicPolicy,
    FailingAtomicPolicy,
    LearnedAtomicPolicy,
    ScriptedAtomicPolicy,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CALLS, CallRules, call_rules, described
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.model_folder import (
    InvalidModelError,
    LearnedModel,
    unpacked_model,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.search import (
    PAPER_WEIGHTS,
    SUB_SIMULATIONS,
    ProgramModel,
    SearchSettings,
)
from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.folders import TRAINED, PolicyFolder
from procgen_bench.core.errors import InvalidPolicyError, ProcgenBenchError
from procgen_bench.tasks.programs import ProgramLibrary

#: Who carries out atomic programs: the expert, the package's policy, or (any other name) that of a folder.
SCRIPTED, LEARNED = "scripted", "learned"
#: What atomic programs are imagined to do: what they are for, or (any other name) what a folder's model says.
SYMBOLIC = "symbolic"
METHOD, ENVIRONMENT = "alphanpi-x", "FetchProgram-v0"
#: Which calls a search discounts: the program's own, or atomic ones at all depths.
DISCOUNTED = (OWN_CALLS, ATOMIC) = ("calls", "atomic")


@dataclass(frozen=True)
class PlannerParts:
    """What a search for programs is made of.

    Attributes:
        rules: The programs.
        network: The core network.
        learned_model: What atomic programs are imagined to do; ``None``: what they are for.
        atomic: Carries them out.
        discounted: Of ``DISCOUNTED``.
    """

    rules: CallRules
    network: CoreNetwork
    learned_model: LearnedModel | None
    atomic: AtomicPolicy
    discounted: str = OWN_CALLS

    @property
    def model(self) -> ProgramModel:
        """What is imagined by."""
        return SymbolicModel(self.rules.library) if self.learned_model is None else self.learned_model.model

    def search_settings(self, simulations: int) -> SearchSettings:
        """Of a search that plays: so many simulations of a decision, and the paper's of programs that are called, or
        fewer."""
        weights = PAPER_WEIGHTS._replace(atomic=self.discounted == ATOMIC)
        return SearchSettings(simulations, min(simulations, SUB_SIMULATIONS), explores=False, weights=weights)

    def described(self) -> dict[str, Any]:
        """Plain values by which a run recognises the parts that it does not learn."""
        model = None if self.learned_model is None else self.learned_model.description()
        return {"atomic": described_atomic(self.atomic), "model": model}

    def folder(self, **about: Any) -> PolicyFolder:
        """What plays, as it is kept: all weights, those of a learned model and of a learned atomic policy among them.

        Args:
            about: Further values of the configuration.
        """
        weights = _named("network", network_arrays(self.network))
        configuration = {"programs": described(self.rules.library), "calls": self.rules.calls} | about
        configuration["discounted"] = self.discounted
        if self.learned_model is not None:
            weights |= _named("model", self.learned_model.arrays())
            configuration["model"] = self.learned_model.description()
        if isinstance(self.atomic, LearnedAtomicPolicy):
            own = self.atomic.policy.folder
            weights |= _named("atomic", own.weights)
            configuration["atomic"] = {"environment": own.environment, "configuration": own.configuration}
        return PolicyFolder(METHOD, ENVIRONMENT, configuration, weights)

    @classmethod
    def from_folder(cls, folder: PolicyFolder, library: ProgramLibrary) -> Self:
        """The parts that a folder holds.

        Args:
            folder: What :meth:`folder` returned.
            library: The programs that it is to play.

        Raises:
            InvalidPolicyError: It is for other programs, or its weights do not fit.
        """
        configuration = folder.configuration
        if configuration.get("programs") != described(library):
            found = (configuration.get("programs") or {}).get("num_blocks")
            raise InvalidPolicyError(
                f"the policy is for other programs (of {found} blocks), expected the library's, of {library.num_blocks}"
            )
        calls = configuration.get("calls")
        if calls not in CALLS:
            raise InvalidPolicyError(f"configuration.calls is {calls!r}, expected one of {', '.join(CALLS)}")
        discounted = configuration.get("discounted", OWN_CALLS)
        if discounted not in DISCOUNTED:
            raise InvalidPolicyError(
                f"configuration.discounted is {discounted!r}, expected one of {', '.join(DISCOUNTED)}"
            )
        network = CoreNetwork(library.num_blocks, len(library))
        weights = {name: torch.as_tensor(array) for name, array in below(folder.weights, "network").items()}
        try:
            network.load_state_dict(weights)
        except RuntimeError as error:
            raise InvalidPolicyError(f"the weights do not fit the network: {' '.join(str(error).split())}") from None
        model = None
        if "model" in configuration:
            try:
                own = below(folder.weights, "model")
                model = unpacked_model("the policy's model", configuration["model"], own, library)
            except InvalidModelError as error:
                raise InvalidPolicyError(str(error)) from None
        return cls(call_rules(library, calls), network, model, _kept_atomic(folder), discounted)

    def with_others(self, atomic: AtomicPolicy | None, model: LearnedModel | None) -> Self:
        """The same network over another atomic policy or another learned model, where one is given."""
        return replace(self, atomic=atomic or self.atomic, learned_model=model or self.learned_model)


def atomic_policy_of(name: str) -> AtomicPolicy:
    """Who carries out atomic programs, as an option names it.

    Raises:
        InvalidPolicyError: It is neither a name nor a folder that holds a policy of stage 1.
    """
    if name == SCRIPTED:
        return ScriptedAtomicPolicy()
    return LearnedAtomicPolicy.shipped() if name == LEARNED else LearnedAtomicPolicy.from_folder(Path(name))


class OtherPartsError(ProcgenBenchError):
    """What was learned is over another model or another atomic policy."""


def refuse_other_parts(what: str, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise :class:`OtherPartsError` unless what was learned is over these parts.

    Args:
        what: Names it in the error, like ``"the checkpoint in runs/a"``.
        found, wanted: What :meth:`PlannerParts.described` returned then, and returns now.
    """
    for part in ("atomic", "model"):
        theirs, ours = found[part] or {"kind": SYMBOLIC}, wanted[part] or {"kind": SYMBOLIC}
        for name in sorted(theirs.keys() | ours.keys()):
            if theirs.get(name) != ours.get(name):
                differs = f"{name} is {theirs.get(name)!r} there, and {ours.get(name)!r} here"
                words = {"atomic": "atomic policy", "model": "model"}[part]
                raise OtherPartsError(f"{what} is over another {words}: {differs}")


def described_atomic(atomic: AtomicPolicy) -> dict[str, Any]:
    """Plain values by which an atomic policy is recognised."""
    if isinstance(atomic, FailingAtomicPolicy):
        return described_atomic(atomic.inner) | {"failing": atomic.failing}
    if isinstance(atomic, LearnedAtomicPolicy):
        folder = atomic.policy.folder
        return {"kind": LEARNED, "view": atomic.policy.view, "weights": folder.hash()}
    return {"kind": SCRIPTED if isinstance(atomic, ScriptedAtomicPolicy) else type(atomic).__name__}


def _kept_atomic(folder: PolicyFolder) -> AtomicPolicy:
    kept = folder.configuration.get("atomic")
    if kept is None:
        return ScriptedAtomicPolicy()
    if kept == TRAINED:
        return LearnedAtomicPolicy.shipped()
    if not isinstance(kept, dict) or not isinstance(kept.get("configuration"), dict):
        raise InvalidPolicyError(f"configuration.atomic is {kept!r}, expected the policy's environment and settings")
    if kept.get("environment") != "FetchBlocks-v0":
        raise InvalidPolicyError(f"configuration.atomic is of {kept.get('environment')!r}, expected FetchBlocks-v0")
    own = PolicyFolder("npi-goals", "FetchBlocks-v0", kept["configuration"], below(folder.weights, "atomic"))
    return LearnedAtomicPolicy(BlockPolicy.from_folder(own))


def _named(part: str, arrays: Arrays) -> Arrays:
    return {f"{part}.{name}": array for name, array in arrays.items()}
