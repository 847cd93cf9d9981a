#pragma once
// How the bodies of all worlds move: each world has a Drive, and a time of its own. Bodies of world w are
// w * bodies + b, b their place in the scene. Steps are those of the simulation.
#include "engine/motion/drive.h"
#include <functional>

namespace talus {

class Drives {
public:
  explicit Drives(const Scene& scene, double time_zero = 0.0);

  double time(std::uint64_t step, std::uint32_t world = 0) const {
    return worlds_[world].drive.time(local(step, world));
  }

  // Steps that a world has done after so many of the simulation.
  std::uint64_t local(std::uint64_t step, std::uint32_t world) const {
    return step - static_cast<std::uint64_t>(worlds_[world].start);
  }

  // Of all bodies, step after step; and the greatest speed of a point of a body in each step and world, m/s.
  Drive::Batch batch(std::uint64_t step, std::uint64_t count) const;
  void advance(std::uint64_t count);
  std::vector<Pose> poses(std::uint64_t step, std::uint32_t world) const {
    return worlds_[world].drive.poses(local(step, world));
  }

  // What the Drive of a body's world does or tells, as `call(&Drive::move_body, step, body, target, limits)`. Throws
  // std::invalid_argument where there is no such body.
  template <class Member, class... Rest>
  auto call(Member member, std::uint64_t step, std::uint32_t body, const Rest&... rest) {
    const Place at = place_of(body);
    return std::invoke(member, worlds_[at.world].drive, local(step, at.world), at.body, rest...);
  }
  template <class Member> auto call(Member member, std::uint64_t step, std::uint32_t body) const {
    const Place at = place_of(body);
    return std::invoke(member, worlds_[at.world].drive, local(step, at.world), at.body);
  }

  // What a world's bodies are told, and in which step it started. Worlds may take each other's.
  struct Course {
    Drive::Commands commands;
    std::int64_t start = 0;
  };
  Course course(std::uint32_t world) const { return {worlds_[world].drive.commands(), worlds_[world].start}; }
  void set(std::uint32_t world, Course course);
  std::vector<Course> courses() const;
  void set(const std::vector<Course>& courses);

  // For a checkpoint, and back: nothing where the bytes are none of this scene.
  std::vector<std::byte> to_bytes() const;
  std::optional<std::vector<Course>> from_bytes(std::span<const std::byte> bytes) const;

private:
  struct World {
    Drive drive;
    std::int64_t start = 0;  // steps that the simulation had done before its first
  };
  // The world of a body, and the body in it. Throws std::invalid_argument.
  struct Place {
    std::uint32_t world, body;
  };
  Place place_of(std::uint32_t body) const;

  std::uint32_t bodies_;  // of a world
  std::vector<World> worlds_;
};

}  // namespace talus
