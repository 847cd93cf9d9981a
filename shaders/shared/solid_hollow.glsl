// What touches of a mesh that is met by its triangles: the nearest point, or places of a hollow. Needs solid_triangles.glsl in scope.

// Places at which a ball touches a hollow are in this order. It changes seldom for a ball at rest, whichever of several triangles the
// place is on; no symmetry of a mesh makes two of them equal.
float hollow_rank(vec3 direction) { return inner(direction, vec3(0.8147, 0.3179, 0.4851)); }

// From a surface of a mesh: 0 is the nearest point, from 1 on they are the places at which a ball touches a hollow, in that order: the nearest
// point, and the nearest ones within reach that lie in clearly other directions and are the nearest of all places around them. Nowhere near
// where there are no more than that. All but the nearest point are in shared memory: as variables they held 8 registers, and dem on city had 84
// on GCN, which leaves a SIMD 3 subgroups, and 80 on RDNA 2.
shared vec4 hollow_places[(hollow_surfaces - 1u) * group_size];
uint hollow_place(uint k) { return (k - 1u) * group_size + gl_LocalInvocationID.x; }
vec4 from_mesh(SolidPart part, vec3 p, float reach, uint surface) {
  const vec4 none = vec4(0.0, 0.0, 1.0, 3.4e38);
  vec3 way = out_of_triangles(part, p);
  if (way != vec3(0.0))
    return surface <= 1u ? beyond_triangles(part, way) : none;
  uvec3 list = triangles_around(part, p);
  Touch nearest = nearest_triangle(part, list, p);
  vec4 first = from_nearest(part, nearest);
  uint count = 1u;
  if (surface == 0u)
    return first;
  if (nearest.triangle != 0u && first.w > 0.0 && first.w < reach)
    for (uint e = list.x; e < list.z; ++e) {
      Touch other = touch_of(p, part.first + shape_data[part.first + e]);
      if (!(other.distance2 < reach * reach) || !(other.distance2 > 0.0) || (is_closed(part) && above(other) < 0.0))
        continue;
      float d = sqrt(other.distance2);
      vec3 away = away_from(other, d);
      if (inner(away, first.xyz) >= corner_turn || !is_peak(other))
        continue;
      uint k = 1u;  // the place that it is in competition with
      while (k < count && inner(away, hollow_places[hollow_place(k)].xyz) < corner_turn)
        ++k;
      if (k == hollow_surfaces)
        k = hollow_places[hollow_place(1u)].w >= hollow_places[hollow_place(2u)].w ? 1u : 2u;
      if (k == count)
        ++count;
      else if (d >= hollow_places[hollow_place(k)].w)
        continue;
      hollow_places[hollow_place(k)] = vec4(away, d);
    }
  vec4 found = none;
  for (uint k = count; k-- > 0u;) {  // of two with the same rank the first one is found
    vec4 place = k == 0u ? first : hollow_places[hollow_place(k)];
    uint before = hollow_rank(first.xyz) < hollow_rank(place.xyz) ? 1u : 0u;
    for (uint other = 1u; other < count; ++other)
      before += hollow_rank(hollow_places[hollow_place(other)].xyz) < hollow_rank(place.xyz) ? 1u : 0u;
    if (before + 1u == surface)
      found = place;
  }
  return found;
}
