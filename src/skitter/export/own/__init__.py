"""Rigs of the user's own: measured, and moved."""
