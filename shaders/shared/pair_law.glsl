// The contact law of a grain with tag `tag` and a partner. Needs settings, grain_tag and bodies in scope.
uint law_index(uint tag, uint partner) {
  uint material = partner >= wall_partner   ? settings.contacts.materials
                  : partner >= body_partner ? bodies[body_of(partner)].material
                  : settings.contacts.materials > 1u ? grain_tag[partner] & tag_material_mask : 0u;
  return (tag & tag_material_mask) * (settings.contacts.materials + 1u) + material;
}

PairLaw law_of(uint tag, uint partner) { return pair_laws[law_index(tag, partner)]; }
