"""What tracks are like, whatever a learner does: floors of acting without looking, and how tasks are shared out."""
