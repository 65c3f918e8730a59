"""Studies: many simulations of one species, and what follows from them."""
