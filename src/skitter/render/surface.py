"""Surfaces on the stage: points that move, colours that stay, and the shader that lights them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkDataObject, vtkImageData, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkTexture

from skitter.render import shaders

Floats = NDArray[np.floating]


class Surface:
    """A triangle mesh with a shader of its own."""

    def __init__(self, functions: str, body: str, *, translucent: bool = False) -> None:
        self.errors: list[str] = []
        self._data = vtkPolyData()
        self.actor = vtkActor()
        self.actor.SetMapper(self._make_mapper())
        if translucent:
            self.actor.ForceTranslucentOn()
        self._use_shader(functions, body)

    def _make_mapper(self) -> vtkPolyDataMapper:
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._data)
        mapper.SetVBOShiftScaleMethod(0)  # the shaders read world coordinates
        mapper.SetScalarModeToUsePointData()
        mapper.SetColorModeToDirectScalars()
        mapper.AddObserver("ErrorEvent", lambda *_: self.errors.append("shader refused"))
        return mapper

    def _use_shader(self, functions: str, body: str) -> None:
        shader = self.actor.GetShaderProperty()
        for place, text in shaders.vertex_parts(functions).items():
            shader.AddVertexShaderReplacement(place, True, f"{place}\n{text}", False)
        place = "//VTK::TCoord::Dec"  # where textures and uniforms have been declared
        shader.AddFragmentShaderReplacement(place, True, f"{place}\n{functions}", False)
        shader.AddFragmentShaderReplacement("//VTK::Light::Impl", True, body, False)

    def set_triangles(self, triangles: NDArray[np.integer]) -> None:
        """Triangles in the order in which they are drawn."""
        flat = np.ascontiguousarray(triangles, dtype=np.int64).ravel()
        offsets = np.arange(0, len(flat) + 1, 3, dtype=np.int64)
        cells = vtkCellArray()
        cells.SetData(*(numpy_to_vtkIdTypeArray(one, deep=True) for one in (offsets, flat)))
        self._data.SetPolys(cells)

    def set_colours(self, colours: Floats) -> None:
        """One colour and opacity per point, linear light; kept as square roots in bytes."""
        encoded = np.array(colours, dtype=float)
        encoded[:, :3] = np.sqrt(encoded[:, :3])
        rounded = np.round(encoded.clip(0, 1) * 255).astype(np.uint8)
        self._data.GetPointData().SetScalars(numpy_to_vtk(rounded, deep=True))

    def set_points(self, points: Floats, normals: Floats | None = None) -> None:
        """Where the points are now."""
        place = vtkPoints()
        place.SetData(_to_vtk(points))
        self._data.SetPoints(place)
        if normals is not None:
            self._data.GetPointData().SetNormals(_to_vtk(normals))

    def set_attribute(self, name: str, values: Floats) -> None:
        """Values per point that the vertex shader reads under this name."""
        array = _to_vtk(values)
        array.SetName(name)
        if not self._data.GetPointData().HasArray(name):
            points = vtkDataObject.FIELD_ASSOCIATION_POINTS
            self.actor.GetMapper().MapDataArrayToVertexAttribute(name, name, points, -1)
        self._data.GetPointData().AddArray(array)

    def set_uniforms(self, values: dict[str, Any]) -> None:
        """Numbers and vectors that are the same for all fragments."""
        uniforms = self.actor.GetShaderProperty().GetFragmentCustomUniforms()
        for name, value in values.items():
            if np.ndim(value) == 0:
                uniforms.SetUniformf(name, float(value))
            else:
                uniforms.SetUniform3f(name, [float(x) for x in value])

    def set_textures(self, textures: dict[str, "Texture"]) -> None:
        """Pictures that the fragments read."""
        for name, texture in textures.items():
            self.actor.GetProperty().SetTexture(name, texture.vtk)


class Texture:
    """A picture that shaders read; its numbers arrive as they are."""

    def __init__(self) -> None:
        self._image = vtkImageData()
        self.vtk = vtkTexture()
        self.vtk.SetInputData(self._image)
        self.vtk.SetColorModeToDirectScalars()
        self.vtk.InterpolateOn()
        self.vtk.SetWrap(vtkTexture.ClampToEdge)

    def set_values(self, values: NDArray[np.uint8]) -> None:
        """Values [row, column, channel]."""
        rows, columns, channels = values.shape
        self._image.SetDimensions(columns, rows, 1)
        flat = numpy_to_vtk(np.ascontiguousarray(values.reshape(-1, channels)), deep=True)
        self._image.GetPointData().SetScalars(flat)
        self._image.Modified()


def _to_vtk(values: Floats) -> Any:
    return numpy_to_vtk(np.ascontiguousarray(values, dtype=np.float32), deep=True)
