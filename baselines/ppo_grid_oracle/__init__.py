"""PPO on the sparse reward and the regions visited: the Grid Oracle (Sibling Rivalry, appendix E)."""
