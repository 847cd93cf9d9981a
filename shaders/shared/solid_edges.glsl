// Distances from parts put together where a nearest point of one of them is not on the body (engine/reference/solid.h). All in the parts' frame.

bool is_cut(uint first) { return (solid_kinds & 1u << solid_cut_bodies) != 0u && (part_kind(first) & solid_cut) != 0u; }

// Distance from one surface of parts, whether it is the nearest one or not, as from_surface().
vec4 from_parts_surface(uint first, uint surface, vec3 p) {
  SolidPart part = solid_part(first + surface / part_surfaces);
  vec4 d = from_surface(part, surface % part_surfaces, in_part(part, p));
  return vec4(rotated(part.rotation, d.xyz), d.w);
}

// What a surface of parts leaves to be touched from outside: its nearest point, where that is on the body (face), else the nearest point of
// an edge, or corner, that it has with other surfaces. Infinitely far where there is neither; where the edge is not found, the negative of
// what it is away at least. An edge belongs to the later of its surfaces, or to the earlier one where p is behind the later one. Drivers copy a
// function to each place that calls it, so that distances from surfaces are taken in one place: from those found so far where their planes meet;
// where a part cuts that place off, from its surfaces (cut of them), of which the one with the nearest edge is taken; and from that at p.
vec4 from_feature(uint first, uint parts, uint surface, vec3 p, float reach, out bool face) {
  vec4 none = vec4(0.0, 0.0, 1.0, infinity());
  uint on[3] = uint[3](surface, 0u, 0u), planes = 1u, begin = 0u, cut = 0u, step = 0u;
  bool behind = false;  // is p to be behind the surface that is taken?
  vec4 plane[3] = vec4[3](none, none, none);
  vec3 way = vec3(0.0), place = p;
  float least = 0.0, distance = 0.0, first_distance = 0.0;
  face = false;
  for (uint look = 0u; look < 4u * edge_steps && step < edge_steps; ++look) {
    bool exact = look > 0u;
    float nearest = infinity();
    uint next = no_partner, count = cut > 0u ? cut : planes > 1u || look == 0u ? planes : 0u;
    vec4 taken = none;
    for (uint i = 0u; i < count; ++i) {
      vec4 d = from_parts_surface(first, cut > 0u ? begin + i : on[i], place);
      vec4 found = vec4(d.xyz, d.w + dot(d.xyz, p - place));
      if (behind) {
        if (d.w > 0.0)
          return none;
      } else if (cut > 0u) {
        plane[planes] = found;
        if (way_from_planes(planes + 1u, plane, way) > -infinity() && length_of(way) < nearest) {
          nearest = length_of(way);
          next = begin + i;
          taken = found;
        }
      } else if (look == 0u || abs(d.w) > edge_exact * distance) {
        plane[i] = found;
        exact = false;
      }
    }
    if (look == 0u) {
      first_distance = plane[0].w;
      if (first_distance <= 0.0 || first_distance >= reach)
        return none;
    }
    if (behind) {
      behind = false;
    } else if (cut > 0u) {
      if (next == no_partner)
        return none;
      on[planes] = next;
      plane[planes] = taken;
      ++planes;
      behind = next > surface;
      if (behind) {
        begin = next;
        cut = 1u;
        place = p;
        continue;
      }
    } else if (exact) {
      if (planes == 1u)
        place = p - (1.0 + surface_depth) * way;
      uint there;
      vec4 d = from_parts(first, first + parts, place, there);
      face = planes == 1u && (d.w < 0.0 || there == surface);
      if (face)
        return plane[0];
      if (planes > 1u && d.w <= edge_exact * distance)
        return least < 0.0 || d.w < -edge_exact * distance ? none : vec4(way / distance, distance);
      if (planes == 3u)
        return none;
      begin = there / part_surfaces * part_surfaces;
      cut = surfaces_of(part_kind(first + there / part_surfaces));
      continue;
    }
    vec3 before = p - place;
    least = way_from_planes(planes, plane, way);
    if (cut == 0u && step > 1u)  // on surfaces that bend more than they are near, whole steps would go to and fro
      way = 0.5 * (before + way);
    if (least == -infinity())
      return none;
    distance = length_of(way);
    place = p - way;
    cut = 0u;
    step += look > 0u ? 1u : 0u;
  }
  return vec4(none.xyz, -first_distance);
}

// Distance from parts put together. nearest: the surface that is. own, face: what there is of another one, `surface`, unless it is no_partner.
vec4 from_composition(uint first, uint parts, vec3 p, uint surface, out uint nearest, out vec4 own, out bool face) {
  vec4 d = from_parts(first, first + parts, p, nearest);
  own = vec4(0.0, 0.0, 1.0, infinity());
  face = false;
  if (!is_cut(first))
    return d;
  // First the surface that decides, then the other one, then all where the first one has no face there.
  bool decided = d.w <= 0.0;
  vec4 best = own;
  uint best_surface = nearest;
  float not_found = infinity();
  for (uint k = decided ? 1u : 0u; k < 2u + part_surfaces * parts; ++k) {
    uint s = k == 0u ? nearest : k == 1u ? surface : k - 2u;
    if (k == 1u && surface == no_partner)
      continue;
    if (k > 1u && decided)
      break;
    if (k > 1u && s % part_surfaces >= surfaces_of(part_kind(first + s / part_surfaces)))
      continue;
    bool whole;
    vec4 feature = from_feature(first, parts, s, p, best.w, whole);
    if (k == 0u) {
      decided = whole;
    } else if (k == 1u) {
      own = feature;
      face = whole;
    } else if (feature.w < 0.0) {
      not_found = min(not_found, -feature.w);
    } else if (feature.w < best.w) {
      best = feature;
      best_surface = s;
    }
  }
  if (decided || best.w >= not_found || best.w == infinity())
    return d;
  nearest = best_surface;
  return best;
}
