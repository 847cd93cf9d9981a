// Cloth: vertices that keep their distances.
#include "engine/reference/finish.h"
#include "engine/reference/load.h"
#include "engine/reference/relative.h"
#include "engine/reference/triangle.h"
#include <bit>

namespace talus::reference {

void cloth_find(const Args&, Fields& f, uint begin, uint end) {
  const Settings& s = f.settings[0];
  for (uint element = begin; element < end; ++element) {
    const uint i = rebuilt_place(f, element), world = world_of(f, i);
    if (const uint k = f.grain_id[i] - s.cloth.first; k < s.cloth.vertices) {
      f.cloth_index[world * s.cloth.vertices + k] = i - world * s.worlds.places;
      place_of_vertex(f, world * s.cloth.vertices + k) = i;
    }
  }
}

namespace {

#include "shaders/shared/laws/cloth.h"

uint world_of_vertex(const Fields& f, uint vertex) {
  return vertex / f.settings[0].cloth.vertices;
}
uint slot_of_vertex(const Fields& f, uint vertex) {
  TALUS_ASSERT(vertex < f.cloth_index.size(), vertex, f.cloth_index.size());
  return world_of_vertex(f, vertex) * f.settings[0].worlds.places + f.cloth_index[vertex];
}

// Calls visit(vertex) for the vertices of threads [begin, end), numbered through all worlds.
template <class Visit> void each_vertex(const Fields& f, uint begin, uint end, Visit visit) {
  const Settings& s = f.settings[0];
  for (uint thread = begin; thread < end; ++thread)
    if (const uint k = cloth_vertex(thread, s.cloth.vertices, s.worlds.count); k != no_vertex)
      visit(k);
}

Link link_of(const Fields& f, uint i, uint j) {
  return link_along(shortest(vec3(f.grains[i].position) - vec3(f.grains[j].position), f.settings[0]));
}

// Around a triangle, from its first corner.
struct Box {
  vec3 middle, half;
};
Box box_of(const Fields& f, uint triangle) {
  const vec3 p(f.grains[slot_of_vertex(f, triangle_corner(f, triangle, 0))].position);
  vec3 low(0.0f), high(0.0f);
  for (uint c = 1; c < 3; ++c) {
    const vec3 corner(f.grains[slot_of_vertex(f, triangle_corner(f, triangle, c))].position);
    const vec3 side = shortest(corner - p, f.settings[0]);
    low = glm::min(low, side);
    high = glm::max(high, side);
  }
  return {0.5f * (low + high), 0.5f * (high - low)};
}

float residual_of(const Args& args, const Settings& settings, const ClothLink& link, const Link& d, vec3 relative) {
  return link_residual(d, relative, link.rest, settings.cloth.kv, settings.cloth.kc, args.h);
}

uint* record_of_vertex(Fields& f, uint vertex) {
  TALUS_ASSERT(load_words * (std::size_t{vertex} + 1) <= f.cloth_sums.size(), vertex, f.cloth_sums.size());
  return &f.cloth_sums[load_words * vertex];
}

uint material_of_triangle(const Fields& f, uint partner) {
  return material_of(f.grain_tag[place_of_vertex(f, triangle_corner(f, triangle_of(partner), 0))]);
}

void normal_impulse(const Args& args, const Settings& settings, Grain& grain, vec3 impulse) {
  const vec3 change = grain.velocity.w * impulse;
  grain.velocity += vec4(change, 0.0f);
  if (settings.cloth.moves != 0)
    grain.position += vec4(args.h * change, 0.0f);
}

}  // namespace

// Triangles of cloth in the order of their cells, each in the one that the middle of its box lies in. They have a grid
// of their own, since they may be much larger than grains, or smaller.
void cloth_sort(const Args&, Fields& f, uint begin, uint end) {
  const Settings& s = f.settings[0];
  const uint cells = grid_cells(s.cloth.bits);
  for (uint n = begin; n < end; ++n) {
    const uint world = f.rebuilding[n], first = world * s.cloth.triangles, last = first + s.cloth.triangles;
    std::vector<std::pair<uint, uint>> order;  // key, triangle
    for (uint t = first; t < last; ++t) {
      const uint corner = slot_of_vertex(f, triangle_corner(f, t, 0));
      const ivec3 cell = cloth_cell_of(vec3(f.grains[corner].position) + box_of(f, t).middle, s, f.worlds[world]);
      order.emplace_back(grid_key(cell, s.cloth.bits), t);
    }
    std::ranges::sort(order);
    TALUS_ASSERT(order.empty() || order.back().first < cells, order.size(), cells);
    for (uint k = 0, cell = 0; cell <= cells; ++cell) {
      while (k < order.size() && order[k].first < cell)
        ++k;
      first_triangle(f, world, cell) = first + k;
    }
    for (uint k = 0; k < order.size(); ++k)
      triangle_in_order(f, first + k) = order[k].second;
  }
}

// How the links of a vertex share its mass: with M the sum of their directions times themselves, M's greatest
// eigenvalue takes the place of their number in the mass splitting of Tonge et al. 2012. Links at right angles do not
// disturb each other, and the iteration is as stable (below twice the rate) in any state of the cloth.
void cloth_weigh(const Args&, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  each_vertex(f, begin, end, [&](uint k) {
    const uint i = slot_of_vertex(f, k);
    const ClothVertex& vertex = f.cloth_vertices[k];
    place_of_vertex(f, k) = i;
    TALUS_ASSERT(f.grain_id[i] == settings.cloth.first + k % settings.cloth.vertices, k, i);
    TALUS_ASSERT(vertex.first_link <= vertex.end_link && vertex.end_link <= f.cloth_links.size(), k, vertex.first_link,
                 vertex.end_link);
    TALUS_ASSERT(vertex.first_triangle <= vertex.end_triangle && vertex.end_triangle <= all_triangles(settings), k,
                 vertex.first_triangle, vertex.end_triangle);
    contacts_of_vertex(f, k) = 0;
    mat3 directions(0.0f);
    for (uint n = vertex.first_link; n < vertex.end_link; ++n) {
      const vec3 d = link_of(f, i, slot_of_vertex(f, f.cloth_links[n].other)).direction;
      directions += glm::outerProduct(d, d);
    }
    f.cloth_work[k].split = greatest_eigenvalue(directions);
    float half = 0.0f;
    for (uint t = vertex.first_triangle; t < vertex.end_triangle; ++t) {
      const Box box = box_of(f, t);
      half = std::max({half, box.half.x, box.half.y, box.half.z});
    }
    atomic_max(f.worlds[world_of_vertex(f, k)].cloth.half_bits, std::bit_cast<uint>(half));
  });
}

void cloth_share(const Args& args, Fields& f, uint begin, uint end) {
  const float fall = args.h * glm::length(f.settings[0].domain.gravity);
  for (uint i = begin; i < end; ++i) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (uint& partner = f.contact_partner[slot]; is_triangle(partner))
        partner = without_face(partner) + cloth_face(f, i, partner_at(f, i, slot));
    }
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const uint partner = partner_at(f, i, contact_slot(f, i, k));
      if (!is_triangle(partner))
        continue;
      const ClothTouch c = f.cloth_touches[contact_slot(f, i, k)] = cloth_contact(f, i, partner);
      const vec3 relative = vec3(f.grains[i].velocity) - velocity_at(f, partner, c.weights);
      if (c.gap < std::max(args.h * (glm::length(relative) + fall), contact_near * f.grains[i].position.w))
        for (uint n = 0; n < 3; ++n)
          atomic_ref(contacts_of_vertex(f, triangle_corner(f, triangle_of(partner), n))).fetch_add(1);
    }
  }
}

// One iteration of all links of a vertex, from its own side: the other end computes the same with opposite sign.
void cloth_solve(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  each_vertex(f, begin, end, [&](uint k) {
    const uint i = slot_of_vertex(f, k);
    const Grain& grain = f.grains[i];
    const float w = grain.velocity.w;
    vec3 impulse(0.0f);
    for (uint n = f.cloth_vertices[k].first_link; n < f.cloth_vertices[k].end_link; ++n) {
      const ClothLink& link = f.cloth_links[n];
      const uint j = slot_of_vertex(f, link.other);
      TALUS_ASSERT(link.other != k && j != i, k, n, link.other);
      const Grain& other = f.grains[j];
      const float w_split = w * f.cloth_work[k].split + other.velocity.w * f.cloth_work[link.other].split;
      ClothPull pull = args.iteration > 0 ? f.cloth_pulls[n] : ClothPull{};
      if (w_split > 0.0f) {
        const Link d = link_of(f, i, j);
        const float residual = residual_of(args, settings, link, d, vec3(grain.velocity) - vec3(other.velocity));
        const float sum =
            link_relaxed(pull, link.stiffness, residual, w + other.velocity.w, w_split, args.omega, args.beta);
        pull = {sum, sum - pull.sum};
        impulse += pull.change * d.direction;
      }
      f.cloth_pulls[n] = pull;
    }
    f.cloth_work[k].next = grain;
    normal_impulse(args, settings, f.cloth_work[k].next, impulse);
  });
}

void cloth_apply(const Args&, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  each_vertex(f, begin, end, [&](uint k) { f.grains[slot_of_vertex(f, k)] = f.cloth_work[k].next; });
}

// Contacts of a grain with triangles of cloth, one after another: velocity time stepping (Francu and Moldoveanu 2014),
// with the gaps and the normals of the start of the substep, whatever the method of the other contacts. They come after
// the links and have the last word: cloth that is loaded too much stretches, and lets nothing through. What the
// triangles receive reaches their corners in cloth_receive, and so does what a vertex does that touches cloth itself,
// since others read where it is.
void cloth_touch(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const bool last = args.iteration + 1 == args.iterations, memory = settings.contacts.memory;
  Finish finish(args, f, false);
  for (uint i = begin; i < end; ++i) {
    Grain grain = f.grains[i];
    const float w = grain.velocity.w, r = grain.position.w;
    const bool rotates = settings.solver.rotation != rotation_off;
    vec4 spin = rotates ? f.grain_spin[i] : vec4(0.0f);
    vec3 total(0.0f);
    bool touches = false;
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (!is_triangle(partner))
        continue;
      const ClothTouch c = f.cloth_touches[slot];
      ClothTouch touch = c;
      const float w_sum = w + inverse_mass_at(f, partner, c.weights);
      vec3 shear = memory ? vec3_at(f.contact_state, shear_at(f, slot)) : vec3(0.0f);
      if (w_sum > 0.0f && c.gap < surface_hidden * r) {
        const vec3 relative = vec3(grain.velocity) - velocity_at(f, partner, c.weights);
        shear = turned(shear, c.normal);
        const PairLaw& law = f.pair_laws[material_of(f.grain_tag[i]) * (settings.contacts.materials + 1) +
                                         material_of_triangle(f, partner)];
        const float approach = glm::dot(relative, c.normal), turns = w * spin.w;
        const vec3 slip = relative - approach * c.normal + (rotates ? glm::cross(c.normal, vec3(spin)) : vec3(0.0f));
        cloth_iterate(c.gap, r, approach, slip, w_sum, w_sum + turns, law, shear, args.h, touch.normal_impulse,
                      touch.friction_impulse);
        const vec3 impulse =
            (touch.normal_impulse - c.normal_impulse) * c.normal + touch.friction_impulse - c.friction_impulse;
        touches = true;
        if (impulse != vec3(0.0f)) {
          total += impulse;
          normal_impulse(args, settings, grain, impulse);
          if (rotates)
            spin += vec4(turns * glm::cross(touch.friction_impulse - c.friction_impulse, c.normal), 0.0f);
          for (uint n = 0; n < 3; ++n)
            if (const float weight = c.weights[static_cast<int>(n)]; weight > 0.0f)
              add_to_record(f, record_of_vertex(f, triangle_corner(f, triangle_of(partner), n)), vec3(0.0f),
                            -weight * impulse);
        }
        if (last) {
          const vec3 pulled = touch.friction_impulse - c.friction_impulse;
          shear = cloth_slipped(shear, slip + (w + turns) * pulled, touch.normal_impulse, w_sum + turns, args.h, law);
        }
      } else
        shear = vec3(0.0f);
      f.cloth_touches[slot] = touch;
      if (last && memory)
        put(f.contact_state, shear_at(f, slot), touch.normal_impulse > 0.0f ? shear : vec3(0.0f));
    }
    if (!touches)
      continue;
    if (const uint vertex = f.grain_id[i] - settings.cloth.first; vertex < settings.cloth.vertices) {
      add_to_record(f, record_of_vertex(f, world_of(f, i) * settings.cloth.vertices + vertex), vec3(0.0f), total);
      continue;
    }
    if (last)
      finish.grain(i, grain);
    f.grains[i] = grain;
    if (rotates)
      f.grain_spin[i] = spin;
  }
  if (last)
    finish.flush();
}

// What vertices have received from what touches them.
void cloth_receive(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  const bool last = args.iteration + 1 == args.iterations;
  Finish finish(args, f, false);
  each_vertex(f, begin, end, [&](uint k) {
    const Received received = take_records(f, record_of_vertex(f, k), 1, load_uncounted);
    if (received.word > 0)
      atomic_ref(f.status[0].cloth_uncounted).fetch_add(received.word);
    const uint i = slot_of_vertex(f, k);
    Grain grain = f.grains[i];
    normal_impulse(args, settings, grain, received.impulse);
    if (last)
      finish.grain(i, grain);
    f.grains[i] = grain;
  });
  if (last)
    finish.flush();
}

// Every link once, applied to both ends before the next one looks.
void cloth_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  const Settings& settings = f.settings[0];
  if (f.status[0].halt != halt_none)
    return;
  for (uint k = 0; k < all_vertices(settings); ++k) {
    const uint i = slot_of_vertex(f, k);
    for (uint n = f.cloth_vertices[k].first_link; n < f.cloth_vertices[k].end_link; ++n) {
      const ClothLink& link = f.cloth_links[n];
      if (link.other < k)
        continue;
      const uint j = slot_of_vertex(f, link.other);
      const float w_sum = f.grains[i].velocity.w + f.grains[j].velocity.w;
      ClothPull pull = args.iteration > 0 ? f.cloth_pulls[n] : ClothPull{};
      if (w_sum > 0.0f) {
        const Link d = link_of(f, i, j);
        const vec3 relative = vec3(f.grains[i].velocity) - vec3(f.grains[j].velocity);
        const float residual = residual_of(args, settings, link, d, relative);
        const float sum = link_relaxed(pull, link.stiffness, residual, w_sum, w_sum, settings.solver.sor, 0.0f);
        pull = {sum, sum - pull.sum};
        normal_impulse(args, settings, f.grains[i], pull.change * d.direction);
        normal_impulse(args, settings, f.grains[j], -pull.change * d.direction);
      }
      f.cloth_pulls[n] = pull;
    }
  }
}

}  // namespace talus::reference
