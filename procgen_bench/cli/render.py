"""``render``: an episode as a GIF or a film."""

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.core.command_line import complete_environment, completion
from procgen_bench.core.registrations import environment_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from procgen_bench.baselines.policies.episode import Episode
    from procgen_bench.core.task import Task
    from procgen_bench.leaderboards.submission.submission import Submission
    from procgen_bench.leaderboards.verification.replay import Outcome


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(render)


def render(
    out: Annotated[Path, typer.Option(help="The clip to write; ends in .gif, or in .mp4 (extra `film`).")],
    submission: Annotated[
        Path | None, typer.Argument(metavar="SUBMISSION", help="A submission's folder.", show_default=False)
    ] = None,
    episode: Annotated[
        int | None, typer.Option(min=0, help="Which episode of the submission's run; the longest solved by default.")
    ] = None,
    run: Annotated[int, typer.Option(min=0, help="Which run of the submission.")] = 0,
    policy: Annotated[
        str | None,
        typer.Option(
            help="Instead of a submission: a policy's name or folder ...", autocompletion=completion(lambda: METHODS)
        ),
    ] = None,
    env: Annotated[
        str | None,
        typer.Option(help="... the id of the environment that it plays ...", autocompletion=complete_environment),
    ] = None,
    task: Annotated[str | None, typer.Option(help="... and the name of the task.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the policy's episode.")] = 0,
    fps: Annotated[float | None, typer.Option(help="Frames per second. Default: the environment's.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Show every so many steps only, and the last one.")] = 1,
) -> None:
    """Write a GIF or an mp4 film of an episode: of a submission, or of a policy on a task.

    **Examples**

    ```
    procgen-bench render my-submission --out episode.gif
    procgen-bench render my-submission --run 1 --episode 3 --out episode.gif
    procgen-bench render --policy solver --env GridWorld-v0 --task graded/7 --out clip.mp4
    procgen-bench render --policy runs/dqn/policy --env GridWorld-v0 --task targets/A --out clip.gif
    procgen-bench render --policy xland-scripted --env XLandSmall-v0 --task small/0 --every 10 --out clip.gif
    ```
    """
    from procgen_bench.engine.recording import check_clip_path

    check_clip_path(out)
    if (submission is None) == (policy is None):
        raise typer.BadParameter("give either the folder of a submission or --policy with --env and --task")
    if submission is not None:
        for option, value in (("--env", env), ("--task", task)):
            if value is not None:
                raise typer.BadParameter(f"{option} goes with --policy; a submission knows its own")
        recorded = _submitted_episode(submission, run, episode)
    elif policy is None or env is None or task is None:
        raise typer.BadParameter("--policy needs --env and --task")
    else:
        recorded = _played_episode(policy, env, task, seed)
    _film(*recorded, out, fps, every)


def _submitted_episode(folder: Path, run: int, index: int | None) -> tuple[str, "Task", int, "np.ndarray"]:
    """Environment id, task, seed and actions of an episode that a submission holds."""
    from procgen_bench.leaderboards.submission.folder import read_submission
    from procgen_bench.leaderboards.verification.replay import replay

    submission = read_submission(folder)
    if run >= submission.num_runs:
        raise typer.BadParameter(f"--run is {run}, expected 0 to {submission.num_runs - 1}, the submission's runs")
    count = len(submission.protocol.task_indices)
    if index is not None and index >= count:
        raise typer.BadParameter(f"--episode is {index}, expected 0 to {count - 1}, the episodes of a run")
    if submission.traces is None:
        return submission.benchmark.environment_id, *_played_again(submission, run, index)
    episodes = submission.episodes(run)
    if index is None:
        index = _longest_solved(replay(submission.benchmark, episodes, "replaying"))
    trace = episodes[index]
    return submission.benchmark.environment_id, trace.task, trace.seed, trace.actions


def _played_again(submission: "Submission", run: int, index: int | None) -> tuple["Task", int, "np.ndarray"]:
    """Task, seed and actions of an episode that a submission's policy plays again."""
    from procgen_bench.leaderboards.scoring.fresh import PlayedEpisode
    from procgen_bench.leaderboards.scoring.playing import part_of, play_policy
    from procgen_bench.leaderboards.scoring.rows import players_of
    from procgen_bench.leaderboards.submission.metadata import policy_file

    protocol = submission.protocol
    seeds = protocol.seeds(submission.metadata.runs[run]).tolist()
    episodes = [PlayedEpisode(protocol.suite.tasks[task], seed) for task, seed in zip(protocol.task_indices, seeds)]
    first, chosen = (0, episodes) if index is None else part_of(submission.benchmark, episodes, index)
    played = play_policy(players_of(submission)[run], policy_file(run), submission.benchmark, chosen).episodes
    place = _longest_solved(played) if index is None else index - first
    return chosen[place].task, chosen[place].seed, played[place].actions


def _longest_solved(outcomes: "Sequence[Episode | Outcome]") -> int:
    """Index of the longest episode that solves its task; 0 where none does."""
    return max(range(len(outcomes)), key=lambda index: outcomes[index].success * outcomes[index].length)


def _played_episode(
    policy: str, environment_id: str, task_name: str, seed: int
) -> tuple[str, "Task", int, "np.ndarray"]:
    """The same of an episode that a policy plays now."""
    from procgen_bench.baselines.policies.loading import is_own, load_policy, naming_own_code
    from procgen_bench.baselines.training.evaluation import play_episodes

    task = environment_type(environment_id).task_space.resolve(task_name)
    player = load_policy(policy, environment_id)
    with naming_own_code(player) if is_own(policy) else nullcontext():
        player.seed(seed)
        (episode,) = play_episodes(player, environment_id, [task], [seed])
    return environment_id, task, seed, episode.actions


def _film(
    environment_id: str, task: "Task", seed: int, actions: "np.ndarray", path: Path, fps: float | None, every: int
) -> None:
    """Record the episode into ``path``, with a progress bar if that takes long."""
    from procgen_bench.core.progress import Progress
    from procgen_bench.engine.recording import episode_frames, filmed_environment, write_clip

    shown = {*range(0, len(actions), every), len(actions)}
    with closing(filmed_environment(environment_id)) as env:
        drawn = episode_frames(env, task, seed, actions, shown)
        frames = Progress(drawn, desc="rendering", unit="frame", delay=2, leave=False)
        write_clip((frame for _, frame in frames), path, env.metadata["render_fps"] if fps is None else fps)
    typer.echo(f"{path}: {frames.n} frames of {environment_id}")
