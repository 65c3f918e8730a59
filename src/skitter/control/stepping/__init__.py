"""Legs that step by themselves: coupled oscillators, motor programs and reflexes."""
