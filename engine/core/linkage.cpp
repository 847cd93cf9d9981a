#include "engine/core/linkage.h"
#include "engine/base/assert.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/linked.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <glm/gtc/constants.hpp>

namespace talus {
namespace {

uint kind_of(JointType type) {
  switch (type) {
  case JointType::revolute:
    return joint_revolute;
  case JointType::prismatic:
    return joint_prismatic;
  case JointType::ball:
    return joint_ball;
  case JointType::fixed:
    break;
  }
  return joint_fixed;
}

uint equalities_of(uint kind) {
  return kind == joint_ball ? 3u : kind == joint_fixed ? 6u : 5u;
}

// Something acts along the axis of every joint that turns or slides, since programs may push it.
uint axis_rows_of(uint kind, const Joint& joint) {
  if (kind == joint_ball)
    return joint.friction > 0.0 || joint.max < 180.0 ? 4u : 0u;
  return kind == joint_fixed ? 0u : 1u;
}

glm::dvec3 any_across(const glm::dvec3& axis) {
  const glm::dvec3 a = glm::abs(axis);
  const glm::dvec3 other = a.x <= a.y && a.x <= a.z ? glm::dvec3(1, 0, 0)
                           : a.y <= a.z             ? glm::dvec3(0, 1, 0)
                                                    : glm::dvec3(0, 0, 1);
  return glm::normalize(glm::cross(axis, other));
}

// A joint of the scene between two bodies, at the start.
struct Found {
  const Joint* joint;
  Pose frame;    // of the joint, in the world
  double value;  // rad or m
  std::size_t child;
  std::optional<std::size_t> parent;
  bool own = false;  // The joint is that of the child's own table, not one of Scene::joints.
};

LinkJoint link_joint(const Found& found, const std::vector<Pose>& poses) {
  const Joint& joint = *found.joint;
  LinkJoint out{};
  out.kind = kind_of(joint.type);
  out.parent = found.parent ? static_cast<uint>(*found.parent) : no_body;
  out.child = static_cast<uint>(found.child);
  const Pose& child = poses[found.child];
  const Pose parent = found.parent ? poses[*found.parent] : Pose{found.frame.position, {1.0, 0.0, 0.0, 0.0}};
  const glm::dvec3 axis = found.frame.rotation * glm::normalize(joint.axis), side = any_across(axis);
  const bool turns = joint.type == JointType::revolute, slides = joint.type == JointType::prismatic;
  const glm::dvec3 turned = turns ? glm::angleAxis(found.value, axis) * side : side;
  const glm::dvec3 slid = slides ? found.value * axis : glm::dvec3(0.0);
  const auto into = [](const Pose& pose, const glm::dvec3& v) { return glm::conjugate(pose.rotation) * v; };
  out.place = found.parent ? vec3(0.0f) : vec3(found.frame.position);
  out.parent_anchor = vec3(into(parent, found.frame.position - parent.position));
  out.child_anchor = vec3(into(child, found.frame.position + slid - child.position));
  out.parent_axis = vec3(into(parent, axis));
  out.child_axis = vec3(into(child, axis));
  out.parent_side = vec3(into(parent, side));
  out.child_side = vec3(into(child, turned));
  out.armature = static_cast<float>(joint.armature);
  out.leader = no_joint;
  out.along = along_of(joint);
  return out;
}

// All joints of the scene's linkages, children before their parents, so that the rows of a chain lie beside those of
// the joints that they meet; [[joint]]s, which close chains, last.
std::vector<Found> joints_of(const Scene& scene, const Kinematics& kinematics, const std::vector<std::size_t>& group,
                             const std::vector<Pose>& poses) {
  const auto in_group = [&](std::optional<std::size_t> b) { return b && std::ranges::binary_search(group, *b); };
  std::vector<Found> all;
  const std::vector<std::size_t>& order = kinematics.parents_first();
  for (auto at = order.rbegin(); at != order.rend(); ++at)
    if (const auto* joint = std::get_if<Joint>(&scene.bodies[*at].motion); joint && in_group(*at)) {
      const std::optional<std::size_t> parent = kinematics.parent(*at);
      const Pose own{joint->origin, rotation_of(joint->rotation)};
      all.push_back({joint, parent ? poses[*parent] * own : own, unit_of(joint->type) * std::get<double>(joint->value),
                     *at, parent, true});
    }
  for (const JointSpec& spec : scene.joints) {
    auto [body, parent] = bodies_of(scene, spec);
    if (!is_dynamic(scene.bodies[body]))
      std::swap(body, *parent);  // the child is always dynamic
    if (in_group(body))
      all.push_back({&spec.joint, {spec.joint.origin, rotation_of(spec.joint.rotation)}, 0.0, body, parent});
  }
  return all;
}

}  // namespace

JointAxis along_of(const Joint& joint) {
  const double unit = unit_of(joint.type);
  JointAxis along{};
  along.low = static_cast<float>(unit * joint.min);
  along.high = static_cast<float>(unit * joint.max);
  if (joint.type == JointType::ball)
    along.low = joint.max < 180.0 ? static_cast<float>(std::cos(glm::radians(joint.max))) : -2.0f;
  along.friction = static_cast<float>(joint.friction);
  along.stiffness = static_cast<float>(joint.spring.stiffness);
  along.damping = static_cast<float>(joint.spring.damping);
  along.rest = static_cast<float>(unit * joint.spring.rest);
  return along;
}

Linkages linkages_of(const Scene& scene) {
  Linkages out;
  out.has.resize(scene.bodies.size());
  out.of_body.resize(scene.bodies.size());
  const std::vector<std::vector<std::size_t>> groups = linked_bodies(scene);
  if (groups.empty())
    return out;
  const Kinematics kinematics(scene);
  const std::vector<Pose> poses = initial_poses(scene);
  const std::vector<Twist> twists = first_twists(scene);
  for (const std::vector<std::size_t>& group : groups) {
    Linkage linkage{};
    linkage.first_joint = static_cast<uint>(out.joints.size());
    linkage.first_row = static_cast<uint>(out.places.size());
    linkage.first_word = out.words;
    const std::vector<Found> found = joints_of(scene, kinematics, group, poses);
    const auto first_speed = [&](const Found& f, const LinkJoint& joint) {
      if (joint.kind != joint_revolute && joint.kind != joint_prismatic)
        return 0.0f;
      const Pose parent = f.parent ? poses[*f.parent] : Pose{f.frame.position, {1.0, 0.0, 0.0, 0.0}};
      return static_cast<float>(
          speed_of(joint, parent, f.parent ? twists[*f.parent] : Twist{}, poses[f.child], twists[f.child]));
    };
    std::vector<bool> moved(scene.bodies.size());
    std::vector<std::pair<uint, uint>> rows;  // joint, part
    for (const Found& f : found) {
      const auto k = static_cast<uint>(out.joints.size()) - linkage.first_joint;
      LinkJoint joint = link_joint(f, poses);
      joint.first_row = static_cast<uint>(rows.size());
      for (uint part = 0; part < equalities_of(joint.kind); ++part)
        rows.emplace_back(k, part);
      if (joint.armature > 0.0f)
        rows.emplace_back(k, joint_part_armature);
      if (!moved[f.child])
        joint.moves |= 1u;
      moved[f.child] = true;
      if (f.parent && is_dynamic(scene.bodies[*f.parent])) {
        if (!moved[*f.parent])
          joint.moves |= 2u;
        moved[*f.parent] = true;
      }
      if (f.own)
        out.of_body[f.child] = static_cast<uint>(out.joints.size());
      LinkState state{};
      state.value = static_cast<float>(f.value);
      state.speed = first_speed(f, joint);
      out.joints.push_back(joint);
      out.states.push_back(state);
    }
    linkage.joints = static_cast<uint>(out.joints.size()) - linkage.first_joint;
    for (uint k = 0; k < linkage.joints; ++k)
      if (const std::optional<GearedJoint> gear = found[k].own ? gear_of(scene, found[k].child) : std::nullopt) {
        LinkJoint& joint = out.joints[linkage.first_joint + k];
        const auto leads = [&](const Found& f) { return f.own && f.child == gear->leader; };
        joint.leader = static_cast<uint>(std::ranges::find_if(found, leads) - found.begin());
        TALUS_ASSERT(joint.leader < found.size(), joint.leader, gear->leader);
        joint.gear_row = static_cast<uint>(rows.size());
        joint.multiplier = static_cast<float>(gear->multiplier);
        joint.offset = static_cast<float>(gear->offset);
        rows.emplace_back(k, joint_part_gear);
      }
    linkage.equalities = static_cast<uint>(rows.size());
    for (uint k = 0; k < linkage.joints; ++k) {
      LinkJoint& joint = out.joints[linkage.first_joint + k];
      joint.axis_row = static_cast<uint>(rows.size());
      joint.axis_rows = axis_rows_of(joint.kind, *found[k].joint);
      for (uint part = 0; part < joint.axis_rows; ++part)
        rows.emplace_back(k, part);
    }
    linkage.rows = static_cast<uint>(rows.size());
    if (linkage.rows > linkage_rows_most)
      throw SceneError(
          fmt::format("{}: the bodies that joints connect with body {} have joints with {} equations, and "
                      "a linkage has at most {}: leave out some joints, or replace the fixed ones by parts "
                      "of one body",
                      scene.source, scene.bodies[group[0]].name, linkage.rows, linkage_rows_most));
    const auto share = [&](uint a, uint b) {  // Do two joints hold the same dynamic body?
      const LinkJoint &one = out.joints[linkage.first_joint + a], &two = out.joints[linkage.first_joint + b];
      const auto shares = [&](uint body) {
        return body != no_body && is_dynamic(scene.bodies[body]) && (body == two.child || body == two.parent);
      };
      return shares(one.child) || shares(one.parent);
    };
    const auto joints_of_row = [&](const std::pair<uint, uint>& row) {
      return std::array{row.first,
                        row.second == joint_part_gear ? out.joints[linkage.first_joint + row.first].leader : row.first};
    };
    const auto meet = [&](const std::pair<uint, uint>& a, const std::pair<uint, uint>& b) {
      const auto one = joints_of_row(a), two = joints_of_row(b);
      return share(one[0], two[0]) || share(one[0], two[1]) || share(one[1], two[0]) || share(one[1], two[1]);
    };
    uint word = 0;
    for (uint i = 0; i < rows.size(); ++i) {
      uint first = 0;
      while (!meet(rows[i], rows[first]))
        ++first;
      first = std::min({first, i, i < linkage.equalities ? i : linkage.equalities});
      out.places.push_back({rows[i].first, rows[i].second, first, word});
      word += i - first + 1;
    }
    out.words += word;
    for (const std::size_t b : group)
      out.has[b] = true;
    out.linkages.push_back(linkage);
  }
  return out;
}

double value_of(const LinkJoint& joint, const Pose& parent, const Pose& child, double near) {
  const glm::dvec3 axis = parent.rotation * glm::dvec3(joint.parent_axis);
  if (joint.kind == joint_prismatic)
    return glm::dot(axis, child.position + child.rotation * glm::dvec3(joint.child_anchor) - parent.position -
                              parent.rotation * glm::dvec3(joint.parent_anchor));
  const glm::dvec3 side = parent.rotation * glm::dvec3(joint.parent_side);
  const glm::dvec3 turned = child.rotation * glm::dvec3(joint.child_side);
  const double angle = std::atan2(glm::dot(glm::cross(axis, side), turned), glm::dot(side, turned));
  return near + std::remainder(angle - near, 2 * glm::pi<double>());
}

double speed_of(const LinkJoint& joint, const Pose& parent, const Twist& parent_twist, const Pose& child,
                const Twist& child_twist) {
  const glm::dvec3 axis = parent.rotation * glm::dvec3(joint.parent_axis);
  if (joint.kind != joint_prismatic)
    return glm::dot(axis, child_twist.spin - parent_twist.spin);
  const glm::dvec3 anchor = child.position + child.rotation * glm::dvec3(joint.child_anchor);
  const auto velocity = [&](const Pose& pose, const Twist& twist) {
    return twist.velocity + glm::cross(twist.spin, anchor - pose.position);
  };
  return glm::dot(axis, velocity(child, child_twist) - velocity(parent, parent_twist));
}

}  // namespace talus
