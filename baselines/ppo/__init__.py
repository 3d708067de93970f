"""Proximal policy optimisation over the native vector environment, under a teacher."""
