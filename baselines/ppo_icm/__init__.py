"""PPO on the sparse reward and intrinsic curiosity (Pathak et al., 2017), as Sibling Rivalry compares it."""
