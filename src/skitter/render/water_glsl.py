"""How water is lit, as GLSL for its fragments.

What lies below is read from a copy of the picture so far, with its depth, and bent a little by the
waves. It is lit by the light that the waves gather on it, tinted by its way through the water, and
mixed with what the surface mirrors, the more so the flatter one looks at it (Schlick 1994, with a
lower power, so that ripples are seen from above too).

The mirrored sky is a studio's: bright low down, dark above, and the change between the two lies
where a level surface in the middle of the picture would mirror it. So a slope of a degree shows,
all the more as faint ripples are mirrored as if they were steeper. Heights stay as they are.

Names that are set from outside, besides those of shaders.py:
  sceneColour, sceneDepth          the picture so far
  screen, clip, lens               its size, pixels; near and far, cm; tangents of the view's halves
  lookRight, lookUp, lookBack      axes of the camera
  sunBent                          the key light below the surface, unit, upwards
  glowOrigin, glowSize, glowDepth  caustics: corner, edges along x and z, and depth they are for, cm
  glows                            light gathered at a place, 1 / GLOW_TOP of white is no change
  netOrigin, netSize, nets         the same for the light that a breeze gathers
  level                            of still water, cm
  tint                             light lost per cm of water, of red, green and blue
"""

from skitter.render.shadow_glsl import shadow_functions
from skitter.render.studio_glsl import STUDIO

GLOW_TOP = 4.0  # the most light that a map of caustics can hold, in that of a level surface
RIPPLE_GAIN = 25.0  # slopes of the faintest ripples are mirrored as if so much steeper, and more
RIPPLE_FADE = 300.0  # one over the slope from which that gain is less than half

_WATER = """
in vec3 worldNormal;
uniform sampler2D sceneColour;
uniform sampler2D sceneDepth;

const vec3 DEEP = vec3(0.008, 0.118, 0.200);  // light that deep water sends back

float aheadAt(vec2 place) {
  float d = textureLod(sceneDepth, place, 0.0).r;
  return clip.x * clip.y / (clip.y - d * (clip.y - clip.x));
}

vec3 pointAt(vec2 place, float ahead) {
  vec2 side = (2.0 * place - 1.0) * lens.xy;
  return eye + ahead * (side.x * lookRight + side.y * lookUp - lookBack);
}

vec2 placeOf(vec3 p) {
  vec3 away = p - eye;
  vec2 side = vec2(dot(away, lookRight), dot(away, lookUp)) / dot(away, lookBack);
  return 0.5 - 0.5 * side / lens.xy;
}

// The picture's colours as light, and back; `finish` without its compression of highlights.
vec3 decode(vec3 c) { return c * (c * (c * 0.305306 + 0.682171) + 0.012523); }

vec3 encode(vec3 c) {
  vec3 a = sqrt(clamp(c, 0.0, 1.0));
  vec3 b = sqrt(a);
  return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b);
}

// What level water in the middle of the picture mirrors is the edge of a wide bright window.
vec3 waterSky(vec3 direction) {
  float middle = lookBack.y;
  float high = smoothstep(middle - 0.30, middle + 0.30, direction.y);
  float side = smoothstep(-0.45, 0.45, dot(direction, lookRight));
  vec3 sky = mix(vec3(0.52, 0.70, 0.86), vec3(0.04, 0.09, 0.16), high);
  sky *= 0.8 + 0.4 * side;
  float key = smoothstep(0.93, 0.998, dot(direction, keyToward));
  float rim = smoothstep(0.80, 0.995, dot(direction, rimToward));
  return sky + KEY * 4.0 * key * key + RIM * 3.0 * rim * rim;
}

// The normal by which light is mirrored: faint ripples count for more than they are.
vec3 steepen(vec3 n) {
  float slope = length(n.xz) / n.y;
  return normalize(vec3(n.x, n.y / (1.0 + RIPPLE_GAIN / (1.0 + RIPPLE_FADE * slope)), n.z));
}

// Light that the waves gather at a point below them, 1 on the whole.
float gathered(vec3 p, float below) {
  vec2 above = p.xz + sunBent.xz / sunBent.y * below;
  vec2 place = (above - glowOrigin.xz) / glowSize.xz;
  vec2 knot = (above - netOrigin.xz) / netSize.xz;
  float most = GLOW_TOP * textureLod(glows, place, 0.0).r;
  most *= GLOW_TOP * textureLod(nets, knot, 0.0).r;
  return mix(1.0, most, clamp(below / glowDepth, 0.0, 1.0));
}
"""

WATER = """
vec3 n = normalize(worldNormal);
vec3 v = normalize(eye - worldPosition);
bool isTop = n.y > 0.2;
vec2 here = gl_FragCoord.xy / screen.xy;
float nearer = -dot(worldPosition - eye, lookBack);
vec3 behind = pointAt(here, aheadAt(here));
float way = length(behind - worldPosition);
// a ray bent down at the surface comes to the bed sooner than the straight one
vec3 bent = refract(-v, n, 0.75);
float drop = max(worldPosition.y - behind.y, 0.0);
way = isTop ? min(way, drop / max(-bent.y, 0.3)) : 0.6 * way;
// the waves shift what is seen; what stands before the water must not be drawn into it
vec3 flatRay = refract(-v, vec3(0.0, 1.0, 0.0), 0.75);
vec3 shift = isTop ? (bent - flatRay) * min(way, 0.6 * radius) : vec3(0.0);
vec2 place = here;
for (int turn = 0; turn < 3; ++turn) {
  vec2 wanted = clamp(placeOf(behind + shift), 0.001, 0.999);
  if (aheadAt(wanted) > nearer - 0.001 * radius) { place = wanted; break; }
  shift *= 0.4;
}
vec3 seen = pointAt(place, aheadAt(place));
float below = max((isTop ? worldPosition.y : level) - seen.y, 0.0);
vec3 ground = decode(textureLod(sceneColour, place, 0.0).rgb);
float lit = leftAtnear(placeSlidnear(seen)).g;
ground *= mix(1.0, gathered(seen, below), 0.5 * lit);
vec3 kept = exp(-tint * way);
vec3 felt = isTop ? steepen(n) : n;
float slope = dot(felt.xz, normalize(keyToward.xz));
// waves are shaded, as if a little cloudy, but not where they are shallow
float form = isTop ? 1.0 + clamp(2.6 * slope, -0.3, 0.3) * sqrt(1.0 - kept.r) : 1.0;
vec3 water = form * (ground * kept + DEEP * (1.0 - kept.r));
float facing = max(dot(n, v), 0.0);
float grazing = (1.0 - facing) * (1.0 - facing);
float fresnel = 0.03 + 0.97 * grazing * grazing;
vec3 bounced = reflect(-v, felt);
bounced.y = abs(bounced.y);
if (!isTop) fresnel = 0.02 + 0.2 * fifth(1.0 - facing);
bounced = normalize(bounced);
vec3 shine = toneMap(waterSky(bounced) * fresnel);
vec3 colour = water * (1.0 - fresnel) + shine;
vec3 reach = worldPosition - focus;
float melt = smoothstep(2.0, 11.0, length(reach) / radius);
vec3 far = decode(finish(backdrop(normalize(worldPosition - eye))));
gl_FragData[0] = vec4(encode(mix(colour, far, melt)), 1.0);
"""


def water_functions(maps: list[str]) -> str:
    """For water over ground that is lit past these light maps."""
    text = _WATER
    for name, value in (
        ("GLOW_TOP", GLOW_TOP),
        ("RIPPLE_GAIN", RIPPLE_GAIN),
        ("RIPPLE_FADE", RIPPLE_FADE),
    ):
        text = text.replace(name, f"{value:.1f}")
    return STUDIO + shadow_functions(maps) + text
