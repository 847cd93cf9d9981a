// What a sample of draw_seen shows: nothing, a grain, a contact, the slice, or a triangle of a body or of cloth, both called bodies here. Needs
// `draw_triangles` in scope beside what draw_corner.glsl needs.
#include "shared/draw_corner.glsl"
#include "shared/draw_slice.glsl"

bool is_body(uint seen) { return (seen & draw_slice_bits) == draw_body_bit; }
bool is_contact(uint seen) { return (seen & draw_slice_bits) == draw_line_bit; }
bool is_slice(uint seen) { return seen == draw_slice_bits; }
bool is_grain(uint seen) { return seen != 0u && (seen & draw_slice_bits) == 0u; }
uint contact_of(uint seen) { return seen & ~draw_line_bit; }
uint triangle_of(uint seen) { return seen & ~draw_body_bit; }
uint body_of(uint seen) { return draw_triangles[triangle_of(seen)].body; }

// 24 bits that are the same for all of a grain, a contact or a body, and of fine grains that are too small to tell apart.
uint thing_of(uint seen) {
  if (is_body(seen))
    return 0x800000u | body_of(seen);
  if (is_contact(seen))
    return 0xC00000u | (contact_of(seen) & 0x3FFFFFu);
  if (is_slice(seen))
    return 0xFFFFFFu;
  return draw_frame.alike != 0u && seen > draw_frame.coarse ? 0x7FFFFFu : seen & 0x7FFFFFu;
}

// Grains whose radius is less than so many samples are lit as parts of the surface that they make together. Below half of it they
// no longer have a side of their own.
const float smooth_from = 3.0;

// A unit vector as two numbers, -1 .. 1: on an octahedron that is folded into a square (Cigolla et al. 2014).
vec2 packed_normal(vec3 n) {
  vec2 p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
  return n.z >= 0.0 ? p : (1.0 - abs(p.yx)) * mix(vec2(-1.0), vec2(1.0), greaterThanEqual(p, vec2(0.0)));
}
vec3 unpacked_normal(vec2 p) {
  vec3 n = vec3(p, 1.0 - abs(p.x) - abs(p.y));
  if (n.z < 0.0)
    n.xy = (1.0 - abs(n.yx)) * mix(vec2(-1.0), vec2(1.0), greaterThanEqual(p, vec2(0.0)));
  return normalize(n);
}

// Where a ray from the eye meets the plane of a triangle that it is known to hit.
struct BodyHit {
  float z;      // along the view
  vec3 normal;  // towards the eye's side
};

BodyHit hit_body(uint seen, vec3 ray) {
  DrawTriangle triangle = draw_triangles[triangle_of(seen)];
  uint body = triangle.body;
  vec4 rotation = rotation_of(body);
  DrawVertex va = draw_vertices[triangle.corners.x], vb = draw_vertices[triangle.corners.y],
             vc = draw_vertices[triangle.corners.z];
  vec3 a = corner_of(triangle, 0u) - draw_frame.eye;
  vec3 ab = turned(rotation, vb.position - va.position), ac = turned(rotation, vc.position - va.position);
  if (is_cloth(body)) {
    ab = shortest_way(draw_frame, ab);
    ac = shortest_way(draw_frame, ac);
  }
  vec3 across = cross(ab, ac);
  float facing = dot(across, ray);
  vec3 depths = vec3(0.0, dot(ab, draw_frame.forward), dot(ac, draw_frame.forward)) + dot(a, draw_frame.forward);
  float near = min(depths.x, min(depths.y, depths.z)), far = max(depths.x, max(depths.y, depths.z));
  // Seen edge-on the plane says little: no further than the corners.
  BodyHit hit;
  hit.z = facing != 0.0 ? clamp(dot(across, a) / facing, near, far) : near;
  vec3 p = ray * hit.z - a;
  float area2 = max(dot(across, across), 1e-37);
  float b = clamp(dot(cross(p, ac), across) / area2, 0.0, 1.0), c = clamp(dot(cross(ab, p), across) / area2, 0.0, 1.0);
  hit.normal = turned(rotation, normalize(va.normal + b * (vb.normal - va.normal) + c * (vc.normal - va.normal)));
  if (facing <= 0.0)
    return hit;
  // The other face of cloth, or from within: where the body is cut, what shows is the cut.
  hit.normal = -hit.normal;
  if ((draw_bodies[body].style & draw_cut) == 0u)
    return hit;
  float cut_z = dot(bodies[body].motion.position - draw_frame.eye, draw_frame.cut) / dot(ray, draw_frame.cut);
  if (cut_z > 0.0 && cut_z < hit.z) {
    hit.z = cut_z;
    hit.normal = draw_frame.cut;
  }
  return hit;
}
