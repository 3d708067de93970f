"""The controller's training settings."""

from dataclasses import dataclass

from procgen_bench.baselines.training.settings import AMOUNT, COUNT, NUMBER, SHARE, option


@dataclass(frozen=True)
class AntControllerConfiguration:
    """Settings of proximal policy optimisation for one core."""

    num_envs: int = option(64, "Ants that walk at a time.", COUNT)
    episode_steps: int = option(200, "Steps of an episode: ten subgoals.", COUNT)
    fall_penalty: float = option(10.0, "What an ant that lies on its back loses, as its episode ends.", AMOUNT)
    tilt_penalty: float = option(1.0, "What a step costs an ant on its side; nothing upright.", AMOUNT)
    rollout_steps: int = option(64, "Steps of every ant between updates.", COUNT)
    learning_rate: float = option(1e-3, "Step size of Adam at first; it falls linearly.", AMOUNT)
    final_learning_rate: float = option(5e-5, "Step size of Adam in the end.", AMOUNT)
    batch_size: int = option(1_024, "Transitions per gradient step.", COUNT)
    epochs: int = option(6, "Passes over each rollout.", COUNT)
    discount: float = option(0.97, "Discount factor.", SHARE)
    gae_lambda: float = option(0.95, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.2, "Clip range of the probability ratio.", AMOUNT)
    first_log_deviation: float = option(-0.7, "Logarithm of the actions' standard deviation at first.", NUMBER)
    validate_every: int = option(250_000, "Steps between validations in the maze, of which the best is kept.", COUNT)
    threads: int = option(1, "Threads of the learner.", COUNT)
