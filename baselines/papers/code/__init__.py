"""CoDE (Gur et al., 2021): a generator of web sites, its rivals, and a learner of pairs."""
