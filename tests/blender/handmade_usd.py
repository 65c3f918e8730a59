"""The rod of handmade.py as USD text in centimetres, and beside it a patch of cached points."""

import numpy as np
from handmade import BEND, SPEED, TURN, rod_points, rod_triangles

CM = 100.0
PATCH = np.array([[0, 0, 1], [1, 0, 1], [1, 0, 2], [0, 0, 2]], float)  # m, at time 0


def patch_at(time: float) -> np.ndarray:
    """The cached points rise, each at its own speed, m."""
    return PATCH + np.outer([0.1, 0.2, 0.3, 0.4], [0, time, 0])


def write_rows(rows: np.ndarray) -> str:
    return ", ".join(f"({', '.join(f'{value:.9g}' for value in row)})" for row in rows)


def write_matrix(x: float) -> str:
    return f"( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), ({x}, 0, 0, 1) )"


def write_samples(rows: list[str]) -> str:
    return "\n".join(f"                {frame}: [{row}]," for frame, row in enumerate(rows))


def build_rod_usd(*, frames: int, fps: int, name: str = "rod") -> str:
    times = np.arange(frames) / fps
    places = [write_rows(CM * np.array([[SPEED * t, 0, 0], [BEND, 0, 0]])) for t in times]
    half = TURN * times / 2
    turns = [
        write_rows(np.array([[1, 0, 0, 0], [np.cos(a), 0, 0, np.sin(a)]], float)) for a in half
    ]
    cache = [write_rows(CM * patch_at(t)) for t in times]
    triangles = rod_triangles()
    joints = 'uniform token[] joints = ["root", "root/seg_00"]'
    bind = f"[{write_matrix(0)}, {write_matrix(CM * BEND)}]"
    colours = write_rows(np.where(np.arange(16)[:, None] < 8, [1, 0.1, 0], [0, 0.2, 1]))
    return f"""#usda 1.0
(
    defaultPrim = "world"
    metersPerUnit = 0.01
    upAxis = "Y"
    startTimeCode = 0
    endTimeCode = {frames - 1}
    timeCodesPerSecond = {fps}
    framesPerSecond = {fps}
)

def Xform "world"
{{
    def SkelRoot "{name}"
    {{
        def Skeleton "{name}" (
            prepend apiSchemas = ["SkelBindingAPI"]
        )
        {{
            {joints}
            uniform matrix4d[] bindTransforms = {bind}
            uniform matrix4d[] restTransforms = {bind}
            rel skel:animationSource = </world/{name}/clip>
        }}

        def SkelAnimation "clip"
        {{
            {joints}
            float3[] translations.timeSamples = {{
{write_samples(places)}
            }}
            quatf[] rotations.timeSamples = {{
{write_samples(turns)}
            }}
            half3[] scales = [(1, 1, 1), (1, 1, 1)]
        }}

        def Mesh "{name}_skin" (
            prepend apiSchemas = ["SkelBindingAPI"]
        )
        {{
            uniform token subdivisionScheme = "none"
            point3f[] points = [{write_rows(CM * rod_points())}]
            int[] faceVertexCounts = [{", ".join("3" for _ in triangles)}]
            int[] faceVertexIndices = [{", ".join(str(k) for k in triangles.reshape(-1))}]
            color3f[] primvars:displayColor = [{colours}] (interpolation = "vertex")
            int[] primvars:skel:jointIndices = [{", ".join("0" * 8 + "1" * 8)}] (
                elementSize = 1
                interpolation = "vertex"
            )
            float[] primvars:skel:jointWeights = [{", ".join("1" * 16)}] (
                elementSize = 1
                interpolation = "vertex"
            )
            matrix4d primvars:skel:geomBindTransform = {write_matrix(0)}
            rel skel:skeleton = </world/{name}/{name}>
        }}
    }}

    def Mesh "patch"
    {{
        uniform token subdivisionScheme = "none"
        point3f[] points.timeSamples = {{
{write_samples(cache)}
        }}
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 3, 2, 1]
        color3f[] primvars:displayColor = [(0.1, 0.6, 0.1)] (interpolation = "constant")
    }}
}}
"""
