#include "engine/scene/linked.h"
#include "engine/scene/bodies.h"
#include "engine/scene/mass.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace talus {
namespace {

// Sets that grow together.
class Sets {
public:
  explicit Sets(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), std::size_t{0}); }
  std::size_t find(std::size_t k) {
    while (of_[k] != k)
      k = of_[k] = of_[of_[k]];
    return k;
  }
  void join(std::size_t a, std::size_t b) { of_[find(a)] = find(b); }

private:
  std::vector<std::size_t> of_;
};

std::optional<std::size_t> parent_of(const BodyNames& names, const BodySpec& body) {
  return body.parent.empty() ? std::nullopt : names.find(body.parent);
}

}  // namespace

JointedBodies bodies_of(const Scene& scene, const JointSpec& joint) {
  const BodyNames names(scene);
  const std::string where =
      joint.joint.where.empty() ? fmt::format("{}: joint {}", scene.source, joint.name) : joint.joint.where;
  const auto find = [&](const std::string& name) {
    const std::optional<std::size_t> found = names.find(name);
    if (!found)
      throw SceneError(
          fmt::format("{} joins \"{}\", which is not a body of this scene: give the name of a [[body]]", where, name));
    return *found;
  };
  JointedBodies both{find(joint.body), {}};
  if (!joint.parent.empty())
    both.parent = find(joint.parent);
  if (both.parent == both.body)
    throw SceneError(fmt::format("{} joins body \"{}\" with itself: name another one", where, joint.body));
  if (!is_dynamic(scene.bodies[both.body]) && !(both.parent && is_dynamic(scene.bodies[*both.parent])))
    throw SceneError(fmt::format("{} holds no body with a mass: what moves as it is told needs no joint", where));
  return both;
}

std::optional<GearedJoint> gear_of(const Scene& scene, std::size_t body) {
  const BodyNames names(scene);
  const auto* own = std::get_if<Joint>(&scene.bodies[body].motion);
  if (!own || !own->gear || !is_dynamic(scene.bodies[body]))
    return {};
  const Gear& gear = *own->gear;
  const std::string where = gear.where.empty() ? own->where : gear.where;
  const std::optional<std::size_t> leader = names.find(gear.body);
  if (!leader)
    throw SceneError(fmt::format(
        "{} ties the joint to body \"{}\", which is not in this scene: give the name of a [[body]]", where, gear.body));
  const auto* lead = std::get_if<Joint>(&scene.bodies[*leader].motion);
  if (!lead || !is_dynamic(scene.bodies[*leader]) ||
      (lead->type != JointType::revolute && lead->type != JointType::prismatic))
    throw SceneError(
        fmt::format("{} ties the joint to that of body \"{}\", which must be a revolute or prismatic joint "
                    "of a body with mass or density",
                    where, gear.body));
  std::size_t up = *leader;
  for (std::size_t k = 0; k < scene.bodies.size() && up != body; ++k) {
    const auto* next = std::get_if<Joint>(&scene.bodies[up].motion);
    const std::optional<std::size_t> found = next && next->gear ? names.find(next->gear->body) : std::nullopt;
    if (!found)
      break;
    up = *found;
  }
  if (up == body)
    throw SceneError(fmt::format("{} ties the joint to itself, through those that it follows", where));
  const double unit = unit_of(own->type), leader_unit = unit_of(lead->type);
  const double value = std::get<double>(own->value),
               follows = gear.multiplier * std::get<double>(lead->value) + gear.offset;
  constexpr double slack = 1e-6;  // degrees or m, and as a share of the value
  if (std::abs(value - follows) > slack * (1.0 + std::abs(follows)))
    throw SceneError(fmt::format("{} gives the joint the value {} at the start, where it says {}: let them agree",
                                 where, follows, value));
  return GearedJoint{*leader, gear.multiplier * unit / leader_unit, gear.offset * unit};
}

std::vector<std::vector<std::size_t>> linked_bodies(const Scene& scene) {
  const BodyNames names(scene);
  Sets sets(scene.bodies.size());
  std::vector<bool> held(scene.bodies.size());  // by a joint with another body, or one of the scene's own table
  const auto join = [&](std::size_t body, std::optional<std::size_t> parent) {
    held[body] = true;
    if (parent)
      held[*parent] = true;
    if (parent && is_dynamic(scene.bodies[body]) && is_dynamic(scene.bodies[*parent]))
      sets.join(body, *parent);
  };
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (const auto parent = parent_of(names, scene.bodies[b]); parent && is_dynamic(scene.bodies[b]))
      join(b, parent);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (const std::optional<GearedJoint> gear = gear_of(scene, b))
      join(b, gear->leader);
  for (const JointSpec& joint : scene.joints) {
    const JointedBodies both = bodies_of(scene, joint);
    join(both.body, both.parent);
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (held[b] && is_dynamic(scene.bodies[b]))
      groups[sets.find(b)].push_back(b);
  std::vector<std::vector<std::size_t>> all;
  for (auto& [set, bodies] : groups)
    all.push_back(std::move(bodies));
  std::ranges::sort(all);
  return all;
}

std::vector<double> borne_masses(const Scene& scene) {
  std::vector<double> masses(scene.bodies.size());
  std::vector<bool> carries(scene.bodies.size());
  const BodyNames names(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (is_dynamic(scene.bodies[b]))
      masses[b] = mass_of(scene.bodies[b]).mass;
    if (const auto parent = parent_of(names, scene.bodies[b]))
      carries[*parent] = true;
  }
  for (const std::vector<std::size_t>& group : linked_bodies(scene)) {
    double mass = 0.0;
    std::size_t ends = 0;
    for (const std::size_t b : group) {
      mass += masses[b];
      ends += carries[b] ? 0 : 1;
    }
    for (const std::size_t b : group)
      if (!carries[b])
        masses[b] = mass / static_cast<double>(ends);
  }
  return masses;
}

}  // namespace talus
