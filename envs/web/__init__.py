"""GMiniWoB-v0: generated web sites, operated in a real browser or in a twin of it."""
