"""The figures of XLand's paper that show what a trained policy does, and what it knows: 13, 19, 22, 25 and 27."""

from procgen_bench.leaderboards.reproduction.xland.checkpoint_matches import measure_checkpoint_matches
from procgen_bench.leaderboards.reproduction.xland.gallery import GalleryFigure, Samples
from procgen_bench.leaderboards.reproduction.xland.generation_scores import measure_generations
from procgen_bench.leaderboards.reproduction.xland.goal_swap import measure_goal_swap
from procgen_bench.leaderboards.reproduction.xland.internal_state import measure_internal_state
from procgen_bench.leaderboards.reproduction.xland.option_choice import measure_option_choice

_TRAINED = ("trained",)

FIGURES: dict[int, GalleryFigure] = {
    figure.number: figure
    for figure in (
        GalleryFigure(
            13,
            "Scores by generation",
            "Five generations, each distilled from the last: participation rises to 95 % of held-out tasks, the median "
            "normalised score to 112 %, the 10th percentile to 82 %.",
            measure_generations,
            Samples(300, 2, "tasks of small_validation"),
            ("random", "trained"),
        ),
        GalleryFigure(
            19,
            "Options weighed in mid-episode",
            "The value of a goal is that of its best option; it turns to another option when a thing comes into view, "
            "and the agent follows.",
            measure_option_choice,
            Samples(24, 1, "episodes"),
            _TRAINED,
        ),
        GalleryFigure(
            22,
            "Checkpoints at hide and seek",
            "Later checkpoints are better seekers and better hiders, though they never trained against each other; the "
            "Nash equilibrium is mostly of the newest.",
            measure_checkpoint_matches,
            Samples(20, 1, "worlds for each pair"),
            ("random", "trained"),
        ),
        GalleryFigure(
            25,
            "A goal swapped in mid-episode",
            "An agent whose goal changes in mid-episode has almost the score of one whose memory is cleared then, as "
            "if the episode began with that goal.",
            measure_goal_swap,
            Samples(6, 1, "worlds for each pair of skills"),
            _TRAINED,
        ),
        GalleryFigure(
            27,
            "What the agent's activations represent",
            "The flow of time and whether something is held show in memory and not in the goal's embedding; that the "
            "agent is rewarded is clearly represented, though it is not observed.",
            measure_internal_state,
            Samples(84, 10, "worlds"),
            _TRAINED,
        ),
    )
}
