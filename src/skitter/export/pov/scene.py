"""The scene script: camera, light, background and what everything is made of (Fang 2015, app. E).

It is the studio of `skitter render` in POV-Ray's own terms: a wide key light from behind, which
makes jelly glow, a sky, a fill from the camera's side and a rim light; a floor that melts into the
backdrop. Colours are linear light. POV-Ray's usual frame is left-handed: a camera whose right is
-x makes it right-handed, so that all coordinates are those of the recording.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skitter.export.pov.files import MARK
from skitter.export.pov.text import vector
from skitter.look.creature import CreatureSurface
from skitter.look.terrain import Floor
from skitter.render.framing import TINT

Floats = NDArray[np.floating]
DEEP = np.array([0.008, 0.118, 0.200])  # light that deep water sends back

SETTINGS = """\
#ifndef (Photons) #declare Photons = @photons; #end    // caustics below water, traced
#ifndef (Radiosity) #declare Radiosity = 0; #end  // Declare=Radiosity=1: light from all around

global_settings {
  assumed_gamma 1.0
  max_trace_level 14
  #if (Photons) photons { count 500000 autostop 0 jitter 0.4 } #end
  #if (Radiosity) radiosity { pretrace_end 0.01 count 120 error_bound 0.6 recursion_limit 1 } #end
}
#declare Sky_Share = 1 - Radiosity;  // of the lights that stand for light from all around
"""

MATERIALS = """\
// Stiff parts, in a colour of linear light.
#declare Shell_Finish = finish {
  ambient 0.20 * Sky_Share diffuse 0.85 specular 0.30 roughness 0.025
  reflection { 0.01, 0.16 falloff 4 }
}
#macro Paint(Colour)
  texture { pigment { rgb Colour } finish { Shell_Finish } }
#end

#macro Stone(Colour)
  texture { pigment { rgb Colour } finish { ambient 0.12 * Sky_Share diffuse 1.0 } }
#end

#macro Glossy(Colour)
  texture {
    pigment { rgb Colour }
    finish {
      ambient 0.20 * Sky_Share diffuse 0.80 specular 0.6 roughness 0.008
      reflection { 0.02, 0.3 falloff 4 }
    }
  }
#end

// Soft parts: walls that let light through both ways, and colour that deepens inside.
#macro pow3(C, Power) <pow(C.x, Power), pow(C.y, Power), pow(C.z, Power)> #end
#macro Jelly(Colour, Opacity, Thickness)
  #local Through = 0.95 * pow(1 - Opacity, 0.2);  // of a wall; looking through, one meets two
  #local Glow = 0.48 / (1 - Through);
  material {
    texture {
      pigment { rgb Colour filter Through transmit 0.1 * (1 - Through) }
      finish {
        ambient 0.2 * Glow * Sky_Share diffuse Glow, 0.8 * Glow specular 0.9 roughness 0.004
        reflection { 0.0, 0.6 fresnel on } conserve_energy
      }
    }
    interior { ior 1.16 fade_color pow3(Colour, 0.5) fade_distance 4 * Thickness fade_power 1001 }
  }
#end

// A skin that one looks through at what is inside: clear, with a sheen, and denser at its edge.
#macro Glass(Colour, Opacity)
  #local Clear = 0.9 * sqrt(1 - Opacity);
  texture {
    pigment { rgb Colour filter 0.4 * Clear transmit 0.6 * Clear }
    finish {
      ambient 0.25 * Sky_Share diffuse 0.9, 0.5 specular 0.7 roughness 0.006
      reflection { 0.0, 0.35 falloff 4 }
    }
  }
#end

// Floors and water melt into the backdrop far from what is shown.
#declare Horizon = rgb <0.70, 0.685, 0.66>;
#macro Melt()
  texture {
    pigment {
      spherical
      color_map {
        [0.00 rgb Horizon]
        [0.20 rgb Horizon transmit 0.16]
        [0.41 rgb Horizon transmit 0.50]
        [0.62 rgb Horizon transmit 0.84]
        [0.82 rgb Horizon transmit 1.00]
      }
      scale 11 * Radius translate Focus
    }
    finish { ambient 0 diffuse 0 emission 1 }
  }
#end

#declare Line = function(x, y) { select(abs(x - floor(x + 0.5)) - y, 1, 0) }
#macro Ground(Colour, Step, Place)
  texture {
    pigment {
      function { max(Line(x, 0.012), Line(z, 0.012), Line(x / 5, 0.005), Line(z / 5, 0.005)) }
      color_map { [0 rgb Colour] [1 rgb 0.82 * Colour] }
      scale Step transform { Place }
    }
    finish { ambient 0.10 * Sky_Share diffuse 0.54 }
  }
  Melt()
#end

#macro Agar(Colour, Step, Place)
  texture {
    pigment {
      bozo color_map { [0 rgb 0.97 * Colour] [1 rgb 1.03 * Colour] }
      scale 2 * Step transform { Place }
    }
    finish {
      ambient 0.16 * Sky_Share diffuse 0.54 specular 0.08 roughness 0.02
      reflection { 0.01, 0.25 falloff 4 }
    }
  }
  Melt()
#end

#macro Sand(Colour, Step, Place)
  texture {
    pigment {
      granite color_map { [0 rgb 0.90 * Colour] [1 rgb 1.06 * Colour] }
      scale Step transform { Place }
    }
    finish { ambient 0.14 * Sky_Share diffuse 0.75 }
  }
  Melt()
#end
"""

WATER = """\
#macro Water()
  texture {
    pigment { rgbf 1 }
    normal { bumps 0.13 scale 0.11 * Radius translate <0.05, 0.3, 0.03> * Radius * Time }
    finish {
      ambient 0 diffuse 0 specular 0.25 roughness 0.003
      reflection { 0.035, 1.0 falloff 4 } conserve_energy
    }
  }
  Melt()
#end
#declare Water_Interior = interior {
  ior 1.333
  media { method 3 intervals 1 samples 2, 2 absorption @absorbed emission @emitted }
}
"""

STUDIO = """\
camera {
  perspective
  location Eye
  right -x * image_width / image_height  // right-handed
  up y
  sky Sky
  angle 2 * degrees(atan(tan(radians(View_Angle) / 2) * image_width / image_height))
  look_at Target
}

#declare Far = 60 * Radius;
#macro Lamp(Toward, Width, Count, Colour)
  #local Side = vnormalize(vcross(Toward, Sky + <0.01, 0.02, 0.03>));
  light_source {
    Focus + Far * Toward, rgb Colour
    area_light 2 * Width * Far * Side, 2 * Width * Far * vcross(Toward, Side), Count, Count
    adaptive 1 circular orient
    photons { refraction on reflection off }
  }
#end
Lamp(Key_Toward, 0.09, 5, <1.0, 0.955, 0.89> * 1.3)
#if (Sky_Share) Lamp(Sky, 0.8, 4, <0.62, 0.68, 0.77> * 0.7) #end
light_source {
  Focus + Far * Fill_Toward, rgb <1.0, 0.97, 0.94> * 0.7 shadowless photons { refraction off }
}
light_source {
  Focus + Far * Rim_Toward, rgb <0.80, 0.90, 1.0> * 0.4 shadowless photons { refraction off }
}

// Seen near the horizon; what is above is only mirrored, most of all by water: bright low down,
// dark above, the change between the two where level water in the middle of the picture mirrors it.
#declare Turn = min(0.9, max(0.5, vnormalize(Eye - Target).y));
sky_sphere {
  pigment {
    function { min(1, max(0, y)) }
    color_map {
      [0.00 Horizon]
      [0.10 rgb <0.640, 0.638, 0.628>]
      [0.22 rgb <0.510, 0.532, 0.560>]
      [max(0.32, Turn - 0.18) rgb <0.60, 0.75, 0.90>]
      [Turn + 0.09 rgb <0.12, 0.16, 0.22>]
      [1.00 rgb <0.10, 0.14, 0.20>]
    }
  }
}
"""

FLOOR = """\
#declare Floor_Place = transform {{ matrix <{u}, {normal}, {v}, {point}> }}
#if (Floors & vdot(Eye - {point_vector}, {normal_vector}) > 0)
  plane {{ y, 0 transform {{ Floor_Place }} {kind}({colour}, {step:.6g}, Floor_Place) }}
#end
"""

HEADER = """\
// {title}, {mark}.
// In the folder of this file:
//   povray {name}.pov +W{width} +H{height} +A            the first frame
//   povray {name}.ini                            all {count} of them
// Add Declare=Radiosity=1 for light from all around, Declare=Photons=0 for no caustics in water.
// One unit is {unit:.6g} cm; y is up, x forward, z to the right.
#version 3.7;
#declare Frames = "{name}_frames/";
#declare Floors = {floors};  // 0 where the camera turns with a creature around a solid
"""

INI = """\
; {title}, {mark}: povray {name}.ini
Input_File_Name={name}.pov
Width={width}
Height={height}
Antialias=On
Antialias_Threshold=0.15
Display=Off
Initial_Frame=0
Final_Frame={last}
Initial_Clock={start:.6g}
Final_Clock={end:.6g}
"""


@dataclass(frozen=True)
class ScenePlan:
    """What a script has to know besides its frames."""

    title: str
    name: str  # the stem of the file
    size: tuple[int, int]
    times: Floats  # [frame] s
    scale: float  # units per cm
    floors: list[Floor]
    has_floors: bool  # False where the camera turns with a creature
    grid_step: float  # cm
    water_length: float | None  # cm over which light fades in water; None: no water
    water_level: float = 0.0  # cm

    @property
    def digits(self) -> int:
        """Of a frame's number in its file's name."""
        return max(4, len(str(len(self.times) - 1)))


def write_script(plan: ScenePlan) -> str:
    """The whole of the `.pov` file."""
    width, height = plan.size
    head = HEADER.format(
        title=plan.title,
        mark=MARK,
        name=plan.name,
        width=width,
        height=height,
        count=len(plan.times),
        unit=1 / plan.scale,
        floors=int(plan.has_floors),
    )
    photons = str(int(plan.water_length is not None))
    parts = [head, SETTINGS.replace("@photons", photons), MATERIALS]
    if plan.water_length is not None:
        parts.append(write_water(plan.water_length * plan.scale))
    parts.append(
        '#include concat(Frames, "shapes.inc")\n'
        f'#include concat(Frames, "frame_", str(frame_number, -{plan.digits}, 0), ".inc")\n'
    )
    floors = [write_floor(plan, number) for number in range(len(plan.floors))]
    return "\n".join([*parts, STUDIO, *floors])


def write_ini(plan: ScenePlan) -> str:
    """Settings that make `povray` draw all frames."""
    return INI.format(
        title=plan.title,
        mark=MARK,
        name=plan.name,
        width=plan.size[0],
        height=plan.size[1],
        last=len(plan.times) - 1,
        start=plan.times[0],
        end=plan.times[-1],
    )


def write_water(length: float) -> str:
    """What water is made of, its light fading over a length."""
    text = WATER.replace("@absorbed", f"rgb {vector(TINT / length)}")
    return text.replace("@emitted", f"rgb {vector(DEEP * TINT / length)}")


def write_floor(plan: ScenePlan, number: int) -> str:
    """An endless floor, with lines on it; under water, of sand."""
    floor = plan.floors[number]
    is_bed = plan.water_length is not None and floor.point[1] < plan.water_level
    u, v = floor.axes()
    point = vector(floor.point * plan.scale)
    return FLOOR.format(
        u=vector(u)[1:-1],
        v=vector(v)[1:-1],
        normal=vector(floor.normal)[1:-1],
        normal_vector=vector(floor.normal),
        point=point[1:-1],
        point_vector=point,
        kind=name_ground(floor, is_bed=is_bed and number == 0),
        colour=vector(floor.colour),
        step=plan.grid_step * plan.scale,
    )


def name_ground(floor: Floor, *, is_bed: bool) -> str:
    """The macro for what a floor is made of."""
    if is_bed:
        return "Sand"
    return "Agar" if floor.is_agar else "Ground"


def write_jelly(creature: CreatureSurface, scale: float) -> str:
    """What the soft parts of a creature are made of."""
    assert creature.soft is not None
    if creature.organs:
        return f"Glass({vector(creature.soft_colour)}, {creature.soft_opacity:.4g})"
    thickness = creature.soft.thickness * scale
    return f"Jelly({vector(creature.soft_colour)}, {creature.soft_opacity:.4g}, {thickness:.6g})"
