// What contacts do to bodies and to cloth. Needs shared/contact_geometry.glsl before it.
#include "shared/body_load.glsl"

#ifdef NO_CONTACT_ROWS
uint record_of_corner(uint partner, uint corner) { return 0u; }
#else
// The vertex at a corner of a triangle.
uint record_of_corner(uint partner, uint corner) { return cloth_record(settings.bodies, triangle_corner(partner - triangle_partner, corner)); }
#endif

// A contact gave this impulse to a grain: the body gets the opposite, or the corners of the triangle by their weights.
void add_load(uint partner, vec3 point, vec3 impulse) {
  if (touches_cloth(partner)) {
    for (uint k = 0u; k < 3u; ++k)
      if (point[k] > 0.0)
        add_to_record(record_of_corner(partner, k), vec3(0.0), -point[k] * impulse);
  } else
    add_to_record(record_of(partner), point, -impulse);
}
