"""Actor-critic learners: proximal policy optimisation and advantage actor-critic, with or without memory."""
