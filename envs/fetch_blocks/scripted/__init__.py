"""The scripted expert: a waypoint controller for atomic programs, and plans of atomic programs for all others."""
