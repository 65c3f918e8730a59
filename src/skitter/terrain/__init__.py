"""Surfaces a foot can ask: inside? height? normal? closest point? what does a ray meet?"""

from skitter.terrain.build import Terrain, build_terrain

__all__ = ["Terrain", "build_terrain"]
