"""Soft blocks: elastic forces, damping, contact, muscles, drag."""
