"""Sibling Rivalry (Trott et al., 2019) and the methods that it is compared with."""
