#version 460
#extension GL_GOOGLE_include_directive : require
// Particles of a shape towards their places in it (shape matching: Müller et al. 2005; Sommer and Schwanecke 2022, section 3), in position
// and in velocity, so that the momentum stays; what that does to the angular momentum is turned back. Particles spin as the shape turns: what
// contacts have changed their spins by, the whole shape takes over. A workgroup per shape. Its particles
// weigh the same.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer ShapesBlock { MatchedShape shapes[]; };
layout(set = 0, binding = 5, scalar) readonly buffer ShapedBlock { vec3 rest_position[]; };
layout(set = 0, binding = 6, scalar) readonly buffer PlaceBlock { uint shape_index[]; };
layout(set = 0, binding = 7, scalar) buffer MotionBlock { ShapeMotion shape_motions[]; };
layout(set = 0, binding = 8, scalar) buffer SpinBlock { vec4 grain_spin[]; };
#include "shared/space.glsl"
#include "shared/extract_rotation.glsl"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

const uint sums_most = 15u;
shared float parts[sums_most][group_size];
shared float totals[sums_most];
float sums[sums_most];
shared vec4 rotation;

void clear_sums() {
  for (uint n = 0u; n < sums_most; ++n)
    sums[n] = 0.0;
}
void add(uint n, vec3 v) {
  sums[n] += v.x;
  sums[n + 1u] += v.y;
  sums[n + 2u] += v.z;
}
// Over all threads, in their order: all of them call it.
void add_up() {
  uint lane = gl_LocalInvocationID.x;
  for (uint n = 0u; n < sums_most; ++n)
    parts[n][lane] = sums[n];
  barrier();
  if (lane < sums_most) {
    float sum = 0.0;
    for (uint other = 0u; other < group_size; ++other)
      sum += parts[lane][other];
    totals[lane] = sum;
  }
  barrier();
}
vec3 total(uint n) { return vec3(totals[n], totals[n + 1u], totals[n + 2u]); }

uint world;  // of the shape

// Where particle k is in memory; false where a sink has taken it.
bool find(uint k, out uint i) {
  i = world * settings.worlds.places + shape_index[world * settings.shapes.particles + k];
  return i < args.grains && grain_id[i] == settings.shapes.first + k && grains[i].position.w > 0.0;
}

vec3 within(vec3 p) {
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic) {
      float edge = settings.domain.max[a] - settings.domain.min[a];
      p[a] -= edge * floor((p[a] - settings.domain.min[a]) / edge);
    }
  return p;
}

// Solves a tensor of inertia for the angular momentum, but for what lies along an axis that all particles lie on.
vec3 spin_of(vec3 momentum, vec3 squares, vec3 products) {
  float size = squares.x + squares.y + squares.z;
  vec3 turn;
  mat3 inertia = mat3(1.0 + 1e-5) - mat3(squares.x, products.x, products.y, products.x, squares.y, products.z, products.y, products.z, squares.z) / size;
  return size > 0.0 && solve_positive(inertia, momentum / size, turn) ? turn : vec3(0.0);
}

void main() {
  uint s = group_index(), lane = gl_LocalInvocationID.x;
  if (s >= settings.worlds.count * settings.shapes.count || status.halt != halt_none)
    return;
  world = s / settings.shapes.count;
  MatchedShape shape = shapes[s % settings.shapes.count];
  ShapeMotion motion = shape_motions[s];
  uint i;

  // Where its center is, and how fast.
  clear_sums();
  for (uint k = shape.first + lane; k < shape.end; k += group_size)
    if (find(k, i)) {
      sums[0] += 1.0;
      add(1u, shortest(grains[i].position.xyz - motion.position));
      add(4u, grains[i].velocity.xyz);
    }
  add_up();
  float count = totals[0];
  if (!(count > 0.0))
    return;
  motion.position = within(motion.position + total(1u) / count);
  motion.velocity = total(4u) / count;
  barrier();  // the totals are read

  // How it is turned.
  clear_sums();
  for (uint k = shape.first + lane; k < shape.end; k += group_size)
    if (find(k, i)) {
      vec3 p = shortest(grains[i].position.xyz - motion.position), place = rest_position[k];
      add(0u, p);
      add(3u, place);
      for (uint c = 0u; c < 3u; ++c)
        add(6u + 3u * c, place[c] * p);
    }
  add_up();
  vec3 mean = total(0u) / count, mean_place = total(3u) / count;
  if (lane == 0u)
    rotation = extract_rotation(mat3(total(6u), total(9u), total(12u)) - outerProduct(count * mean, mean_place), motion.rotation);
  barrier();
  vec4 since = then_turned(vec4(-motion.rotation.xyz, motion.rotation.w), rotation);
  vec3 turns = (since.w < 0.0 ? -2.0 : 2.0) / args.h * since.xyz;  // rad/s
  motion.rotation = rotation;
  mat3 turn = matrix_of(rotation);
  vec3 offset = mean - turn * mean_place;

  // What the ways to the goals add up to: rounding; and what they do to the angular momentum.
  clear_sums();
  for (uint k = shape.first + lane; k < shape.end; k += group_size)
    if (find(k, i)) {
      vec3 p = shortest(grains[i].position.xyz - motion.position), way = shape.share * (turn * rest_position[k] + offset - p), there = p + way;
      add(0u, way);
      add(3u, cross(p, way) / args.h + cross(way, grains[i].velocity.xyz - motion.velocity));
      if (rotating != rotation_off && grain_spin[i].w > 0.0) {
        float r = grains[i].position.w;
        add(3u, r / grain_spin[i].w * (r * turns - grain_spin[i].xyz));
      }
      add(6u, there * there);
      add(9u, vec3(there.x * there.y, there.x * there.z, there.y * there.z));
    }
  add_up();
  vec3 rest = total(0u) / count, spin = -spin_of(total(3u), total(6u), total(9u));

  for (uint base = shape.first; base < shape.end; base += group_size) {
    uint k = base + lane;
    bool alive = k < shape.end && find(k, i);
    Grain grain;
    if (alive) {
      grain = grains[i];
      vec3 p = shortest(grain.position.xyz - motion.position), way = shape.share * (turn * rest_position[k] + offset - p);
      grain.position.xyz += way - rest;
      grain.velocity.xyz += (way - rest) / args.h + cross(spin, p + way);
      if (rotating != rotation_off)
        grain_spin[i].xyz = grain.position.w * turns;
    }
    grain = finish(alive, i, grain);
    if (alive)
      grains[i] = grain;
  }
  if (lane == 0u)
    shape_motions[s] = motion;
}
