"""A nematode: a soft body of tetrahedra, solved implicitly."""
