"""This package's policies and methods, as data of which :mod:`.method_table` makes its entries."""

#: Environments of few discrete actions.
FEW_ACTIONS = (
    "GridWorld-v0",
    "GridWorldLarge-v0",
    "TablePush-v0",
    "CompositionalMiniGrid-v0",
    "CompositionalMiniGridSparse-v0",
    "BitGrid-v0",
    "VoxelBuild-v0",
    "VoxelBuildSmall-v0",
    "UEDMaze-v0",
)
#: Environments whose tasks are goals: vectors, arrays without pictures, and with those whose tasks are seen as goals.
VECTOR_GOALS = ("SparsePointMaze-v0", "SparseAntMaze-v0")
GOALS_WITHOUT_PICTURES = (*VECTOR_GOALS, "BitGrid-v0")
GOALS = (*GOALS_WITHOUT_PICTURES, "VoxelBuild-v0", "VoxelBuildSmall-v0", "FetchBlocks-v0", "GridWorld-v0")
#: Whose agents have settings, networks and losses of their own.
AGENTS = ("XLand-v0", "XLandSmall-v0")

#: Name -> one sentence, "module:class" below baselines/ of the policy, and what it is: a floor, or an oracle, that is
#: one which knows what a learner does not.
SCRIPTED = {
    "random": ("Actions drawn uniformly: the floor.", "policies.scripted.policies:RandomPolicy", "floor"),
    "constant": ("Repeats one action.", "policies.scripted.policies:ConstantPolicy", "floor"),
    "noop": ("The action that does nothing, where there is one.", "policies.scripted.policies:NoopPolicy", "floor"),
    "null": ("Never acts: what an empty submission scores.", "policies.scripted.policies:NullPolicy", "floor"),
    "solver": ("The exact solution of every task: the ceiling.", "policies.scripted.policies:SolverPolicy", "oracle"),
    "site-random": (
        "Random links, buttons and inputs of those that a page of GMiniWoB-v0 shows, and random fields.",
        "policies.scripted.site_random:SiteRandomPolicy",
        "floor",
    ),
    "site-in-order": (
        "Reads no label: the k-th field of the instruction into the k-th thing to fill in.",
        "policies.scripted.site_floors:SiteInOrderPolicy",
        "floor",
    ),
    "site-lists": (
        "Reads no label: values where they are offered, others line by line.",
        "policies.scripted.site_floors:SiteListsPolicy",
        "floor",
    ),
    "site-usual-order": (
        "Reads no label: knows in which order GMiniWoB-v0's five sites ask for their fields.",
        "policies.scripted.site_floors:SiteUsualOrderPolicy",
        "floor",
    ),
    "site-trier": (
        "Reads no label: tries, and keeps what pays where it is given rewards.",
        "policies.scripted.site_floors:SiteTrierPolicy",
        "floor",
    ),
    "site-matcher": (
        "Compares words in GMiniWoB-v0: values go where the published name of their field stands.",
        "policies.scripted.site_matcher:SiteMatcherPolicy",
        "",
    ),
    "ant-expert": (
        "SparseAntMaze-v0's shortest way, walked by its low-level controller.",
        "policies.scripted.ant_expert:AntExpertPolicy",
        "oracle",
    ),
    "fetch-expert": (
        "FetchProgram-v0's and FetchBlocks-v0's scripted expert: waypoints, and plans of atomic programs.",
        "policies.scripted.fetch_expert:FetchExpertPolicy",
        "oracle",
    ),
    "xland-scripted": (
        "XLand-v0's scripted player, which sees the whole world and pursues its goal.",
        "policies.scripted.xland_scripted:ScriptedPolicy",
        "oracle",
    ),
    "xland-clumsy": (
        "XLand-v0's frozen co-player 'clumsy', as player 1.",
        "policies.scripted.xland_scripted:ClumsyPolicy",
        "oracle",
    ),
    "xland-steady": (
        "XLand-v0's frozen co-player 'steady', as player 1.",
        "policies.scripted.xland_scripted:SteadyPolicy",
        "oracle",
    ),
    "xland-swift": (
        "XLand-v0's frozen co-player 'swift', as player 1.",
        "policies.scripted.xland_scripted:SwiftPolicy",
        "oracle",
    ),
    "xland-contrary": (
        "XLand-v0's frozen co-player 'contrary', as player 1.",
        "policies.scripted.xland_scripted:ContraryPolicy",
        "oracle",
    ),
    "xland-hunter": (
        "XLand-v0's frozen co-player 'hunter', as player 1.",
        "policies.scripted.xland_scripted:HunterPolicy",
        "oracle",
    ),
}

#: Name -> one sentence, "module:class" of the policy, the module that makes players, or has a loop of its own, and the
#: class of its configuration, without ``Configuration``, in the module's ``_settings``.
LEARNED = {
    "dqn": (
        "Deep Q-learning under a teacher, with APT-Gen's stabilisers, for few discrete actions.",
        "parts.value_policy:ValuePolicy",
        "methods.dqn",
        "DQN",
    ),
    "dqn-icm": (
        "The same with a bonus for what its forward model does not predict (ICM), a baseline of APT-Gen.",
        "parts.value_policy:ValuePolicy",
        "methods.dqn",
        "ICM",
    ),
    "dqn-rnd": (
        "The same with a bonus for novel states (random network distillation), a baseline of APT-Gen.",
        "parts.value_policy:ValuePolicy",
        "methods.dqn",
        "RND",
    ),
    "dqn-ride": (
        "The same with a bonus for its impact, in an episode's new states (RIDE), a baseline of APT-Gen.",
        "parts.value_policy:ValuePolicy",
        "methods.dqn",
        "RIDE",
    ),
    "sac": (
        "Soft actor-critic under a teacher, for continuous actions, with hindsight replay where there are goals.",
        "methods.sac:SquashedPolicy",
        "methods.sac",
        "SAC",
    ),
    "ppo": (
        "Proximal policy optimisation under a teacher, in any environment.",
        "parts.actor_critic:ActorPolicy",
        "methods.ppo",
        "PPO",
    ),
    "recurrent-ppo": (
        "The same with a gated recurrent unit, which remembers what was seen.",
        "parts.actor_critic:ActorPolicy",
        "methods.ppo",
        "RecurrentPPO",
    ),
    "a2c": (
        "Advantage actor-critic under a teacher, in any environment.",
        "parts.actor_critic:ActorPolicy",
        "methods.ppo",
        "A2C",
    ),
    "pair-ppo": (
        "PPO over pairs of an element and a field: CoDE's learner of web sites, or the population of its generator.",
        "papers.code.site_policy:PairPolicy",
        "papers.code.pair_ppo",
        "PairPPO",
    ),
    "vmpo": (
        "V-MPO with PopArt under a teacher, in any environment: the algorithm of XLand's agents.",
        "parts.actor_critic:ActorPolicy",
        "methods.vmpo",
        "VMPO",
    ),
    "sb3": (
        "An algorithm of stable-baselines3 or sb3-contrib, unchanged, under a teacher, for comparison.",
        "methods.stable_baselines3_policy:SB3Policy",
        "methods.stable_baselines3",
        "SB3",
    ),
    "sb3-ppo": (
        "The same with --algorithm PPO, under its older name.",
        "methods.stable_baselines3_policy:SB3Policy",
        "methods.stable_baselines3",
        "SB3PPO",
    ),
    "sb3-dqn": (
        "The same with --algorithm DQN, under its older name.",
        "methods.stable_baselines3_policy:SB3Policy",
        "methods.stable_baselines3",
        "SB3DQN",
    ),
    "sb3-sac": (
        "The same with --algorithm SAC, under its older name.",
        "methods.stable_baselines3_policy:SB3Policy",
        "methods.stable_baselines3",
        "SB3SAC",
    ),
    "sibling-rivalry": (
        "PPO on pairs of rollouts that relabel each other's rewards (Sibling Rivalry, algorithm 1).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.sibling_rivalry",
        "SiblingRivalry",
    ),
    "ppo-naive": (
        "PPO on the distance that is left at the end (Sibling Rivalry, equation 2).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.sibling_rivalry",
        "Naive",
    ),
    "ppo-icm": (
        "PPO on the sparse reward and intrinsic curiosity (Sibling Rivalry, section 4).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.sibling_rivalry",
        "Curiosity",
    ),
    "ppo-rnd": (
        "PPO on the sparse reward and random network distillation (Sibling Rivalry, section 4).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.sibling_rivalry",
        "Distillation",
    ),
    "ppo-grid-oracle": (
        "PPO on the sparse reward and the regions of the plane visited (Sibling Rivalry, appendix E).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.sibling_rivalry",
        "GridOracle",
    ),
    "ddpg-her": (
        "DDPG with hindsight experience replay, for goals and actions that are vectors (Sibling Rivalry, table 2).",
        "parts.deterministic:DeterministicPolicy",
        "papers.sibling_rivalry.goal_replay",
        "DDPGHER",
    ),
    "dqn-her": (
        "DQN with hindsight experience replay, for discrete actions (Sibling Rivalry, table 2).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.goal_replay",
        "DQNHER",
    ),
    "dqn-dense": (
        "DQN rewarded at every step by how far it came nearer to the goal (Sibling Rivalry, appendix F).",
        "parts.hierarchy:GoalPolicy",
        "papers.sibling_rivalry.goal_replay",
        "DQNDense",
    ),
    "npi-goals": (
        "AlphaNPI-X's goal policy: DDPG with hindsight on FetchBlocks, then calls of programs in a row (stage 1).",
        "papers.alphanpi_x.block_policy:BlockPolicy",
        "papers.alphanpi_x.npi_goals",
        "NPIGoals",
    ),
    "alphanpi-x": (
        "Programs that call programs, learned by planning in imagination; the scripted expert carries out atomic ones.",
        "papers.alphanpi_x.programs.planner_policy:PlannerPolicy",
        "papers.alphanpi_x.alphanpi_x",
        "AlphaNPIX",
    ),
}
#: Name -> ids of the environments that it is made for; others are made for all.
ENVIRONMENTS = {
    "dqn": FEW_ACTIONS,
    "dqn-icm": FEW_ACTIONS,
    "dqn-rnd": FEW_ACTIONS,
    "dqn-ride": FEW_ACTIONS,
    "sac": (*VECTOR_GOALS, "FetchProgram-v0"),
    "pair-ppo": ("GMiniWoB-v0", "GMiniWoBLiteral-v0"),
    "sb3-dqn": FEW_ACTIONS,
    "sb3-sac": (*VECTOR_GOALS, "FetchProgram-v0"),
    "sibling-rivalry": GOALS,
    "ppo-naive": GOALS,
    "ppo-icm": GOALS_WITHOUT_PICTURES,
    "ppo-rnd": GOALS_WITHOUT_PICTURES,
    "ppo-grid-oracle": VECTOR_GOALS,
    "ddpg-her": VECTOR_GOALS,
    "dqn-her": ("BitGrid-v0",),
    "dqn-dense": ("BitGrid-v0",),
    "npi-goals": ("FetchBlocks-v0",),
    "alphanpi-x": ("FetchProgram-v0",),
}
#: Name -> the function of action_kinds.py that refuses action spaces.
ACTIONS = {
    "dqn": "check_few",
    "dqn-icm": "check_few",
    "dqn-rnd": "check_few",
    "dqn-ride": "check_few",
    "sac": "check_bounded",
    "ppo": "check_learnable",
    "recurrent-ppo": "check_learnable",
    "a2c": "check_learnable",
    "vmpo": "check_learnable",
    "sb3": "check_learnable",
    "sb3-ppo": "check_learnable",
    "sb3-dqn": "check_choice",
    "sb3-sac": "check_bounded",
}
#: Those with a loop of their own in place of the trainer, and those that need no rows.
LOOPS = ("sb3", "sb3-ppo", "sb3-dqn", "sb3-sac", "alphanpi-x")
WITHOUT_ROWS = ("alphanpi-x",)
#: Those whose learners have compiled twins, and what gives these.
TWINS = {"ppo": "fast.ppo:twin_of", "recurrent-ppo": "fast.ppo:twin_of", "a2c": "fast.ppo:twin_of"}
#: Of the methods that train agents where :data:`AGENTS` says, the module, the policy, what gives compiled twins, and
#: the class of configuration.
AGENTS_MODULE, AGENTS_POLICY = "papers.open_ended.agents", "papers.open_ended.agent_policy:AgentPolicy"
AGENTS_TWIN = "papers.open_ended.fast_agents:twin_of"
AGENTS_KINDS = {"ppo": "AgentPPO", "recurrent-ppo": "AgentRecurrentPPO", "a2c": "AgentA2C", "vmpo": "AgentVMPO"}
#: What trains a method.
RUN = "procgen_bench.baselines.training.run"
