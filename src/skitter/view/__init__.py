"""The studio: a running world in the browser."""
