"""Questions to the light maps, as GLSL; see lights.py for the maps.

Whole texels are fetched where heights are compared, since filtered reads cost six times as much in
software; their steps fall in different places and look smooth. The first four reads find out how
far away the occluders are, the others how much they hide. Reads stand inside loops that may run
zero times, because that is the only branch that llvmpipe really skips.
"""

from skitter.render.lights import DISK

_FETCH = (
    "texelFetch(@Heights, ivec2(clamp(spot + {place}, 0.0, @Texels - 1.0)), 0).r * @Top"
    " - low - slack"
)
_FAR = "\n    ".join(
    f"above = {_FETCH.format(place=f'vec2({x}, {y})')};"
    " gap += max(above, 0.0); hits += step(blunt, above);"
    for x, y in ((4, 1), (-1, 4), (-4, -1), (1, -4))
)
_NEAR = "\n    ".join(
    f"hidden += clamp({_FETCH.format(place=f'wide * vec2({x:.3f}, {y:.3f})')}, 0.0, blunt);"
    for x, y in DISK
)
_MAP = f"""
// Where a point lies in map @, from 0 to 1: seen along the key light, or from straight above.
vec2 placeSlid@(vec3 p) {{
  vec3 relative = p - @Origin;
  vec3 foot = relative - keyToward * (dot(relative, floorNormal) / lean);
  return vec2(dot(foot, @U), dot(foot, @V));
}}

vec2 placePlumb@(vec3 p) {{ return vec2(dot(p - @Origin, @U), dot(p - @Origin, @V)); }}

// Share of the key light that the opaque bodies of map @ leave to a point.
float keyShare@(vec3 p, vec3 n, bool facing) {{
  float hidden = 0.0, gap = 0.0, hits = 0.001, above, blunt = 1.5 * @Texel;
  float cosine = max(dot(n, keyToward), 0.25);  // a slanting surface must not shade itself
  float slope = @Texel * sqrt(1.0 - cosine * cosine) / cosine, slack = @Top / 255.0 + 4.0 * slope;
  for (int turn = facing ? 0 : 1; turn < 1; ++turn) {{
    vec3 lifted = p + 1.5 * @Texel * n;
    float low = dot(lifted - @Origin, floorNormal);
    vec2 spot = placeSlid@(lifted) * @Texels;
    {_FAR}
    float wide = clamp(@Spread * gap / hits, 1.5, 8.0);
    slack = @Top / 255.0 + wide * slope;
    {_NEAR}
  }}
  return 1.0 - hidden / ({len(DISK)}.0 * blunt);
}}

// What map @ leaves on floor and land: key light in rgb, share of the sky taken in a.
vec4 leftAt@(vec2 place) {{
  bool inside = all(lessThan(abs(place - 0.5), vec2(0.5)));
  vec4 left = vec4(1.0, 1.0, 1.0, 0.0);
  for (int turn = inside ? 0 : 1; turn < 1; ++turn) left = textureLod(@Floor, place, 0.0);
  return left;
}}
"""

_BOTH = """
float keyShare(vec3 p, vec3 n, bool facing) { return SHARE; }

// Share of the surroundings that a point sees: less of them low down, on sides that face the floor.
float skyShare(vec3 p, vec3 n) {
  float height = max(dot(p - focus, floorNormal), 0.0);
  float low = max(1.0 - height / (0.25 * radius), 0.0);
  return 1.0 - low * low * low * mix(0.35, 0.85, 0.5 - 0.5 * dot(n, floorNormal));
}

// On a floor, whose points lie at the same place of a map seen from anywhere.
vec4 floorLeft(vec3 p) {
  vec4 left = vec4(1.0, 1.0, 1.0, 0.0), one;
  FLOOR
  return left;
}
"""


def shadow_functions(maps: list[str]) -> str:
    """The functions that ask light maps, for maps of these names."""
    share = " * ".join(f"keyShare{name}(p, n, facing)" for name in maps)
    floor = "".join(
        f"one = leftAt{name}(placePlumb{name}(p));"
        " left.rgb *= one.rgb; left.a = max(left.a, one.a);"
        for name in maps
    )
    each = "".join(_MAP.replace("@", name) for name in maps)
    return each + _BOTH.replace("SHARE", share).replace("FLOOR", floor)
