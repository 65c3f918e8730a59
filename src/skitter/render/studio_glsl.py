"""The light of the studio, as GLSL: lamps, reflections, and the way to a screen's colours.

One key light from behind, which makes jelly glow; a sky that is brighter than the floor; a fill
from the camera's side; a rim light; and softboxes that show only in reflections.
All colours are linear light until `finish`.
"""

STUDIO = """
in vec3 worldPosition;

const vec3 KEY = vec3(1.0, 0.955, 0.89) * 1.15;
const vec3 FILL = vec3(1.0, 0.97, 0.94) * 0.95;
const vec3 RIM = vec3(0.80, 0.90, 1.0) * 0.45;
const vec3 SKY = vec3(0.62, 0.68, 0.77) * 0.72;
const vec3 BOUNCE = vec3(0.66, 0.61, 0.55) * 0.88;

// After Khronos PBR neutral: colours stay what they are, only highlights are compressed.
vec3 toneMap(vec3 c) {
  float low = min(c.r, min(c.g, c.b));
  c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
  float peak = max(c.r, max(c.g, c.b));
  return peak < 0.76 ? c : c * (1.0 - 0.0576 / (peak - 0.52)) / peak;
}

// sRGB from three square roots: far cheaper than pow, and within one grey level of it.
vec3 finish(vec3 c) {
  vec3 a = sqrt(max(toneMap(c), 0.0));
  vec3 b = sqrt(a);
  return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b);
}

float fifth(float x) { return x * x * x * x * x; }

float power32(float x) { x *= x; x *= x; x *= x; x *= x; return x * x; }

vec3 backdrop(vec3 direction) {
  float rise = smoothstep(-0.03, 0.47, direction.y);
  return mix(vec3(0.74, 0.725, 0.70), vec3(0.36, 0.42, 0.50), rise);
}

// Light from all around.
vec3 surround(vec3 n) {
  float fill = max(0.25 + 0.75 * dot(n, fillToward), 0.0);
  return mix(BOUNCE, SKY, 0.5 + 0.5 * n.y) + FILL * fill * fill;
}

// What a shiny surface mirrors: floor and sky, softboxes at the key and rim lights.
vec3 mirror(vec3 direction, float blur) {
  vec3 c = mix(BOUNCE, SKY * 1.1, smoothstep(-0.25 - blur, 0.25 + blur, direction.y));
  float key = smoothstep(0.90 - 0.5 * blur, 0.97 + 0.2 * blur, dot(direction, keyToward));
  float rim = smoothstep(0.86 - 0.5 * blur, 0.97 + 0.2 * blur, dot(direction, rimToward));
  return c + (KEY * 3.0 * key + RIM * 3.6 * rim) * (1.0 - 0.6 * blur);
}
"""
