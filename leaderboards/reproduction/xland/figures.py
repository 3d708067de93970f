"""The figures of XLand's paper that show its worlds and games: 3 to 8, and 35."""

from procgen_bench.leaderboards.reproduction.xland.gallery import GalleryFigure, Samples
from procgen_bench.leaderboards.reproduction.xland.game_counts import count_games
from procgen_bench.leaderboards.reproduction.xland.game_coverage import measure_coverage
from procgen_bench.leaderboards.reproduction.xland.game_smoothness import measure_game_smoothness
from procgen_bench.leaderboards.reproduction.xland.world_counts import count_by_size
from procgen_bench.leaderboards.reproduction.xland.world_gallery import generate_gallery
from procgen_bench.leaderboards.reproduction.xland.world_search import search_worlds
from procgen_bench.leaderboards.reproduction.xland.world_smoothness import measure_world_smoothness

FIGURES: dict[int, GalleryFigure] = {
    figure.number: figure
    for figure in (
        GalleryFigure(
            3,
            "Vastness of worlds",
            "Of 9 x 9 tiles alone there are over 10^16 topologies, those that are alike by symmetry counted once.",
            count_by_size,
            Samples(200_000, 100, "random grids for each size"),
        ),
        GalleryFigure(
            4,
            "Smoothness of worlds",
            "Divergence of paths is visibly bounded by a line in the distance of worlds; in a linear projection "
            "entropy changes smoothly.",
            measure_world_smoothness,
            Samples(40, 2, "worlds, each with six mutations"),
        ),
        GalleryFigure(
            5,
            "Diversity of worlds",
            "Worlds express mazes, regions that are hard to reach, and views that are blocked.",
            generate_gallery,
            Samples(12, 1, "worlds"),
        ),
        GalleryFigure(
            6,
            "Diversity of worlds by local search",
            "Relatively few local mutations of tiles increase the divergence of resistance distances and the distance.",
            search_worlds,
            Samples(12, 1, "worlds"),
        ),
        GalleryFigure(
            7,
            "Vastness of games",
            "3 options, each a conjunction of 3 predicates out of 200, give a vast space of games of two.",
            count_games,
            None,
        ),
        GalleryFigure(
            8,
            "Smoothness of games",
            "Competitiveness and exploration difficulty change at most linearly with distance; both show in a "
            "projection of games.",
            measure_game_smoothness,
            Samples(400, 20, "games"),
        ),
        GalleryFigure(
            35,
            "Coverage of competitiveness and balance",
            "Naive sampling is extremely uneven, and hardly ever gives a fully competitive game; so games are "
            "searched for.",
            measure_coverage,
            Samples(1_500, 15, "games of each way"),
        ),
    )
}
