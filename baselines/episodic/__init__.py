"""On-policy learning from whole episodes of goal environments: what Sibling Rivalry and its PPO rivals share."""
