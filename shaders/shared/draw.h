// What the drawing shaders and the renderer share, in scalar block layout. Light as in the scene: linear RGB.
#ifndef TALUS_DRAW_H
#define TALUS_DRAW_H

#ifdef __cplusplus
#include "shaders/shared/color_scale.h"
#include "shaders/shared/types.h"
#include <glm/glm.hpp>
namespace talus::shared {
using glm::uvec2;
using glm::vec2;
#define TALUS_CONST constexpr
#else
#include "shared/color_scale.h"
#define TALUS_CONST const
#endif

TALUS_CONST uint draw_shadow_most = 2048u;  // edge of the shadow map, texels
TALUS_CONST uint draw_dashed = 1u;          // DrawLine.style

TALUS_CONST uint draw_world_shift = 8u;  // of a grain's world, in tags that the renderer makes itself

// What a sample shows: nothing, a grain's number + 1, or with one of these bits another thing's.
TALUS_CONST uint draw_body_bit = 0x80000000u;  // a triangle, of a body or of cloth
TALUS_CONST uint draw_line_bit = 0x40000000u;  // a contact
TALUS_CONST uint draw_slice_bits = 0xC0000000u;     // the slice, which is one

// How bodies are drawn; values as in viewer/renderer_look.h.
TALUS_CONST uint draw_solid_bodies = 0u;
TALUS_CONST uint draw_wire_bodies = 1u;
TALUS_CONST uint draw_no_bodies = 2u;

// How contacts are drawn; values as in viewer/renderer_look.h.
TALUS_CONST uint draw_no_lines = 0u;
TALUS_CONST uint draw_plain_lines = 1u;
TALUS_CONST uint draw_lines_by_force = 2u;

// DrawBody.style
TALUS_CONST uint draw_cut = 1u;        // without its half towards the eye
TALUS_CONST uint draw_in_domain = 2u;  // endless: what is in the domain is drawn, and does not shape the shadow map
TALUS_CONST uint draw_cloth = 4u;      // cloth: its vertices are in the world
TALUS_CONST uint draw_matched = 8u;    // posed by shape_motions: a surface in place of the particles that keep its shape

// Which grains are drawn, likewise.
TALUS_CONST uint draw_fine = 0u;    // fine ones instead of the coarse ones that they stand for
TALUS_CONST uint draw_coarse = 1u;
TALUS_CONST uint draw_both = 2u;

// Everything about the picture but the grains and bodies.
struct DrawFrame {
  vec3 eye;       // m
  vec3 forward;   // unit
  vec3 right;     // half the picture's width at distance 1
  vec3 up;        // half its height
  float nearest;  // m, what is nearer is not drawn
  float shadow_texels;  // along an edge of the shadow map
  vec3 light;     // unit, towards the light; with the next two an orthonormal frame
  vec3 light_x;
  vec3 light_y;
  vec3 measured_min;  // m, box outside of which a grain does not shape the shadow map and the colour scale
  vec3 measured_max;
  float floor;      // m, z of the ground
  uint ground;      // 1: there is one
  float grid;       // m, between lines on the ground; every fifth is a strong one
  float reach;      // m, how far from `middle` the ground is lost in the haze
  vec3 middle;      // m, of the content
  float radius;     // m, of the largest grains: how far crevices are looked for
  uint color_by;    // draw_by_*
  vec2 color_range; // ends of the colour scale; x >= y: by itself, from what is measured
  uint tinted;      // 1: grain_id is there
  vec3 cut;         // unit, level towards the eye; up where it looks straight down
  vec3 domain_min;  // m
  vec3 domain_max;
  vec3 period;       // m, along periodic axes; 0: the others
  uint cloth_first;  // number of the first grain that is a vertex of cloth; it is draw_vertices[0]
  uint cloth;        // how many are, one after the other
  uint level;        // draw_fine, draw_coarse, draw_both
  uint coarse;       // grains; those from there on are fine ones
  float sample_edge;   // m at distance 1 m, of what a sample of draw_seen shows
  float fine_radius;   // m, of the largest fine grains, as `radius`; 0: none are drawn
  uint round_fine;     // 1: fine grains are balls as coarse ones are
  uint alike;          // 1: fine grains are a few pixels wide at most
  uint first_matched;  // draw_bodies: of the first of draw_matched
  uvec2 matched;       // numbers [first, end) of the particles for which these stand; none: they are not drawn
  float grain_size;    // of coarse grains, of their radius
  uint lines;          // draw_no_lines, ..
  float line_radius;   // m, of a contact of the greatest force
  float line_force;    // N, that this stands for; 0: the greatest there is
  uint bodies;         // draw_solid_bodies, ..; not cloth, nor what stands for particles
  uint slice_body;     // through which the slice goes
  uint slice_nodes;    // of draw_distances along each edge; 0: there is no slice
  float slice_step;    // m, between its lines of equal distance
  vec3 slice_middle;   // m, in the body's frame
  vec3 slice_x;        // half its edges
  vec3 slice_y;
  uint culling;        // 0: all grains are drawn as squares, wherever they are
  uint drawn;          // grains, coarse and fine
  vec2 samples;        // of draw_seen, across and down
  uvec2 without_fine;  // numbers [first, end) of coarse grains without fine ones; nor have fixed ones
  uint spins;          // 1: grain_spin is there
  uint sleeps;         // 1: slice_activity is there
  uint fine_rest;      // 1: fine grains are those of the ground's columns, which are at rest
  uint marked;         // 1: drawn_grains has the orientations of coarse grains
  vec2 shift;          // of the picture, in halves of its edges: within a pixel, and of a lens that looks to one side
  float moment;        // s, from the time of the state to that of the picture: at most 0
  float heap;          // m, how far hollows between heaps are looked for
};

// Work that goes into a picture; values as in engine/scene/scene.h.
TALUS_CONST uint draw_draft = 0u;
TALUS_CONST uint draw_good = 1u;
TALUS_CONST uint draw_film = 2u;

// The light of a picture, linear RGB. Exposed so that a level white surface in the open is 1: `lamp` and `ambient` are
// irradiance over pi, others radiance.
struct DrawLight {
  vec3 lamp;         // of a surface that faces DrawFrame::light
  float disc;        // tangent of half the angle that the lamp is wide, by which shadows blur
  vec3 sun;          // unit, towards it
  float sky;         // sky_factor(sun)
  vec3 exposure;     // of sky_radiance()
  vec3 ground;       // what the ground sends back
  vec3 ambient[9];   // of all but the lamp, by the normal: spherical harmonics of order 2
  float gloss;       // 1: the lamp makes highlights; 0: it is part of the sky, which is mirrored as a whole
  float share;       // of this picture in the mean of those drawn so far
  uint even;         // 1: radiance 1 from everywhere
  uint quality;      // draw_draft, ..
};

// A material of grains. The materials lie behind DrawLight.
struct DrawMaterial {
  vec3 color;
  float wetness;
  uint finish;  // finish.h
  uint cut;     // 1: its grains are cut by planes, as crushed stone is
};

// What draw_measure.comp and draw_turn.comp find out about a grain, by its place.
struct DrawnGrain {
  float value;       // on the colour scale, where there is one
  vec4 orientation;  // quaternion xyzw, where grains are marked
};

// What grains and bodies extend over, as integers in the order of the floats (ordered()), for atomics.
struct DrawExtent {
  uvec3 light_min;  // along light_x, light_y and light
  uint low;         // on the colour scale, of grains
  uvec3 light_max;
  uint high;
  uint force;       // N, greatest of a contact
};

// VkDrawIndirectCommand.
struct DrawCommand {
  uint vertices;
  uint instances;
  uint first_vertex;
  uint first_instance;
};

// Of all cloths, in the world; then of bodies, in their frames.
struct DrawVertex {
  vec3 position;  // m
  vec3 normal;    // of length 1
};
struct DrawTriangle {
  uvec3 corners;  // draw_vertices, counterclockwise seen from outside
  uint body;      // draw_bodies
};
// The bodies, then the cloths, then the shapes.
struct DrawBody {
  vec3 color;
  uint finish;    // finish.h
  uint style;     // draw_cut, draw_in_domain, draw_cloth
  vec3 low;       // m, box around its vertices; low > high: nothing is drawn
  vec3 high;
};

struct DrawLine {
  vec3 from;   // m
  vec3 to;     // m
  vec4 color;  // a: opacity
  uint style;
  float dash;  // m, a dash and its gap
};

// Of a panel. In the layout of ImDrawVert.
struct GuiVertex {
  vec2 position;  // points
  vec2 place;     // in the texture, 0 .. 1
  uint color;     // sRGB with opacity, red in the lowest byte
};
struct GuiDraw {
  vec2 scale;         // from points ..
  vec2 shift;         // .. to clip space
  vec4 clip;          // pixels: left, top, right, bottom
  uint first_vertex;  // to which the indices are relative
};

#ifdef __cplusplus
}  // namespace talus::shared
#else

// Unsigned integers in the order of the floats.
uint ordered(float x) {
  uint bits = floatBitsToUint(x);
  return (bits >> 31) != 0u ? ~bits : bits | 0x80000000u;
}
float unordered(uint x) {
  return uintBitsToFloat((x >> 31) != 0u ? x & 0x7FFFFFFFu : ~x);
}

float greatest_force(DrawFrame frame, DrawExtent extent) {
  if (frame.line_force > 0.0)
    return frame.line_force;
  return extent.force != 0u ? unordered(extent.force) : 0.0;
}

vec3 along_light(DrawFrame frame, vec3 v) {
  return vec3(dot(v, frame.light_x), dot(v, frame.light_y), dot(v, frame.light));
}

// The box along the light that the shadow map holds: a square of texels around what was measured.
struct ShadowBox {
  vec3 origin;  // of its lowest corner, along the light
  vec3 size;    // m; zero: nothing there, no shadow
};

// texels: along an edge of the shadow map.
ShadowBox shadow_box(DrawExtent extent, float texels) {
  if (extent.light_min.x > extent.light_max.x)
    return ShadowBox(vec3(0.0), vec3(0.0));
  vec3 low = vec3(unordered(extent.light_min.x), unordered(extent.light_min.y), unordered(extent.light_min.z));
  vec3 high = vec3(unordered(extent.light_max.x), unordered(extent.light_max.y), unordered(extent.light_max.z));
  // In steps of size and whole texels of place, so that shadows do not shimmer while the grains move.
  float edge = exp2(ceil(log2(1.02 * max(high.x - low.x, high.y - low.y)) * 4.0) / 4.0);
  float texel = edge / texels;
  vec2 corner = round((0.5 * (low.xy + high.xy) - 0.5 * edge) / texel) * texel;
  return ShadowBox(vec3(corner, low.z), vec3(edge, edge, max(high.z - low.z, texel)));
}

// To clip space; depth nearest / z: 1 at the nearest, 0 at infinity, precise everywhere.
vec4 to_screen(DrawFrame frame, vec3 from_eye) {
  vec3 right = frame.right / dot(frame.right, frame.right);
  vec3 up = frame.up / dot(frame.up, frame.up);
  float z = dot(from_eye, frame.forward);
  return vec4(dot(from_eye, right) - frame.shift.x * z, frame.shift.y * z - dot(from_eye, up), frame.nearest, z);
}

// Through a place of the picture, 0 .. 1 from its top left; 1 long along the view.
vec3 view_ray(DrawFrame frame, vec2 place) {
  return frame.forward + (2.0 * place.x - 1.0 + frame.shift.x) * frame.right - (2.0 * place.y - 1.0 - frame.shift.y) * frame.up;
}

// Vertices of cloth are no balls to look at.
bool is_cloth_vertex(DrawFrame frame, uint id) {
  return id - frame.cloth_first < frame.cloth;
}

// The way d, or the shortest of its images across periodic axes.
vec3 shortest_way(DrawFrame frame, vec3 d) {
  return d - frame.period * floor(d / max(frame.period, vec3(1e-30)) + 0.5);
}

// A vector turned by a quaternion xyzw.
vec3 turned(vec4 rotation, vec3 v) {
  vec3 t = 2.0 * cross(rotation.xyz, v);
  return v + rotation.w * t + cross(rotation.xyz, t);
}
vec4 reversed(vec4 rotation) { return vec4(-rotation.xyz, rotation.w); }

// Of a triangle strip of four vertices.
vec2 square_corner(int vertex) {
  return vec2(vertex & 1, vertex >> 1) * 2.0 - 1.0;
}

// A number at random from another.
uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

#endif
#undef TALUS_CONST
#endif
