"""Scripted players of XLand: they see the whole simulation, and are frozen parts of the evaluation."""

from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.scripted.tempers import Temper

__all__ = ["ScriptedParticipant", "Temper"]
