"""The figures of XLand's paper that show what a trained policy does, and what it knows: 19, 22, 25 and 27."""

from procgen_bench.leaderboards.reproduction.xland.gallery import GalleryFigure, Samples
from procgen_bench.leaderboards.reproduction.xland.goal_swap import measure_goal_swap

_TRAINED = ("trained",)

FIGURES: dict[int, GalleryFigure] = {
    figure.number: figure
    for figure in (
        GalleryFigure(
            25,
            "A goal swapped in mid-episode",
            "An agent whose goal changes in mid-episode has almost the score of one whose memory is cleared then, as "
            "if the episode began with that goal.",
            measure_goal_swap,
            Samples(6, 1, "worlds for each pair of skills"),
            _TRAINED,
        ),
    )
}
