"""Creatures: what they are to the world, their bodies in lanes, the step that moves them."""
