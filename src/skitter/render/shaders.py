"""How each kind of surface is lit, as GLSL for its fragments.

Written out, rather than taken from the renderer's physically based shading, because jelly needs
light that passes through it, because the floor has to melt into the backdrop, and because software
rendering has no time to waste.

Names that are set from outside (the renderer declares them):
  eye, keyToward, fillToward, rimToward   where the camera and the lights are
  grainStep                               size of the coarsest grains of solid terrain, cm
  focus, radius                           middle of what is shown, on the floor, and its size, cm
  floorNormal, lean                       of the main floor; cosine between it and the key light
  @Origin, @U, @V, @Texel, @Texels, @Top, @Spread, @Heights, @Floor   a light map called @
"""

from skitter.render.shadow_glsl import shadow_functions
from skitter.render.studio_glsl import STUDIO


def vertex_parts(functions: str) -> dict[str, str]:
    """What the vertex shader has to pass on to fragments that use these functions."""
    declare, assign = "", ""
    if "in vec3 worldNormal" in functions:
        declare, assign = "out vec3 worldNormal;", "worldNormal = normalMC;"
    for kind, name in (("vec3", "Deep"), ("vec3", "Key"), ("float", "Share"), ("float", "Rise")):
        if f"in {kind} glow{name}" in functions:
            declare += f" in {kind} jelly{name}; out {kind} glow{name};"
            assign += f" glow{name} = jelly{name};"
    if "in vec3 grainPlace" in functions:
        declare += " in vec3 solidGrain; out vec3 grainPlace;"
        assign += " grainPlace = solidGrain;"
    return {
        "//VTK::PositionVC::Dec": "out vec3 worldPosition;",
        "//VTK::PositionVC::Impl": "worldPosition = vertexMC.xyz;",
        "//VTK::Normal::Dec": declare,
        "//VTK::Normal::Impl": assign,
    }


def solid_functions(maps: list[str]) -> str:
    """For stiff surfaces that are lit past these light maps."""
    return STUDIO + shadow_functions(maps) + "in vec3 worldNormal;"


def ground_functions(maps: list[str]) -> str:
    """For solid terrain that is lit past these light maps."""
    return solid_functions(maps) + _SAND + _SOIL


def plane_functions(maps: list[str]) -> str:
    """For floors that are lit past these light maps."""
    return STUDIO + shadow_functions(maps) + _GRID + _SAND


BACKDROP_FUNCTIONS = STUDIO

BACKDROP = """
gl_FragData[0] = vec4(finish(backdrop(normalize(worldPosition - eye))), 1.0);
"""

_GRID = """
// Lines of a grid with cells of one unit; they vanish where they would be finer than a pixel.
float gridLine(vec2 place, vec2 pixel, float width) {
  vec2 off = abs(fract(place - 0.5) - 0.5);
  vec2 line = clamp((width + 1.5 * pixel - off) / (1.5 * pixel), 0.0, 1.0);
  line *= clamp(0.35 / pixel - 0.4, 0.0, 1.0);
  return max(line.x, line.y);
}
"""

_SAND = """
// A number from 0 to 1 for each whole place; no sines, which cost a tenth of a film of hills.
float speck(vec2 place) {
  vec2 part = fract(place * vec2(0.1731, 0.2317)) + vec2(1.37, 2.71);
  return fract(part.x * part.y * 613.73);
}

// Smooth noise with cells of one unit, from 0 to 1.
float grain(vec2 place) {
  vec2 cell = floor(place), in_ = fract(place);
  in_ = in_ * in_ * (3.0 - 2.0 * in_);
  vec2 low = mix(vec2(speck(cell), speck(cell + vec2(0.0, 1.0))),
                 vec2(speck(cell + vec2(1.0, 0.0)), speck(cell + 1.0)), in_.x);
  return mix(low.x, low.y, in_.y);
}
"""

_SOIL = """
in vec3 grainPlace;

// The same between layers that lie above each other.
float grainAt(vec3 place) {
  float layer = floor(place.y), in_ = fract(place.y);
  vec2 low = place.xz + 17.0 * layer;
  return mix(grain(low), grain(low + 17.0), in_ * in_ * (3.0 - 2.0 * in_));
}
"""

_PLANE = """
vec3 reach = worldPosition - focus;
float far2 = dot(reach, reach) / (radius * radius);
vec4 left = LEFT;
vec2 cell = vec2(dot(worldPosition, planeU), dot(worldPosition, planeV)) / gridStep;
vec2 pixel = max(fwidth(cell), 1e-5);
float fade = 0.10 * clamp(1.2 - far2 / 30.0, 0.0, 1.0);
float lines = gridLine(cell, pixel, 0.006) + gridLine(cell / 5.0, pixel / 5.0, 0.0025);
float pool = 0.80 + 0.32 / (1.0 + 0.16 * far2);
vec3 key = KEY * (0.84 * max(dot(planeNormal, keyToward), 0.0)) * left.rgb;
vec3 lit = planeColour * (MARKS) * pool * (key + SKY * (0.85 - 0.64 * left.a));
float melt = smoothstep(2.0, 11.0, sqrt(far2));
gl_FragData[0] = vec4(finish(mix(lit, backdrop(normalize(worldPosition - eye)), melt)), 1.0);
"""
_MARKED = _PLANE.replace("MARKS", "1.0 - fade * lines")
FLOOR = _MARKED.replace("LEFT", "floorLeft(worldPosition)")
WALL = _MARKED.replace("LEFT", "vec4(vec3(keyShare(worldPosition, planeNormal, true)), 0.0)")
# Under water there are no lines but grains of sand, which vanish in the distance.
SAND = _PLANE.replace("LEFT", "floorLeft(worldPosition)").replace(
    "MARKS",
    "0.90 + 0.12 * grain(2.0 * cell) + clamp(1.0 - 12.0 * max(pixel.x, pixel.y), 0.0, 1.0)"
    " * (0.16 * grain(24.0 * cell) - 0.08)",
)
# Wet and clear: light gets into it beside a shadow and fills that, and the lamps shine in it.
_AGAR_LIT = """
vec3 v = normalize(eye - worldPosition);
vec3 clear = mix(left.rgb, vec3(1.0, 0.93, 0.80), 0.35);
vec3 key = KEY * (0.84 * max(dot(planeNormal, keyToward), 0.0)) * clear;
vec3 lit = planeColour * (MARKS) * pool * (key + SKY * (0.85 - 0.45 * left.a));
float slant = 1.0 - max(dot(planeNormal, v), 0.0);
vec3 seen = reflect(-v, planeNormal);
lit += (0.025 + 0.6 * fifth(slant)) * mirror(seen, 0.6) * (1.0 - 0.5 * left.a);
lit += 0.05 * KEY * power32(max(dot(seen, keyToward), 0.0)) * left.rgb;
"""
_PLAIN_LIT = _PLANE[_PLANE.index("vec3 key =") : _PLANE.index("float melt")]
AGAR = (
    _PLANE.replace(_PLAIN_LIT, _AGAR_LIT.lstrip())
    .replace("LEFT", "floorLeft(worldPosition)")
    .replace("MARKS", "0.955 + 0.05 * grain(0.45 * cell) + 0.025 * grain(1.7 * cell)")
)

TRAIL = "gl_FragData[0] = vec4(finish(vertexColorVSOutput.rgb), vertexColorVSOutput.a);"

_SOLID = """
vec3 n = normalize(worldNormal);
vec3 v = normalize(eye - worldPosition);
vec3 base = vertexColorVSOutput.rgb * vertexColorVSOutput.rgb;
float lambert = dot(n, keyToward);
LEFT
vec3 light = KEY * max(lambert, 0.0) * left + RIM * max(dot(n, rimToward), 0.0);
float fresnel = 0.055 + 0.5 * fifth(1.0 - max(dot(n, v), 0.0));
vec3 shine = mirror(reflect(-v, n), 0.35) * fresnel * open;
float gloss = power32(max(dot(n, normalize(v + keyToward)), 0.0)) * GLOSS;
vec3 colour = base * (light + surround(n) * open) + shine + left * KEY * gloss;
gl_FragData[0] = vec4(finish(colour), 1.0);
"""
_TAPPED = """
vec3 left = vec3(keyShare(worldPosition, n, lambert > 0.0));
float open = skyShare(worldPosition, n);
"""
SOLID = _SOLID.replace("GLOSS", "0.27").replace("LEFT", _TAPPED)
GLOSSY = _SOLID.replace("GLOSS", "0.9").replace("LEFT", _TAPPED).replace("0.35)", "0.1)")
# A hard polished skin: between the two, as a wet one would hide its colour in highlights.
POLISHED = _SOLID.replace("GLOSS", "0.42").replace("LEFT", _TAPPED).replace("0.35)", "0.16)")
# Ground and what lies on it is dull and has a grain; the finer grains vanish in the distance.
_DULL = _SOLID.replace("GLOSS", "0.05").replace("0.055 + 0.5 *", "0.03 + 0.2 *")
DULL = _DULL.replace("LEFT", _TAPPED)  # fur, wood
_GRAINED = _DULL.replace(
    "float lambert",
    """
vec3 cell = grainPlace / grainStep;
float pixel = max(length(dFdx(cell)), length(dFdy(cell)));
base *= 0.91 + 0.18 * grainAt(cell)
  + clamp(1.2 - 5.0 * pixel, 0.0, 1.0) * (0.22 * grainAt(5.0 * cell) - 0.11)
  + clamp(1.2 - 24.0 * pixel, 0.0, 1.0) * (0.22 * grainAt(24.0 * cell) - 0.11);
float lambert""",
)
STONE = _GRAINED.replace("LEFT", _TAPPED)
# On land a creature's shadow is soft, as on the floor; only the land's own is asked for by taps.
LAND = _GRAINED.replace(
    "LEFT",
    """
vec3 left = leftAtnear(placeSlidnear(worldPosition)).rgb;
left *= keyShareland(worldPosition, n, lambert > 0.0);
float taken = leftAtnear(placePlumbnear(worldPosition)).a * max(dot(n, floorNormal), 0.0);
float open = skyShare(worldPosition, n) * (1.0 - 0.7 * taken);
""",
)
# The same of agar, smooth and shiny.
WET_LAND = LAND.replace("0.03 + 0.2 *", "0.04 + 0.5 *").replace("* 0.05;", "* 0.3;")
for _grains in ("5.0", "24.0"):
    WET_LAND = WET_LAND.replace(f"(0.22 * grainAt({_grains} * cell) - 0.11)", "0.0")

JELLY_FUNCTIONS = (
    STUDIO
    + """
in vec3 worldNormal;
in vec3 glowDeep;    // the jelly's colour, deeper where light has come a long way
in vec3 glowKey;     // the same times the key light that arrives
in float glowShare;  // share of the key light that is left past opaque bodies
"""
)

# In water, the half below is drawn before the water and the half above after it.
RISE = "in float glowRise;  // cm above the water"
DIVED, RISEN = "if (glowRise > 0.0) discard;", "if (glowRise <= 0.0) discard;"

JELLY = """
vec3 n = normalize(worldNormal);
vec3 v = normalize(eye - worldPosition);
bool inner = !gl_FrontFacing;
if (inner) n = -n;
vec3 base = vertexColorVSOutput.rgb * vertexColorVSOutput.rgb;
float wall = vertexColorVSOutput.a;
float rim = 1.0 - max(dot(n, v), 0.0);
float edge = rim * rim * sqrt(rim);
vec3 deep = mix(vec3(1.0), base, 0.35 * edge);
vec3 key = KEY * (0.67 + 0.27 * dot(n, keyToward));
vec3 glow = deep * (glowKey * key + glowDeep * surround(n) * 0.75);
float glint = power32(max(dot(n, normalize(v + (inner ? rimToward : keyToward))), 0.0));
glint = inner ? 0.5 * glint : 2.0 * fifth(glint) * glowShare;
vec3 shine = mirror(reflect(-v, n), 0.05) * (0.04 + 0.75 * fifth(rim)) + KEY * glint;
float alpha = mix(wall, 1.0, 0.75 * edge);
float cover = alpha + (1.0 - alpha) * clamp(max(shine.r, max(shine.g, shine.b)), 0.0, 1.0);
vec3 colour = inner ? glow * 1.15 + base * KEY * glint : (glow * alpha + shine) / cover;
gl_FragData[0] = vec4(finish(colour), inner ? wall : cover);
"""
