"""Rigid bodies: motion, contact and friction, drag."""
