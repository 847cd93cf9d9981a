#ifndef TALUS_SLOTS
#define TALUS_SLOTS
// The state of contacts lies component by component: of the slots of a row first all x, then all y, .., so that threads side by side
// read numbers side by side. Needs settings in scope.

// Where a slot has the first of its components, the others slice_grains further each. Both operands of | have no bit in common. With a sum,
// Mesa's compiler moved constants into either operand, and kept several addresses of a slot: dem had 2 to 5 % more instructions on AMD.
uint first_component(uint slot, uint components) { return components * (slot & ~(slice_grains - 1u)) | slot % slice_grains; }

// Where a slot has the component of contact_state with this number, and those with which its members begin.
uint state_at(uint slot, uint component) { return first_component(slot, settings.contacts.state_words) + component * slice_grains; }
uint sum_at(uint slot) { return state_at(slot, settings.contacts.sum); }
uint normal_at(uint slot) { return state_at(slot, settings.contacts.sum + 3u); }  // w of the sum
uint shear_at(uint slot) { return state_at(slot, settings.contacts.shear); }
uint roll_at(uint slot) { return state_at(slot, settings.contacts.roll); }
uint roll_sum_at(uint slot) { return state_at(slot, settings.contacts.roll_sum); }
uint roll_change_at(uint slot) { return state_at(slot, settings.contacts.roll_change); }
uint change_at(uint slot) { return state_at(slot, settings.contacts.change); }
uint friction_at(uint slot) { return state_at(slot, settings.contacts.friction); }
uint rebound_at(uint slot) { return state_at(slot, settings.contacts.rebound); }

#define load_vec3(field, at) vec3(field[at], field[at + slice_grains], field[at + 2u * slice_grains])
#define load_vec4(field, at) vec4(field[at], field[at + slice_grains], field[at + 2u * slice_grains], field[at + 3u * slice_grains])
// value: evaluated for each component.
#define store_vec3(field, at, value) \
  field[at] = (value).x, field[at + slice_grains] = (value).y, field[at + 2u * slice_grains] = (value).z
#define store_vec4(field, at, value) \
  field[at] = (value).x, field[at + slice_grains] = (value).y, field[at + 2u * slice_grains] = (value).z, \
  field[at + 3u * slice_grains] = (value).w
#endif
