"""Creatures that climb anything: rigid bodies on hinges, led by their thorax (Cenydd 2012)."""
