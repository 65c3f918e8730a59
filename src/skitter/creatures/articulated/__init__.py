"""Creatures that are trees of rigid links, moved by forces alone (McKenna 1990)."""
