"""Tempers: how well a scripted player plays, and what it is after."""

from dataclasses import dataclass

#: What a player is after: its goal, to keep the others from theirs, to find the others, or to be with them.
PURSUE, OPPOSE, HUNT, FOLLOW = "pursue", "oppose", "hunt", "follow"


@dataclass(frozen=True)
class Temper:
    """Settings of a scripted player.

    Attributes:
        purpose: ``PURSUE``, ``OPPOSE``, ``HUNT`` or ``FOLLOW``.
        pace: Share of the steps in which it walks when it wants to, above 0 to 1.
        greatest_turn: How fast it turns: 1, 2 or 3, for 2, 8 or 24 degrees a step.
        reaction: Steps between two times at which it thinks, 1 or more.
        restless: Whether it turns to another option as soon as that becomes cheaper; else it stays with one until that
            holds, or has failed.
        foresight: Whether it uses its gadget also on what may break its goal, not only on what breaks it.
        contends: Whether it keeps what it has from others: freezes it, or lets go of it to tag them in time.
        blunders: Share of the steps in which it acts at random, 0 to 1.
    """

    purpose: str = PURSUE
    pace: float = 1.0
    greatest_turn: int = 3
    reaction: int = 4
    restless: bool = True
    foresight: bool = True
    contends: bool = False
    blunders: float = 0.0


#: The co-players are frozen parts of the evaluation: what the strongest learns, they do not.
STRONGEST = Temper(contends=True)
CLUMSY = Temper(pace=0.5, greatest_turn=2, reaction=12, restless=False, foresight=False, blunders=1 / 3)
STEADY = Temper(pace=0.7, greatest_turn=2, reaction=8, restless=False, foresight=False)
SWIFT = Temper(foresight=False)
CONTRARY = Temper(purpose=OPPOSE)
HUNTER = Temper(purpose=HUNT, foresight=False)
FOLLOWER = Temper(purpose=FOLLOW, foresight=False)
