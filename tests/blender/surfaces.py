"""How far points are from the surface that pictures of a recording show."""

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import reference, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkStaticCellLocator

from skitter.look.creature import CreatureSurface
from skitter.look.mesh import Mesh, join_meshes


def build_seen(creature: CreatureSurface, time: float) -> Mesh:
    """All that is drawn of a creature at a time, cm."""
    pose = creature.motion.pose(time)
    solid = [creature.solid_at(pose)] if creature.is_solid else []
    return join_meshes(solid + ([creature.soft.at(pose)] if creature.soft else []))


def distance_to(mesh: Mesh, points: np.ndarray) -> np.ndarray:
    """From each point to the nearest triangle, in the unit of the mesh."""
    locator = build_locator(mesh)
    nearest, cell, part, square = [0.0, 0.0, 0.0], reference(0), reference(0), reference(0.0)
    found = np.empty(len(points))
    for k, point in enumerate(points):
        locator.FindClosestPoint(point, nearest, cell, part, square)
        found[k] = float(square) ** 0.5
    return found


def build_locator(mesh: Mesh) -> vtkStaticCellLocator:
    places, cells, surface = vtkPoints(), vtkCellArray(), vtkPolyData()
    places.SetData(numpy_to_vtk(np.ascontiguousarray(mesh.points, float), deep=True))
    corners = np.ascontiguousarray(mesh.triangles, np.int64).reshape(-1)
    cells.SetData(3, numpy_to_vtkIdTypeArray(corners, deep=True))
    surface.SetPoints(places)
    surface.SetPolys(cells)
    locator = vtkStaticCellLocator()
    locator.SetDataSet(surface)
    locator.BuildLocator()
    return locator
