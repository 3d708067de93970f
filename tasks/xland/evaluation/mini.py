"""A small sample of the test tasks, for quick comparisons: as even as the whole over what its games are like."""

from collections.abc import Sequence

from procgen_bench.tasks.xland.evaluation.games import bucket
from procgen_bench.tasks.xland.task import XLandTask

MINI_COUNT = 100


def spread_places(tasks: Sequence[XLandTask], count: int) -> tuple[int, ...]:
    """Places of ``count`` tasks, rising, spread evenly over all.

    The tasks are put in order: by the bucket of their game's competitiveness and balance, in it by the number of
    players, and then by place. Cut into ``count`` equally long pieces, each piece gives the task in its middle, so that
    every bucket, and either number of players in it, has its share to within one task.
    """
    order = sorted(
        range(len(tasks)), key=lambda place: (bucket(tasks[place].game), tasks[place].game.num_players, place)
    )
    return tuple(sorted(order[(2 * piece + 1) * len(tasks) // (2 * count)] for piece in range(count)))


#: ``spread_places`` of the test suite, written down since the games' properties take seconds to work out.
# fmt: off
MINI_PLACES = (
    45, 56, 61, 67, 76, 85, 105, 121, 150, 188, 191, 225, 269, 284, 290, 294, 312, 314, 317, 327, 334, 375, 396,
    415, 423, 428, 438, 461, 522, 532, 556, 566, 578, 606, 613, 634, 635, 661, 667, 712, 719, 724, 754, 763, 768,
    777, 811, 821, 822, 876, 877, 909, 933, 956, 961, 962, 976, 985, 1000, 1032, 1036, 1053, 1055, 1068, 1074, 1080,
    1083, 1135, 1162, 1187, 1188, 1201, 1229, 1259, 1274, 1289, 1302, 1313, 1374, 1377, 1397, 1427, 1435, 1452,
    1453, 1457, 1475, 1479, 1484, 1492, 1516, 1522, 1529, 1558, 1588, 1596, 1598, 1603, 1606, 1656,
)
# fmt: on
