// The contact law of a grain with tag `tag` and a partner. with_grain: is that a grain? Needs settings, grain_tag and bodies in scope.
uint law_index(uint tag, uint partner, bool with_grain) {
  uint material = settings.contacts.materials;
  if (with_grain)
    material = settings.contacts.materials > 1u ? grain_tag[partner] & tag_material_mask : 0u;
  else if (is_body(partner))
    material = bodies[body_of(partner)].material;
  return (tag & tag_material_mask) * (settings.contacts.materials + 1u) + material;
}

PairLaw law_of(uint tag, uint partner, bool with_grain) { return pair_laws[law_index(tag, partner, with_grain)]; }
PairLaw law_of(uint tag, uint partner) { return law_of(tag, partner, is_grain(partner)); }
