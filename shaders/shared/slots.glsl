#ifndef TALUS_SLOTS
#define TALUS_SLOTS
// Vectors of contacts, component by component: of the slots of a row first all x, then all y, .., so that threads side by side read
// numbers side by side. first_component: where a slot has its x, the others slice_grains further each.
uint first_component(uint slot, uint components) { return components * slot - (components - 1u) * (slot % slice_grains); }

#define load_vec3(field, slot) \
  vec3(field[first_component(slot, 3u)], field[first_component(slot, 3u) + slice_grains], field[first_component(slot, 3u) + 2u * slice_grains])
#define load_vec4(field, slot) \
  vec4(field[first_component(slot, 4u)], field[first_component(slot, 4u) + slice_grains], field[first_component(slot, 4u) + 2u * slice_grains], \
       field[first_component(slot, 4u) + 3u * slice_grains])
#define load_w(field, slot) field[first_component(slot, 4u) + 3u * slice_grains]
// value: evaluated for each component.
#define store_vec3(field, slot, value) \
  field[first_component(slot, 3u)] = (value).x, field[first_component(slot, 3u) + slice_grains] = (value).y, \
  field[first_component(slot, 3u) + 2u * slice_grains] = (value).z
#define store_vec4(field, slot, value) \
  field[first_component(slot, 4u)] = (value).x, field[first_component(slot, 4u) + slice_grains] = (value).y, \
  field[first_component(slot, 4u) + 2u * slice_grains] = (value).z, field[first_component(slot, 4u) + 3u * slice_grains] = (value).w
#endif
