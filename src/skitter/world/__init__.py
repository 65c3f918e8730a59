"""A running scene: its frames, its state, and what a person does to it."""

from skitter.world.world import World

__all__ = ["World"]
