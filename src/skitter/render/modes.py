"""Modes of a body as shaded shapes, one above the other (after Mujika 2018 figure 5).

Each is seen from above and to the side over its own shadow, so that bending in the plane of the
ground and up from it can be told apart. Colour is how far a point has moved.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont
from scipy import sparse
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals
from vtkmodules.vtkFiltersModeling import vtkLoopSubdivisionFilter
from vtkmodules.vtkRenderingCore import vtkActor, vtkLight, vtkPolyDataMapper, vtkRenderer

from skitter.elastic.tet_mesh import TetMesh
from skitter.look.worm import round_ends
from skitter.render.window import Image, Window

WIDTH, ROW, LABEL = 1280, 184, 280  # pixels: of the picture, of a mode, of its words
FINER = 2  # times as many pixels are drawn as shown
PAPER, INK, FAINT, ACCENT = "#fbfaf7", "#2a2c2f", "#8b8d90", "#c8501e"
STILL, MOVED = np.array([0.72, 0.78, 0.80]), np.array([0.86, 0.36, 0.14])
SHADOW = (0.80, 0.79, 0.77)
REACH = 0.08  # of the length, largest way of a point
FLOOR = 0.1  # of the length, that the shadow lies below the body
LIFT = np.radians(40)  # of the eye above the ground
ACROSS = 1.25  # lengths that a row is wide


@dataclass(frozen=True)
class ModePicture:
    """A mode to be shown: where the nodes are, how far they have moved (0..1), and its words."""

    points: np.ndarray  # [node, 3]
    moved: np.ndarray  # [node]
    title: str
    lines: tuple[str, ...]
    is_chosen: bool


def draw_modes(pictures: list[ModePicture], mesh: TetMesh, title: str) -> Image:
    """All of them on one sheet [row, column, 3]."""
    skin = round_ends(mesh.nodes, mesh.tets, mesh.surface)
    head = 56
    sheet = Pillow.new("RGB", (WIDTH, head + ROW * len(pictures) + 12), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((24, 18), title, fill=INK, font=ImageFont.load_default(22))
    window = Window((FINER * (WIDTH - LABEL), FINER * ROW))
    try:
        for number, picture in enumerate(pictures):
            top = head + ROW * number
            shape = draw_shape(window, picture, mesh, skin)
            small = Pillow.fromarray(np.ascontiguousarray(shape)).resize(
                (WIDTH - LABEL, ROW), Pillow.Resampling.LANCZOS
            )
            sheet.paste(small, (LABEL, top))
            write_words(draw, picture, top)
    finally:
        window.close()
    return np.asarray(sheet)


def write_words(draw: ImageDraw.ImageDraw, picture: ModePicture, top: int) -> None:
    """What stands beside a mode; the chosen one has a bar."""
    if picture.is_chosen:
        draw.rectangle((0, top + 18, 7, top + ROW - 18), fill=ACCENT)
    draw.line((24, top, WIDTH - 24, top), fill="#e4e1da")
    large, small = ImageFont.load_default(22), ImageFont.load_default(15)
    draw.text((24, top + 40), picture.title, fill=ACCENT if picture.is_chosen else INK, font=large)
    for row, line in enumerate(picture.lines):
        draw.text((24, top + 74 + 22 * row), line, fill=FAINT if row else INK, font=small)


def draw_shape(
    window: Window, picture: ModePicture, mesh: TetMesh, skin: sparse.csr_matrix
) -> Image:
    """One body over its shadow."""
    rest, triangles = mesh.nodes, mesh.surface
    length = float(np.ptp(rest[:, 0]))
    middle = (rest.max(axis=0) + rest.min(axis=0)) / 2
    colours = STILL + picture.moved[:, None] * (MOVED - STILL)
    points = (skin @ picture.points - middle) / length
    body = build_actor(points, triangles, colours)
    flat = points * (1, 0, 1) - (0, FLOOR, 0)
    shadow = build_actor(flat, triangles, None)
    renderer = window.renderer
    renderer.RemoveAllViewProps()
    renderer.SetBackground(*(int(PAPER[k : k + 2], 16) / 255 for k in (1, 3, 5)))
    for actor in (shadow, body):
        renderer.AddActor(actor)
    place_eye(renderer)
    return window.draw()


def place_eye(renderer: vtkRenderer) -> None:
    """The camera and two lights; lengths are in body lengths."""
    eye = (0, np.sin(LIFT), np.cos(LIFT))
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(0, -FLOOR / 2, 0)
    camera.SetPosition(*(5 * np.array(eye) - (0, FLOOR / 2, 0)))
    camera.SetViewUp(0, 1, 0)
    camera.SetParallelScale(ACROSS * ROW / (WIDTH - LABEL) / 2)
    renderer.ResetCameraClippingRange()
    renderer.RemoveAllLights()
    for at, strength in (((-1.5, 4, 2), 0.75), ((3, 1, 3), 0.35)):
        light = vtkLight()
        light.SetPosition(*at)
        light.SetIntensity(strength)
        renderer.AddLight(light)


def build_actor(points: np.ndarray, triangles: np.ndarray, colours: np.ndarray | None) -> vtkActor:
    """A smooth surface with colours of its points [point, 3], or one flat shadow."""
    data = vtkPolyData()
    used, corners = np.unique(triangles, return_inverse=True)
    places = vtkPoints()
    places.SetData(numpy_to_vtk(np.ascontiguousarray(points[used]), deep=True))
    data.SetPoints(places)
    cells = vtkCellArray()
    offsets = np.arange(0, 3 * len(triangles) + 1, 3)
    cells.SetData(
        numpy_to_vtkIdTypeArray(offsets, deep=True),
        numpy_to_vtkIdTypeArray(np.ascontiguousarray(corners.ravel()), deep=True),
    )
    data.SetPolys(cells)
    if colours is not None:
        shades = np.ascontiguousarray(np.round(255 * colours[used]).astype(np.uint8))
        data.GetPointData().SetScalars(numpy_to_vtk(shades, deep=True))
    finer = vtkLoopSubdivisionFilter()
    finer.SetNumberOfSubdivisions(2)
    finer.SetInputData(data)
    normals = vtkPolyDataNormals()
    normals.SetInputConnection(finer.GetOutputPort())
    normals.SplittingOff()
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(normals.GetOutputPort())
    actor = vtkActor()
    actor.SetMapper(mapper)
    looks = actor.GetProperty()
    if colours is None:
        looks.LightingOff()
        looks.SetColor(*SHADOW)
    else:
        looks.SetAmbient(0.28)
        looks.SetDiffuse(0.75)
        looks.SetSpecular(0.25)
        looks.SetSpecularPower(30)
    return actor
