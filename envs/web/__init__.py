"""GMiniWoB-v0: generated web sites, in a real browser and in a native twin (CoDE, section 6)."""
