"""AlphaNPI-X (Pierrot et al., 2020): programs that call programs, over a learned arm."""
