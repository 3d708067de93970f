"""Teachers: who proposes the levels that a student trains on."""
