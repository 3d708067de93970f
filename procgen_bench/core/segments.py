"""Segments: how episodes of a physics track are verified on machines whose physics differs in the last bits.

Another C library computes another last bit of a sine, and physics with contacts makes it grow: an ant's two courses,
1e-16 apart, are 0.3 m apart after 50 steps at worst. So a record holds states on the way. A replay on such a machine
sets out from each, must come close to the next, and takes it over (:mod:`procgen_bench.leaderboards.verification`).

What was measured here: whole rows, recorded under GNU's C library 2.36 and verified under its variants for processors
without fused multiply-add; the greatest difference at the end of a segment. A tolerance is at least some fifty times
that, so that rows of ten runs stay within it, and more where a few segments differ far more than all others, or where
nothing useful comes near. What a forger could gain is the tolerance, once a segment; each comment says how much that is
in a whole episode, and what it would have to be.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Segments:
    """How often a track's states are recorded, and how closely a replay of a segment must match the start of the next.

    Attributes:
        steps: Steps from one recorded state to the next.
        tolerance: Greatest difference of a number of a physics vector, in its scale (metres, radians, and these per
            second), between a record and a replay that set out from the record's state before.
    """

    steps: int
    tolerance: float


#: Measured of the scripted expert: 5.2e-9 in 11,676 segments (1.6e-6 with 20 steps, 1.9e-5 with 25, and 2.5 with 50, in
#: which it tumbles otherwise). To gain: 0.34 mm in 500 steps; a goal is 1 m around.
ANT_MAZE = Segments(steps=15, tolerance=1e-5)
#: Measured: 5e-12 in 784 segments of the scripted expert, 9e-10 in 800 of random actions. To gain: 4 micrometres in 200
#: steps; a block is 5 cm wide, and places are met to centimetres.
FETCH_BLOCKS = Segments(steps=50, tolerance=1e-6)
#: Measured: nothing, PyBullet's pushes come out the same to the last bit. Where they did not, one push in two hundred
#: would make more than this of it (0.4 mm at most of 1e-16 m, in 1,360 pushes), and its row be unverifiable. To gain:
#: 0.15 mm in 15 pushes; a goal is 10 cm around.
TABLE_PUSH = Segments(steps=1, tolerance=1e-5)
#: Measured: 3.3e-7 in 7,560 segments of the scripted player (2e-5 with 50 steps); few segments come near that, so that
#: longer records may well give more. To gain: 3.6 mm in 900 steps; what is near is so within a metre.
XLAND = Segments(steps=25, tolerance=1e-4)
