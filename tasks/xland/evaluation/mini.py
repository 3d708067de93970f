"""A small sample of the test tasks, for quick comparisons: as even as the whole over what its games are like."""

#: Tasks of the test suite, by place, rising, written down since the games' properties take seconds to work out. All
#: tasks are put in order by the bucket of their game's competitiveness and balance, then by the number of players, then
#: by place, and cut into a hundred pieces of one length. Each piece gives the task in its middle, so that every bucket,
#: and either number of players in it, has its share to within one task.
# fmt: off
MINI_PLACES = (
    45, 56, 61, 67, 76, 85, 105, 121, 150, 188, 191, 225, 269, 284, 290, 294, 312, 314, 317, 327, 334, 375, 396,
    415, 423, 428, 438, 461, 522, 532, 556, 566, 578, 606, 613, 634, 635, 661, 667, 712, 719, 724, 754, 763, 768,
    777, 811, 821, 822, 876, 877, 909, 933, 956, 961, 962, 976, 985, 1000, 1032, 1036, 1053, 1055, 1068, 1074, 1080,
    1083, 1135, 1162, 1187, 1188, 1201, 1229, 1259, 1274, 1289, 1302, 1313, 1374, 1377, 1397, 1427, 1435, 1452,
    1453, 1457, 1475, 1479, 1484, 1492, 1516, 1522, 1529, 1558, 1588, 1596, 1598, 1603, 1606, 1656,
)
# fmt: on
