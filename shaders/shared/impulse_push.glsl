// What the contacts with bodies have done in the substep: the sum of a contact is its impulse. Dynamic bodies hear of it between the
// iterations, others after the last one.
#include "shared/impulse.glsl"
#include "shared/body_load.glsl"

layout(set = 0, binding = 8, scalar) readonly buffer StateBlock { float contact_state[]; };

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  uint count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (!is_body(partner) || (args.iteration < args.iterations && bodies[body_of(partner)].split == 0.0))
      continue;
    vec4 sum = load_vec4(contact_state, sum_at(slot));
    if (sum == vec4(0.0))
      continue;
    Contact c = contact_with(partner, i, grain.position.xyz, grain.position.w);
    vec3 impulse = sum.w * c.normal + sum.xyz;
    if (rotating == rotation_off)
      add_load(partner, c.point, impulse);
    else
      add_load(partner, surface_point(c), impulse,
               rotating == rotation_rolling ? grain.position.w * load_vec3(contact_state, roll_sum_at(slot)) : vec3(0.0));
  }
}
