"""Recordings as USD."""
