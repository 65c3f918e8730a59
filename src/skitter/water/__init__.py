"""Shallow water: waves, wakes and rain, over any terrain and around any body."""

from skitter.water.water import Water

__all__ = ["Water"]
