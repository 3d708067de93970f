"""A learner that reads names fills in sites in words that it has never met; one that knows words by heart does not."""

import csv
from dataclasses import replace

import numpy as np

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.code.named_network import NamedPairNetwork
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.papers.code.site_networks import PairNetwork
from procgen_bench.baselines.papers.code.site_policy import PairPolicy
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.sites import SiteDesign, SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.variation import Variation
from procgen_bench.tasks.sites.vocabulary import token, words_of
from procgen_bench.tasks.sites.wording import wording
from tests.baselines.papers.code.site_runs import learning, players_of

NAMES = {"encoder": "names"}


def test_its_size_is_as_documented():
    assert PairPolicy("GMiniWoB-v0", True, **NAMES).network.num_parameters == 149_063


def test_words_are_hidden_from_the_learner_alone():
    (player,) = players_of(replace(PairPPOConfiguration(), **NAMES), 0)
    assert isinstance(player.learner.network, NamedPairNetwork) and player.learner.network.hides
    assert player.current_policy().network.hides is False


def test_other_encoders_are_as_they_were():
    network = PairPolicy("GMiniWoB-v0", True).network
    assert type(network) is PairNetwork and network.num_parameters == 145_701


def test_words_that_training_does_not_show_are_never_learned(tmp_path):
    """They stay nothing: what no training may show says nothing to a policy, but for being equal to a key's."""
    method, benchmark = METHODS["pair-ppo"], get_benchmark("gminiwob/varied")
    small = {"num_envs": 32, "rollout_steps": 8, "minibatches": 2, "evaluation_tasks": 2}
    designs = {"teacher": "random-designs", "teacher_options": "slots=5,pages=3"}
    configuration = method.configured(benchmark.environment_id, small | designs | NAMES)
    run = method.train(benchmark, configuration, 0, 2_048, tmp_path / "run")
    learned = PolicyFolder.read(run.policy_path).weights["words.weight"].any(axis=1)
    sets = wording()
    shown = [text for name in ("familiar", "sentences") for text in sets[name].values()]
    for primitive in EVERY_PRIMITIVE.values():
        shown += [text for one in primitive.root for text in (one.text, *(value for _, value in one.attributes))]
        shown += primitive.options
    shown += [value for values in value_lists().values() for value in values]
    known = {token(word) for text in shown for word in words_of(text)}
    unseen = {token(word) for text in sets["held-out"].values() for word in words_of(text)} - known
    assert len(unseen) > 50 and not learned[sorted(unseen)].any()
    assert learned[sorted(known)].mean() > 0.3
    with (tmp_path / "run" / "curve.csv").open() as file:
        assert [row["step"] for row in csv.DictReader(file)][-1] == "2048"


#: A line beside which stands another that is called nearly the same, in words that training may show.
DESIGNS = [["username", "password"], ["city"], ["firstname"], ["fullname"], ["captcha"], ["zipcode"]]
NAMINGS, MET = ("label", "placeholder"), ("published", "familiar")


def solved(player, labels, count=40):
    """The share of so many logins in these words that its policy solves, greedily."""
    rng, library, tasks = np.random.default_rng(0), SiteTaskSpace().library, []
    design = SiteDesign.of_pairs([(name, 0) for name in DESIGNS[0]], 1)
    for k in range(count):
        places = {field: int(rng.integers(len(library.value_lists[field]))) for field in design.fields}
        look = Variation(labels=labels, naming=NAMINGS[k % 2], decoys="mixed")
        tasks.append(SiteTask(design, library.profile(design.fields, places), look))
    policy = player.current_policy()
    policy.stochastic = False
    return np.mean([episode.success for episode in play_episodes(policy, "GMiniWoB-v0", tasks, range(count))])


def shares_solved(steps, **settings):
    """The share of logins that a learner solves, in words that it has met, and in words that it has not."""
    designs = [SiteDesign.of_pairs([(name, 0) for name in names], 1) for names in DESIGNS]
    looks = [Variation(labels=labels, naming=naming, decoys="mixed") for labels in MET for naming in NAMINGS]
    sizes = {"num_envs": 32, "rollout_steps": 16, "minibatches": 4}
    for player, done, _ in learning(designs, variations=looks, **sizes, **settings):
        if done >= steps:
            return solved(player, "familiar"), solved(player, "held-out")


def test_whoever_reads_names_solves_a_site_in_words_that_it_has_never_met():
    met, unmet = shares_solved(16_384, **NAMES)
    assert met >= 0.9 and unmet >= 0.8


def test_whoever_knows_words_by_heart_does_not():
    """It tells a line from its decoy by words alone."""
    met, unmet = shares_solved(28_672)
    assert met >= 0.9 and unmet <= 0.7
