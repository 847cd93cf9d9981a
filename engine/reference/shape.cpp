// Bodies of particles that keep their shape. In double precision: what the device does to rounding.
#include "engine/reference/shape.h"
#include "engine/geometry/pose.h"
#include "engine/reference/finish.h"

namespace talus::reference {

namespace {

bool is_positive(const glm::dmat3& m) {
  return m[0][0] > 0.0 && m[0][0] * m[1][1] - m[0][1] * m[0][1] > 0.0 && glm::determinant(m) > 0.0;
}

}  // namespace

// By Newton's method, and further from the maximum by that of Levenberg and Marquardt, which goes uphill.
glm::dquat extract_rotation(const glm::dmat3& matrix, glm::dquat q) {
  const double size =
      std::sqrt(glm::dot(matrix[0], matrix[0]) + glm::dot(matrix[1], matrix[1]) + glm::dot(matrix[2], matrix[2]));
  if (!(size > 0.0) || !std::isfinite(size))
    return q;
  constexpr double least = 1e-4;  // of the matrix's length: what it does not tell stays
  const glm::dmat3 a = matrix / size;
  for (int k = 0; k < 32; ++k) {
    const glm::dmat3 r = glm::mat3_cast(q), m = a * glm::transpose(r);
    const glm::dvec3 uphill = glm::cross(r[0], a[0]) + glm::cross(r[1], a[1]) + glm::cross(r[2], a[2]);
    const double trace = m[0][0] + m[1][1] + m[2][2];
    const glm::dmat3 bend = glm::dmat3(trace) - 0.5 * (m + glm::transpose(m));
    double more = least;
    while (!is_positive(bend + glm::dmat3(more)))
      more *= 4.0;
    glm::dvec3 turn = glm::inverse(bend + glm::dmat3(more)) * uphill;
    if (more > 100.0 * least && glm::length(turn) < 0.1)  // nothing leads uphill: half a turn away
      turn = {0.5, 0.4, 0.3};
    const double way = glm::length(turn);
    if (way > 1.0)
      turn /= way;
    q = glm::normalize(rotation_by(turn) * q);
    if (way < 1e-7)
      break;
  }
  return q;
}

namespace {

// A particle that is there.
struct Particle {
  uint i;            // in memory
  glm::dvec3 place;  // m, in the shape
};

std::vector<Particle> particles_of(const Args& args, const Fields& f, const MatchedShape& shape, uint world) {
  const Settings& settings = f.settings[0];
  std::vector<Particle> particles;
  TALUS_ASSERT(shape.first <= shape.end && shape.end <= settings.shapes.particles, shape.first, shape.end,
               settings.shapes.particles);
  for (uint k = shape.first; k < shape.end; ++k)
    if (const uint i = world * settings.worlds.places + f.shape_index[world * settings.shapes.particles + k];
        i < args.grains && f.grain_id[i] == settings.shapes.first + k && !is_gone(f.grains[i]))
      particles.push_back({i, glm::dvec3(f.rest_position[k])});
  return particles;
}

vec3 within(vec3 p, const Settings& settings) {
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic) {
      const float edge = settings.domain.max[a] - settings.domain.min[a];
      p[a] -= edge * std::floor((p[a] - settings.domain.min[a]) / edge);
    }
  return p;
}

// Spin of particles with this angular momentum, but for what lies along an axis that all of them lie on.
glm::dvec3 spin_of(const glm::dvec3& momentum, const glm::dmat3& squares) {
  const double size = squares[0][0] + squares[1][1] + squares[2][2];
  return size > 0.0 ? glm::inverse(glm::dmat3(1.0 + 1e-5) - squares / size) * (momentum / size) : glm::dvec3(0.0);
}

void match(const Args& args, Fields& f, uint s, Finish& finish) {
  const Settings& settings = f.settings[0];
  const MatchedShape& shape = f.shapes[s % settings.shapes.count];
  const std::vector<Particle> particles = particles_of(args, f, shape, s / settings.shapes.count);
  if (particles.empty())
    return;
  const double count = static_cast<double>(particles.size()), h = static_cast<double>(args.h);
  ShapeMotion& motion = f.shape_motions[s];
  const auto from_center = [&](const Particle& particle) {
    return glm::dvec3(shortest(vec3(f.grains[particle.i].position) - motion.position, settings));
  };

  glm::dvec3 moved(0.0), velocity(0.0);
  for (const Particle& particle : particles) {
    moved += from_center(particle);
    velocity += glm::dvec3(vec3(f.grains[particle.i].velocity));
  }
  velocity /= count;
  motion.position = within(vec3(glm::dvec3(motion.position) + moved / count), settings);
  motion.velocity = vec3(velocity);

  glm::dvec3 mean(0.0), mean_place(0.0);
  glm::dmat3 moments(0.0);
  for (const Particle& particle : particles) {
    mean += from_center(particle) / count;
    mean_place += particle.place / count;
    moments += glm::outerProduct(from_center(particle), particle.place);
  }
  moments -= count * glm::outerProduct(mean, mean_place);
  const glm::dquat before = quaternion_of(motion.rotation), rotation = extract_rotation(moments, before);
  motion.rotation = vector_of(rotation);

  const double share = static_cast<double>(shape.share);
  const glm::dmat3 turn = glm::mat3_cast(rotation);
  const auto way_of = [&](const Particle& particle) {
    return share * (turn * (particle.place - mean_place) + mean - from_center(particle));
  };
  // Particles spin as the shape turns. What contacts have changed their spins by, the whole shape takes over.
  const bool rotates = settings.solver.rotation != rotation_off;
  const glm::dquat since = rotation * glm::conjugate(before);
  const glm::dvec3 turns = (since.w < 0.0 ? -2.0 : 2.0) / h * glm::dvec3(since.x, since.y, since.z);  // rad/s
  const auto own_spin = [&](uint i) { return static_cast<double>(f.grains[i].position.w) * turns; };
  glm::dvec3 momentum(0.0);  // angular, that these ways, their speeds and their spins add
  glm::dmat3 squares(0.0);
  for (const Particle& particle : particles) {
    const glm::dvec3 p = from_center(particle), way = way_of(particle), there = p + way;
    momentum += glm::cross(p, way) / h + glm::cross(way, glm::dvec3(vec3(f.grains[particle.i].velocity)) - velocity);
    if (const uint i = particle.i; rotates && f.grain_spin[i].w > 0.0f) {
      const double lever = static_cast<double>(f.grains[i].position.w) / static_cast<double>(f.grain_spin[i].w);
      momentum += lever * (own_spin(i) - glm::dvec3(vec3(f.grain_spin[i])));
    }
    squares += glm::outerProduct(there, there);
  }
  const glm::dvec3 spin = -spin_of(momentum, squares);
  for (const Particle& particle : particles) {
    Grain& grain = f.grains[particle.i];
    const glm::dvec3 p = from_center(particle), way = way_of(particle);
    const glm::dvec3 position = glm::dvec3(vec3(grain.position)) + way;
    const glm::dvec3 speed = glm::dvec3(vec3(grain.velocity)) + way / h + glm::cross(spin, p + way);
    grain = {vec4(vec3(position), grain.position.w), vec4(vec3(speed), grain.velocity.w)};
    if (rotates)
      f.grain_spin[particle.i] = vec4(vec3(own_spin(particle.i)), f.grain_spin[particle.i].w);
    finish.grain(particle.i, grain);
  }
}

}  // namespace

void shape_find(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    if (const uint world = world_of(f, i), k = f.grain_id[i] - settings.shapes.first; k < settings.shapes.particles)
      f.shape_index[world * settings.shapes.particles + k] = i - world * settings.worlds.places;
  }
}

void shape_match(const Args& args, Fields& f, uint begin, uint end) {
  if (f.status[0].halt != halt_none)
    return;
  Finish finish(args, f, false);
  for (uint s = begin; s < end; ++s)
    match(args, f, s, finish);
  finish.flush();
}

}  // namespace talus::reference
