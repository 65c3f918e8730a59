"""Recordings as scenes of POV-Ray, and pictures that it traces."""
