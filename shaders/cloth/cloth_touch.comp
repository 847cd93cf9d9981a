#version 460
#extension GL_GOOGLE_include_directive : require
// Contacts of a grain with triangles of cloth, one after another: velocity time stepping (Francu and Moldoveanu 2014), with the gaps and the
// normals of the start of the substep, whatever the method of the other contacts. They come after the links and have the last word: cloth that is loaded too much stretches, and lets nothing
// through. What the triangles receive reaches their corners in cloth_receive, and so does what a vertex does that touches cloth itself,
// since others read where it is.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 3, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) readonly buffer ShapeBlock { uint shape_data[]; };
layout(set = 0, binding = 9, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 10, scalar) buffer TouchBlock { ClothTouch cloth_touches[]; };
layout(set = 0, binding = 11, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 12, scalar) buffer SpinBlock { vec4 grain_spin[]; };
#include "shared/space.glsl"
#include "shared/triangle.glsl"
#define SUMS cloth_sums
#include "shared/body_load.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/cloth.h"
#define SPEEDS_ARE_COUNTED
#include "shared/finish.glsl"

void main() {
  uint i = element_index();
  float h = args.h;
  bool last = args.iteration + 1u == args.iterations, memory = settings.contacts.memory != 0u, touches = false;
  vec3 total = vec3(0.0);
  vec4 spin = vec4(0.0);
  Grain grain;
  if (i < args.grains) {
    grain = grains[i];
    if (rotating != rotation_off)
      spin = grain_spin[i];
    float w = grain.velocity.w, r = grain.position.w;
    uint count = contact_count[i];
    for (uint k = 0u; k < count; ++k) {
      uint slot = contact_slot(i, k), partner = partner_at(i, slot);
      if (!is_triangle(partner))
        continue;
      ClothTouch c = cloth_touches[slot], touch = c;
      float w_sum = w + inverse_mass_at(partner, c.weights);
      vec3 shear = memory ? load_vec3(contact_state, shear_at(slot)) : vec3(0.0);
      if (w_sum > 0.0 && c.gap < surface_hidden * r) {
        touches = true;
        vec3 relative = grain.velocity.xyz - velocity_at(partner, c.weights);
        shear = turned(shear, c.normal);
        uint corner = place_of_vertex(triangle_corner(triangle_of(partner), 0u));
        PairLaw law = pair_laws[(grain_tag[i] & tag_material_mask) * (settings.contacts.materials + 1u) + (grain_tag[corner] & tag_material_mask)];
        float approach = dot(relative, c.normal), turns = w * spin.w;
        vec3 slip = relative - approach * c.normal;
        if (rotating != rotation_off)
          slip += cross(c.normal, spin.xyz);
        cloth_iterate(c.gap, r, approach, slip, w_sum, w_sum + turns, law, shear, h, touch.normal_impulse, touch.friction_impulse);
        vec3 pulled = touch.friction_impulse - c.friction_impulse;
        vec3 impulse = (touch.normal_impulse - c.normal_impulse) * c.normal + touch.friction_impulse - c.friction_impulse;
        if (impulse != vec3(0.0)) {
          total += impulse;
          vec3 change = w * impulse;
          grain.velocity.xyz += change;
          if (rotating != rotation_off)
            spin.xyz += turns * cross(pulled, c.normal);
          if (settings.cloth.moves != 0u)
            grain.position.xyz += h * change;
          for (uint n = 0u; n < 3u; ++n)
            if (c.weights[n] > 0.0)
              add_to_vertex(triangle_corner(triangle_of(partner), n), -c.weights[n] * impulse);
        }
        if (last) {
          shear = cloth_slipped(shear, slip + (w + turns) * pulled, touch.normal_impulse, w_sum + turns, h, law);
        }
      }
      cloth_touches[slot] = touch;
      if (!(touch.normal_impulse > 0.0))
        shear = vec3(0.0);
      if (last && memory)
        store_vec3(contact_state, shear_at(slot), shear);
    }
  }
  bool vertex = touches && grain_id[i] - settings.cloth.first < settings.cloth.vertices;
  if (vertex)
    add_to_vertex(world_of(i) * settings.cloth.vertices + grain_id[i] - settings.cloth.first, total);
  touches = touches && !vertex;
  if (last)
    grain = finish(touches, i, grain);
  if (touches)
    grains[i] = grain;
  if (touches && rotating != rotation_off)
    grain_spin[i] = spin;
}
