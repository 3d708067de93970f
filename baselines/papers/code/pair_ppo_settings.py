"""Settings of PPO over pairs of an element and a field."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from procgen_bench.baselines.methods.ppo_settings import PolicyGradientConfiguration
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    SHARE,
    PaperDefaults,
    option,
)
from procgen_bench.core.errors import InvalidOptionError


@dataclass(frozen=True)
class PairPPOConfiguration(PolicyGradientConfiguration):
    """Settings for sites; the paper tells none of the learner's, so they are ours but for the published network."""

    method: ClassVar[str] = "pair-ppo"
    suggested: ClassVar[PaperDefaults] = {"GMiniWoBLiteral-v0": {"values": True}}

    num_envs: int = option(256, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(16, "Steps of every row between updates.", COUNT)
    minibatches: int = option(16, "Minibatches of each epoch, divided among the players if several learn.", COUNT)
    epochs: int = option(2, "Passes over each rollout.", COUNT)
    value_weight: float = option(
        0.1, "Weight of the critic's loss; with 0.5, idle episodes of -14 may ruin what actor and critic share.", AMOUNT
    )
    entropy_weight: float = option(0.03, "Weight of the entropy bonus.", AMOUNT)
    cooldown: float = option(
        0.5,
        "Share of the run, at its end, over which learning rate and entropy's weight fall to 0: drawn actions are then "
        "about as good as the likeliest ones.",
        SHARE,
    )
    encoder: Literal["window", "bidirectional", "forward", "names"] = option(
        "window",
        "How an element sees the others: by five neighbours, or an LSTM in both directions, or one, as published; "
        "names: by its name, which fields are compared with word by word, for sites in words that no training shows.",
    )
    values: bool = option(
        False,
        "Whether fields are read with their values, and not by their keys alone, as published; where boxes and options "
        "are used as they are pointed at, nothing else solves them.",
    )
    published_words: bool = option(
        False, "Whether 500 words are distinguished, as in the published network, of which the rarer ones share some."
    )
    mask: Literal["usable", "present"] = option(
        "usable", "Which elements are chosen among: those that do something, or all that are drawn, as published."
    )

    def check(self, environment_id: str) -> None:
        """Refuse another device than the processor, which reads the pages."""
        if self.device != "cpu":
            raise InvalidOptionError(f"device is {self.device!r}, expected cpu: pages are read by the processor")

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        names = ("encoder", "values", "published_words", "mask")
        return {name: getattr(self, name) for name in names}
