"""Animals and figures as data: the spec of a species file, and the built-in library."""
