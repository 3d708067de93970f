"""The one training loop: a learner collects from rows under a teacher, updates, is evaluated and kept."""
