"""This package's teachers and their aliases, as data of which :mod:`.teacher_table` makes its entries."""

_DESIGNS = "papers.code.design_settings"

#: Name -> one sentence with its source, and "module:class" below baselines/ of the teacher and its configuration.
TEACHERS = {
    "uniform": (
        "Levels drawn uniformly: domain randomisation.",
        "curricula.uniform:UniformTeacher",
        "training.teacher:NoSettings",
    ),
    "targets": (
        "The benchmark's own task, or fresh ones of its distribution.",
        "curricula.targets:TargetsTeacher",
        "training.teacher:NoSettings",
    ),
    "plr": (
        "Prioritised level replay (Jiang et al. 2021).",
        "curricula.plr:PLRTeacher",
        "curricula.plr:PLRConfiguration",
    ),
    "accel": (
        "Robust PLR whose replayed levels are mutated (Parker-Holder et al. 2022).",
        "curricula.accel:ACCELTeacher",
        "curricula.accel:ACCELConfiguration",
    ),
    "learnability": (
        "SFL: trains on levels of intermediate success, picked from a large batch (Rutherford et al. 2024).",
        "curricula.learnability:LearnabilityTeacher",
        "curricula.learnability:LearnabilityConfiguration",
    ),
    "ncc": (
        "NCC: kept levels, by a distribution that learns from scores (Monette et al. 2025).",
        "curricula.ncc:NCCTeacher",
        "curricula.ncc:NCCConfiguration",
    ),
    "alp-gmm": (
        "Gaussian mixtures over levels, drawn from by their absolute learning progress (Portelas et al. 2019).",
        "curricula.alp_gmm:ALPGMMTeacher",
        "curricula.alp_gmm:ALPGMMConfiguration",
    ),
    "goal-gan": (
        "Levels of intermediate difficulty from a generative adversarial network (Florensa et al. 2018).",
        "curricula.goal_gan:GoalGANTeacher",
        "curricula.goal_gan:GoalGANConfiguration",
    ),
    "apt-gen": (
        "Generated tasks, as similar to the benchmark's as the student can handle, and its own (Fang et al. 2021).",
        "papers.apt_gen.apt_gen:APTGenTeacher",
        "papers.apt_gen.apt_gen:APTGenConfiguration",
    ),
    "code": (
        "CoDE: a generator of designs, paid by regret and difficulty, or as its rivals (Gur et al. 2021).",
        "papers.code.code:CoDETeacher",
        f"{_DESIGNS}:CoDEConfiguration",
    ),
    "dynamic-tasks": (
        "Levels neither too easy, nor too hard, nor for a random policy (Open-Ended Learning Team 2021).",
        "papers.open_ended.dynamic_tasks:DynamicTasksTeacher",
        "papers.open_ended.dynamic_tasks:DynamicTasksConfiguration",
    ),
    "stages": (
        "Levels in your order; a stage opens when the earlier ones are solved.",
        "curricula.stages:StagesTeacher",
        "curricula.stages:StagesConfiguration",
    ),
    "demonstrations": (
        "Starts in the middle of what a solver does.",
        "curricula.demonstrations:DemonstrationsTeacher",
        "curricula.demonstrations:DemonstrationsConfiguration",
    ),
    "ladder": (
        "Levels graded by the length of their solutions; longer ones are grown.",
        "curricula.ladder:LadderTeacher",
        "curricula.ladder:LadderConfiguration",
    ),
}

#: Teacher -> option -> what serves the teacher where the option is given, as above.
FORMS = {"uniform": {"designs": ("papers.code.designs:DrawnDesignsTeacher", f"{_DESIGNS}:DrawnConfiguration")}}

#: Alias -> the teacher that it stands for, with which options (the first makes it what it is), and one sentence.
ALIASES = {
    "random-designs": ("uniform", "designs=random", "Designs drawn uniformly, of as many choices as a generator's."),
    "scheduled-designs": ("uniform", "designs=scheduled", "Designs of more and more primitives, by a schedule."),
    "robust-plr": ("plr", "robust=true", "PLR-perp: it trains on replayed levels only (Jiang et al. 2021b)."),
    "pop-regret": (
        "code",
        "objective=pop-regret",
        "The generator, paid by the regret of a population alone.",
    ),
    "difficulty": (
        "code",
        "objective=difficulty,population=1",
        "The generator, paid by difficulty alone.",
    ),
    "paired": (
        "code",
        "objective=paired,entropy_weight=0.1",
        "PAIRED: the generator, paid by the regret to an antagonist (Dennis et al. 2020).",
    ),
    "flexible-paired": (
        "code",
        "objective=flexible-paired,entropy_weight=0.1",
        "PAIRED with the better of two as the antagonist (Gur et al. 2021).",
    ),
    "alp": (
        "code",
        "objective=alp,population=1",
        "The generator, paid by the change of returns: absolute learning progress.",
    ),
}
