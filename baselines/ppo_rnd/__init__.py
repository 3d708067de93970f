"""PPO on the sparse reward and random network distillation (Burda et al., 2018b), Sibling Rivalry's rival."""
